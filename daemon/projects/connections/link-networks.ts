import type {ComposeAttachment, ComposeNetwork, ComposeService} from '../../../src/compose/compose-model.js'
import {labelNames, toProjectName} from '../../../src/compose/release.js'
import type {Engine} from '../../servers/engine/engine.js'
import type {ProjectRecord} from '../records.js'

// A project that uses another one internally has a network of its own for it, on which the containers of the other one get their names. It leads nowhere
// else, and engines look for names on such networks last: neither side mistakes a service of the other for one of its own.

const linkLabels = {source: 'moorage.link.source', slug: 'moorage.link.slug', hosts: 'moorage.link.hosts'} as const

type Linked = Pick<ProjectRecord, 'id' | 'slug'>

/** By service of the source: the name under which it is reached. */
export type LinkHosts = ReadonlyMap<string, string>

/** The network of a project for what it uses of another one. */
export function toLinkNetwork(target: Linked, source: Linked, hosts: LinkHosts): ComposeNetwork {
  const labels = {
    [labelNames.managed]: 'true', [labelNames.project]: target.id, 'com.docker.compose.project': toProjectName(target.slug),
    [linkLabels.source]: source.id, [linkLabels.slug]: source.slug, [linkLabels.hosts]: [...hosts].map(([service, host]) => `${service}=${host}`).sort().join(','),
  }
  // Compose does not touch what is external, so the one of the source can be put on it before anything starts.
  return {key: `link-${source.slug}`, name: `${toProjectName(target.slug)}-link-${source.slug}`, external: true, others: {labels}}
}

export function isLinkNetwork({external, others}: ComposeNetwork): boolean {
  return external && isLinkLabels(others['labels'])
}

/** Whether a network with these labels was made for a link. */
export function isLinkLabels(labels: unknown): boolean {
  return sourceOf(labels) !== undefined
}

/** A service with the networks of links as they are now; one that has no network of its own gets none. */
export function joinLinks(service: ComposeService, links: readonly ComposeNetwork[], before: readonly ComposeNetwork[] = []): ComposeService {
  const gone = new Set(before.filter(isLinkNetwork).map(({key}) => key))
  const kept = Object.entries(service.networks).filter(([key]) => !gone.has(key))
  if (kept.length === 0) return service
  return {...service, networks: Object.fromEntries([...kept, ...links.map(({key}): [string, ComposeAttachment] => [key, {aliases: []}])])}
}

interface LinkSource {
  readonly id: string
  readonly slug: string
  readonly hosts: LinkHosts
}

function sourceOf(labels: unknown): LinkSource | undefined {
  const {[linkLabels.source]: id, [linkLabels.slug]: slug, [linkLabels.hosts]: hosts} = toLabels(labels)
  if (id === undefined || slug === undefined || hosts === undefined) return undefined
  const pairs = hosts.split(',').map((pair) => pair.split('=')).flatMap(([service, host]) => (service === undefined || host === undefined ? [] : [[service, host] as const]))
  return {id, slug, hosts: new Map(pairs)}
}

interface Attachment {
  readonly engine: Engine
  readonly signal: AbortSignal
  /** Says what is not reached. */
  readonly onLine: (line: string) => void
}

/** Makes the link networks of a release and puts the containers of the other projects on them. Safe to be done again. */
export async function makeLinkNetworks(networks: readonly ComposeNetwork[], {engine, signal, onLine}: Attachment): Promise<void> {
  for (const {name, others} of networks.filter(isLinkNetwork)) {
    const source = sourceOf(others['labels'])
    if (source === undefined || name === null) continue
    await engine.createNetwork(name, {labels: toLabels(others['labels']), internal: true, signal})
    const missing = await attach(source, name, {engine, signal})
    if (missing.length > 0) onLine(`${missing.join(', ')} of ${source.slug} ${missing.length === 1 ? 'is' : 'are'} not there to be reached; deploy it`)
  }
}

/** Puts the containers of a project, which may be new, on the networks of those that use it. */
export async function rejoinConsumers({id}: Pick<ProjectRecord, 'id'>, {engine, signal}: Pick<Attachment, 'engine' | 'signal'>): Promise<void> {
  for (const {name, labels} of await engine.networks({[linkLabels.source]: id}, {signal})) {
    const source = sourceOf(labels)
    if (source !== undefined) await attach(source, name, {engine, signal})
  }
}

/** Takes away the networks of links that the release of a project has no more, with whatever of the other projects is still on them. */
export async function removeUnusedLinks({id}: Pick<ProjectRecord, 'id'>, networks: readonly ComposeNetwork[], {engine, signal}: Pick<Attachment, 'engine' | 'signal'>): Promise<void> {
  const used = new Set(networks.filter(isLinkNetwork).map(({name}) => name))
  for (const network of await engine.networks({[labelNames.project]: id}, {signal})) {
    if (isLinkLabels(network.labels) && !used.has(network.name)) await engine.removeNetwork(network.id, {signal, force: true})
  }
}

// Answers the services that have no container.
async function attach(source: LinkSource, network: string, {engine, signal}: Pick<Attachment, 'engine' | 'signal'>): Promise<string[]> {
  const containers = await engine.containers({'com.docker.compose.project': toProjectName(source.slug), [labelNames.project]: source.id}, {signal})
  const missing: string[] = []
  for (const [service, host] of source.hosts) {
    const own = containers.filter(({labels}) => labels['com.docker.compose.service'] === service)
    if (own.length === 0) missing.push(service)
    for (const {id, addresses} of own) if (addresses[network] === undefined) await engine.connect(network, id, {aliases: [host], signal})
  }
  return missing
}

function toLabels(labels: unknown): Record<string, string> {
  return typeof labels === 'object' && labels !== null ? Object.fromEntries(Object.entries(labels).map(([name, value]: [string, unknown]) => [name, String(value)])) : {}
}
