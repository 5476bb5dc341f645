import type {Service} from './definition.js'
import {declaredRoutes, parsePort, servedPorts} from './endpoints.js'

/** A host name that leads to a project. */
export interface DomainRow {
  readonly hostname: string
  /** Null for one of the whole project. */
  readonly service: string | null
  /** Null for the main port. */
  readonly targetPort: number | null
  readonly isPrimary: boolean
  readonly redirectsTo?: string | null
  readonly targetPath?: string | null
}

/** An address that someone chose for a service. */
export interface GivenUrl {
  readonly service: string
  /** Null for the main port. */
  readonly port: number | null
  readonly url: string
}

export interface PublicUrl {
  /** Without a slash at its end. */
  readonly url: string
  /** It names the host, but the port is open to the host itself only. */
  readonly isLoopbackBound: boolean
}

export interface PublicUrls {
  find(service: string, port?: number): PublicUrl | undefined
}

export interface UrlSources {
  readonly urls?: readonly GivenUrl[]
  readonly domains?: readonly DomainRow[]
  /** Address of the server; a loopback address counts as none. */
  readonly host?: string | undefined
  /** Where somebody on the server itself reaches ports that are open to it only; given for a reader who is there. */
  readonly ownHost?: string | undefined
}

type UrlService = Pick<Service, 'name' | 'exposedPort' | 'routes' | 'ports'>

/** The public address of each port: from host names, else from fixed port mappings. None is ever made up. */
export function publicUrlsOf(services: readonly UrlService[], sources: UrlSources): PublicUrls {
  const byService = new Map(services.map((service) => [service.name, urlsOf(service, sources)]))
  return {
    find(service, port) {
      const found = byService.get(service)
      return port === undefined ? found?.main : found?.ports.get(port)
    },
  }
}

interface ServiceUrls {
  readonly main: PublicUrl | undefined
  readonly ports: ReadonlyMap<number, PublicUrl>
}

function urlsOf(service: UrlService, {urls = [], domains = [], host, ownHost}: UrlSources): ServiceUrls {
  const mainPort = service.exposedPort ?? declaredRoutes(service)[0]?.port
  const ports = new Map<number, PublicUrl>()
  let first: PublicUrl | undefined
  const offer = (port: number | null | undefined, url: PublicUrl): void => {
    first ??= url
    // The first writer wins, so that a host name owns its port.
    if (port != null && !ports.has(port)) ports.set(port, url)
  }
  for (const {port, url} of urls.filter((given) => given.service === service.name)) offer(port ?? mainPort ?? servedPorts(service)[0], routed(url))
  for (const {targetPort, hostname} of domainsOf(service, domains)) offer(targetPort ?? mainPort, routed(`https://${hostname}`))
  const outside = knownHost(host)
  for (const {hostPort, containerPort, hostAddress, protocol} of (service.ports ?? []).map(parsePort).filter((port) => port !== undefined)) {
    const isLoopbackBound = isLoopbackBinding(hostAddress)
    const address = isLoopbackBound ? (ownHost ?? outside) : (outside ?? ownHost)
    // What speaks UDP has no URL.
    if (address === undefined || hostPort === null || protocol === 'udp') continue
    const url = {url: `http://${address}:${hostPort}`, isLoopbackBound}
    offer(containerPort, url)
    offer(hostPort, url)
  }
  return {main: (mainPort === undefined ? undefined : ports.get(mainPort)) ?? first, ports}
}

function routed(url: string): PublicUrl {
  return {url: url.replace(/\/+$/, ''), isLoopbackBound: false}
}

function domainsOf(service: UrlService, domains: readonly DomainRow[]): DomainRow[] {
  const served = servedPorts(service)
  return domains
    .filter((row) => row.redirectsTo == null && row.targetPath == null)
    .filter((row) => row.service === service.name || (row.service === null && row.targetPort !== null && served.includes(row.targetPort)))
    .toSorted((a, b) => Number(b.isPrimary) - Number(a.isPrimary) || (a.hostname < b.hostname ? -1 : Number(a.hostname > b.hostname)))
}

/** The address as it stands in a URL; undefined for none, and for one that only the host itself could use. */
export function knownHost(host: string | undefined): string | undefined {
  const given = host?.trim() ?? ''
  if (given === '' || isLoopback(given)) return undefined
  return given.includes(':') && !given.startsWith('[') ? `[${given}]` : given
}

/** Whether a port is open to the host itself only; a mapping that names no interface is. */
export function isLoopbackBinding(hostAddress: string | null): boolean {
  return hostAddress === null || hostAddress.startsWith('127.') || hostAddress === '[::1]'
}

/** Whether an address leads to the machine that uses it. */
export function isLoopback(address: string): boolean {
  const plain = address.toLowerCase().replace(/^\[|\]$/g, '').replace(/\.$/, '')
  return /^127\./.test(plain) || /^(?:.+\.)?localhost$/.test(plain) || ['0.0.0.0', '::', '::1', '0:0:0:0:0:0:0:1'].includes(plain) || /^::ffff:127\./.test(plain)
}
