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

/** How the services of a project are reached from outside now: by their domains, else by the fixed ports of its server. */
export async function projectUrls(reader: StoreReader, {id, serverId}: Pick<ProjectRecord, 'id' | 'serverId'>): Promise<ProjectUrls> {
  const [host, services] = [await findServerAddress(reader, serverId), await servicesOf(reader, id)]
  const domains = services.flatMap(({name, publicEndpoints}) =>
    publicEndpoints.flatMap(({port, customDomain}, index) => (customDomain === null || customDomain === undefined ? [] : [{hostname: customDomain, service: name, targetPort: port, isPrimary: index === 0}])))
  return {urls: publicUrlsOf(services.map(toUrlService), {domains, host}), host}
}

function toUrlService({name, ports, exposedPort}: ServiceRecord) {
  return {name, ports, ...(exposedPort !== null && {exposedPort: Number(exposedPort)})}
}
