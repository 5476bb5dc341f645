import {Fault} from '../../../src/contract/faults.js'

export interface ImageRef {
  /** With its registry, where it names one. */
  readonly repository: string
  /** A tag, or a digest such as `sha256:…`. Never empty: an empty one would mean all of them. */
  readonly version: string
}

const pattern = /^(?<repository>(?:[a-zA-Z0-9][a-zA-Z0-9.-]*(?::\d{1,5})?\/|\[[0-9a-fA-F:]+\](?::\d{1,5})?\/)?[a-z0-9]+(?:(?:\/|\.|__?|-+)[a-z0-9]+)*)(?::(?<tag>\w[\w.-]{0,127}))?(?:@(?<digest>[a-z0-9+._-]+:[0-9a-fA-F]{32,}))?$/

/** `name`, `name:tag`, `registry:5000/name@sha256:…`. A digest beats the tag beside it. */
export function parseImageRef(ref: string): ImageRef {
  const groups = pattern.exec(ref)?.groups
  const repository = groups?.['repository']
  if (groups === undefined || repository === undefined) throw new Fault('VALIDATION_ERROR', `${JSON.stringify(ref)} is not the reference of an image`)
  return {repository, version: groups['digest'] ?? groups['tag'] ?? 'latest'}
}

export const defaultRegistry = 'docker.io'
const namesOfDefault: readonly string[] = ['index.docker.io', 'registry-1.docker.io', 'registry.hub.docker.com', 'hub.docker.com', 'www.docker.io']

/** One name for each registry. */
export function toRegistryHost(host: string): string {
  const lower = host.toLowerCase()
  return namesOfDefault.includes(lower) ? defaultRegistry : lower
}

/** The registry that a reference is pulled from, as the engine tells it: only a first part with a dot, a port or a capital, or `localhost`, names one. */
export function registryOf(ref: string): string {
  const [first = '', ...rest] = ref.split('/')
  return rest.length > 0 && (/[.:A-Z]/.test(first) || first === 'localhost') ? toRegistryHost(first) : defaultRegistry
}
