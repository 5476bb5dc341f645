import type {ComposeNetwork, ComposeService, ComposeVolume} from './compose-model.js'

/** What one Compose file of ours is written from. */
export interface ComposeRelease {
  readonly projectId: string
  readonly slug: string
  /** Whether ports without an interface are published on 127.0.0.1 only: so for apps; a Compose file of a user keeps what Compose does. */
  readonly loopback: boolean
  readonly services: readonly ReleasedService[]
  readonly volumes: readonly ComposeVolume[]
  readonly networks: readonly ComposeNetwork[]
}

export interface ReleasedService {
  readonly service: ComposeService
  readonly serviceId: string
  /** The deployment that last changed this service, so that an unchanged one keeps its text. */
  readonly deploymentId: string
  /** What runs: a pulled reference, or a tag of ours. */
  readonly image: string
  /** Paths on the server, by the path in the container: for mounts of the source and for files. */
  readonly hostPaths: Readonly<Record<string, string>>
}

export const labelNames = {managed: 'moorage.managed', project: 'moorage.project', service: 'moorage.service', deployment: 'moorage.deployment'} as const

export function toProjectName(slug: string): string {
  return `moorage-${slug}`
}

/** The name of a volume on the engine. */
export function toVolumeName(slug: string, {key, name, external}: Pick<ComposeVolume, 'key' | 'name' | 'external'>): string {
  return name ?? (external ? key : `${toProjectName(slug)}-${key}`)
}

/** The name of a network on the engine; the default one has that of the project. */
export function toNetworkName(slug: string, {key, name, external}: Pick<ComposeNetwork, 'key' | 'name' | 'external'>): string {
  return name ?? (external ? key : key === 'default' ? toProjectName(slug) : `${toProjectName(slug)}-${key}`)
}

/** The volumes that are declared, and those that services use without: rows that people write declare nothing. */
export function withUsedVolumes(declared: readonly ComposeVolume[], services: readonly ComposeService[]): readonly ComposeVolume[] {
  const used = services.flatMap(({mounts}) => mounts.flatMap(({type, source}) => (type === 'volume' && source !== null ? [source] : [])))
  return withUsed(declared, used)
}

/** The networks that are declared or used, and the default one, so that no service brings it or takes it away. */
export function withUsedNetworks(declared: readonly ComposeNetwork[], services: readonly ComposeService[]): readonly ComposeNetwork[] {
  return withUsed(declared, ['default', ...services.flatMap(({networks}) => Object.keys(networks))])
}

function withUsed<T extends ComposeVolume | ComposeNetwork>(declared: readonly T[], used: readonly string[]): readonly (T | ComposeVolume)[] {
  const missing = [...new Set(used)].filter((key) => !declared.some((resource) => resource.key === key))
  return [...declared, ...missing.map((key) => ({key, name: null, external: false, others: {}}))]
}
