import type {ComposeNetwork, ComposeVolume} from './compose-model.js'
import {labelNames, toNetworkName, toProjectName, toVolumeName, withUsedNetworks, withUsedVolumes, type ComposeRelease} from './release.js'
import {writeService} from './write-service.js'
import {compareText, escapeDollars, sortKeys, toYamlRecord} from './yaml-data.js'
import {toYaml, type YamlData} from './yaml-out.js'

/**
 * Our own Compose file. docker-compose 1.29 and every later version take it. The same release gives the same bytes, and what one service changes
 * stays within its block.
 */
export function writeCompose(release: ComposeRelease): string {
  const services = release.services.toSorted((a, b) => compareText(a.service.name, b.service.name))
  const models = services.map(({service}) => service)
  const volumes = withUsedVolumes(release.volumes, models)
  const body = {
    services: Object.fromEntries(services.map((released) => [released.service.name, writeService(released, release)])),
    ...(volumes.length > 0 && {volumes: writeResources(volumes, release, toVolumeName)}),
    networks: writeResources(withUsedNetworks(release.networks, models), release, toNetworkName),
  }
  const name = toProjectName(release.slug)
  return `# Written by Moorage at every deployment; changes made here are lost. To look: docker-compose -p ${name} -f compose.yml ps\n${toYaml(body)}`
}

type Resource = ComposeVolume | ComposeNetwork

// Nothing that changes from release to release may stand here: Compose would want to make volumes anew.
function writeResources(resources: readonly Resource[], {slug, projectId}: ComposeRelease, nameOf: (slug: string, resource: Resource) => string): YamlData {
  return Object.fromEntries(
    resources.toSorted((a, b) => compareText(a.key, b.key)).map((resource): [string, YamlData] => {
      const name = escapeDollars(nameOf(slug, resource))
      if (resource.external) return [resource.key, {name, external: true}]
      const {labels, ...others} = toYamlRecord(resource.others)
      const own = {[labelNames.managed]: 'true', [labelNames.project]: projectId}
      return [resource.key, {name, ...others, labels: sortKeys({...(isRecord(labels) ? labels : {}), ...own})}]
    }),
  )
}

function isRecord(value: YamlData | undefined): value is Readonly<Record<string, YamlData>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
