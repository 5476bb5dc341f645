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
export async function projectUrls(reader: StoreReader, {id, serverId}: Pick<ProjectRecord, 'id' | 'serverId'>, {ports, ownHost}: UrlWish = {}): Promise<ProjectUrls> {
  const [host, services] = [await findServerAddress(reader, serverId), await servicesOf(reader, id)]
  const domains = services.flatMap(({name, publicEndpoints}) =>
    publicEndpoints.flatMap(({port, customDomain}, index) => (customDomain === null || customDomain === undefined ? [] : [{hostname: customDomain, service: name, targetPort: port, isPrimary: index === 0}])))
  return {urls: publicUrlsOf(services.map((service) => toUrlService(service, ports?.get(service.name))), {domains, host, ownHost}), host}
}

function toUrlService({name, ports, exposedPort}: ServiceRecord, published: readonly string[] | undefined) {
  return {name, ports: [...(published ?? ports)], ...(exposedPort !== null && {exposedPort: Number(exposedPort)})}
}
