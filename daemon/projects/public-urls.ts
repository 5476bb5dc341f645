import {parsePort} from '../../src/catalog/endpoints.js'
import {publicUrlsOf, type PublicUrls} from '../../src/catalog/public-urls.js'
import {findServerAddress} from '../servers/server-address.js'
import type {StoreReader} from '../store/store.js'
import type {ProjectRecord, ServiceRecord} from './records.js'
import {servicesOf} from './service-handlers.js'

export interface ProjectUrls {
  readonly urls: PublicUrls
  /** Address of the server; undefined where only the server itself would reach it. */
  readonly host: string | undefined
}

export interface UrlWish {
  /** Ports of services as they are published now, where that is known better than from their rows. */
  readonly ports?: ReadonlyMap<string, readonly string[]> | undefined
  /** What leads to ports that are open to the server only, for a reader who is on it. */
  readonly ownHost?: string | undefined
}

/** How the services of a project are reached from outside now: by their domains, else by the fixed ports of its server. */
export async function projectUrls(reader: StoreReader, {id, serverId, isApp}: Pick<ProjectRecord, 'id' | 'serverId' | 'isApp'>, {ports, ownHost}: UrlWish = {}): Promise<ProjectUrls> {
  const [host, services] = [await findServerAddress(reader, serverId), await servicesOf(reader, id)]
  const domains = services.flatMap(({name, publicEndpoints}) =>
    publicEndpoints.flatMap(({port, customDomain}, index) => (customDomain === null || customDomain === undefined ? [] : [{hostname: customDomain, service: name, targetPort: port, isPrimary: index === 0}])))
  return {urls: publicUrlsOf(services.map((service) => toUrlService(service, ports?.get(service.name) ?? (isApp ? service.ports : service.ports.map(asCompose)))), {domains, host, ownHost}), host}
}

/** Where people reach a project: the service that is meant for them, else the first that others than its server reach. */
export async function mainUrl(reader: StoreReader, project: Pick<ProjectRecord, 'id' | 'serverId' | 'isApp'>): Promise<string | null> {
  const {urls} = await projectUrls(reader, project)
  const services = await servicesOf(reader, project.id)
  const found = [...services.filter(({exposed}) => exposed), ...services].map(({name}) => urls.find(name)).find((url) => url !== undefined && !url.isLoopbackBound)
  return found?.url ?? null
}

// An app opens a port to its server alone where it names no interface, a Compose file to everybody.
function asCompose(port: string): string {
  const parsed = parsePort(port)
  return parsed === undefined || parsed.hostAddress !== null || parsed.hostPort === null ? port : `0.0.0.0:${port}`
}

function toUrlService({name, exposedPort}: ServiceRecord, ports: readonly string[]) {
  return {name, ports: [...ports], ...(exposedPort !== null && {exposedPort: Number(exposedPort)})}
}
