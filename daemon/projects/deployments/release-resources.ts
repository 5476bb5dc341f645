import type {ComposeNetwork, ComposeVolume} from '../../../src/compose/compose-model.js'
import type {PlannedService} from './plan.js'
import type {SourceDefinition} from './read-definition.js'
import type {OpenRelease} from './release-book.js'

export interface ReleaseResources {
  readonly volumes: readonly ComposeVolume[]
  readonly networks: readonly ComposeNetwork[]
}

/** The volumes and networks of a release: as the source declares them, with those that services name without it, and those of services that are carried forward. */
export function mergeResources(services: readonly PlannedService[], {definition, active}: {readonly definition: SourceDefinition | null; readonly active: OpenRelease | null}): ReleaseResources {
  const volumes = new Map<string, ComposeVolume>((definition?.volumes ?? []).map((volume) => [volume.key, volume]))
  const networks = new Map<string, ComposeNetwork>((definition?.networks ?? []).map((network) => [network.key, network]))
  for (const volume of active?.model.volumes ?? []) if (!volumes.has(volume.key)) volumes.set(volume.key, volume)
  for (const network of active?.model.networks ?? []) if (!networks.has(network.key)) networks.set(network.key, network)
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
