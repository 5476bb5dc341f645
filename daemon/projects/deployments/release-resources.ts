import type {ComposeNetwork, ComposeVolume} from '../../../src/compose/compose-model.js'
import {isLinkNetwork} from '../connections/link-networks.js'
import type {PlannedService} from './plan.js'
import type {SourceDefinition} from './read-definition.js'
import type {OpenRelease} from './release-book.js'

export interface ReleaseResources {
  readonly volumes: readonly ComposeVolume[]
  readonly networks: readonly ComposeNetwork[]
}

interface ResourceSources {
  readonly definition: SourceDefinition | null
  /** The networks that lead to other projects now. */
  readonly links: readonly ComposeNetwork[]
  readonly active: OpenRelease | null
}

/** The volumes and networks of a release: as the source declares them, with those that services name without it, and those of services that are carried forward. */
export function mergeResources(services: readonly PlannedService[], {definition, links, active}: ResourceSources): ReleaseResources {
  const volumes = new Map<string, ComposeVolume>((definition?.volumes ?? []).map((volume) => [volume.key, volume]))
  const networks = new Map<string, ComposeNetwork>((definition?.networks ?? []).map((network) => [network.key, network]))
  for (const network of [...links, ...carriedLinks(services, active)]) if (!networks.has(network.key)) networks.set(network.key, network)
  for (const volume of active?.model.volumes ?? []) if (!volumes.has(volume.key)) volumes.set(volume.key, volume)
  for (const network of active?.model.networks ?? []) if (!networks.has(network.key) && !isLinkNetwork(network)) networks.set(network.key, network)
  for (const {definition: service} of services) {
    for (const {type, source} of service?.mounts ?? []) {
      if (type === 'volume' && source !== null && !volumes.has(source)) volumes.set(source, {key: source, name: null, external: false, others: {}})
    }
    for (const key of Object.keys(service?.networks ?? {})) {
      if (key !== 'default' && !networks.has(key)) networks.set(key, {key, name: null, external: false, others: {}})
    }
  }
  return {volumes: [...volumes.values()], networks: [...networks.values()]}
}

/** The networks of links that services go on with as they are served. */
export function carriedLinks(services: readonly PlannedService[], active: OpenRelease | null): readonly ComposeNetwork[] {
  const used = new Set(services.flatMap(({definition, previous}) => (definition === null ? Object.keys(previous?.released.service.networks ?? {}) : [])))
  return (active?.model.networks ?? []).filter((network) => isLinkNetwork(network) && used.has(network.key))
}
