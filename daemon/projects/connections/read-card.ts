import {isLoopbackBinding, type PublicUrls} from '../../../src/catalog/public-urls.js'
import {parsePort} from '../../../src/catalog/endpoints.js'
import {resolveConnection, type ResolvedOutput} from '../../../src/catalog/resolve-connection.js'
import type {AppDefinition, Connection, ConnectionOutput} from '../../../src/catalog/definition.js'
import {layerEnvironment} from '../../../src/catalog/layer-environment.js'
import {findServerPlace} from '../../servers/server-address.js'
import {definitionOf} from '../app-definition.js'
import {readStoredValues} from '../app-projects.js'
import {projectUrls} from '../public-urls.js'
import type {ProjectRecord, ServiceRecord} from '../records.js'
import {servicesOf} from '../service-handlers.js'
import {openInline} from '../service-view.js'
import {servedOn} from '../live/project-place.js'
import {internalOutputs} from './internal-outputs.js'
import {publishedPorts, type PortParts} from './published-ports.js'

/** An output as it goes out; an internal one leads there only from within the project or a connected one. */
export interface CardOutput extends ResolvedOutput {
  readonly internal?: boolean
}

/** How a project is reached and used, its credentials in plain text. */
export interface ConnectionCard extends Omit<Connection, 'outputs' | 'firstLogin'> {
  readonly outputs: readonly CardOutput[]
}

export interface CardReader {
  /** people: somebody who may be on the server. others: projects that run elsewhere. within: projects on the same server, for which an address stands even where nothing is published. */
  readonly reader: 'people' | 'others' | 'within'
  readonly signal: AbortSignal
}

const own = '127.0.0.1'
/** What an address names where nothing is published; it is written over before anybody sees it. */
export const standIn = 'within.invalid'

/** The card of an installed app by its definition; of any other project its services as they are reached from within. */
export async function readCard(parts: PortParts, project: ProjectRecord, {reader, signal}: CardReader): Promise<ConnectionCard> {
  const definition = definitionOf(project)
  const services = await servicesOf(parts.store, project.id)
  if (definition?.connection === undefined) return {guide: {defaultMode: 'internal'}, outputs: internalOutputs(project, services)}
  const place = await findServerPlace(parts.store, await servedOn(parts.store, project))
  const ownHost = reader === 'people' && place?.isLocal === true ? own : undefined
  const {urls, host} = await projectUrls(parts.store, project, {ports: await publishedPorts(parts, project, signal), ownHost})
  const isLoopbackOnly = isOpenToHostOnly(services)
  const sources = {
    environments: await environmentsOf(parts, project, services),
    urls: reader === 'within' ? withStandIns(urls) : urls,
    host: ownHost !== undefined && isLoopbackOnly ? undefined : (host ?? (reader === 'within' ? standIn : undefined)),
    ownHost, isLoopbackOnly,
  }
  return resolveConnection(definition, sources) ?? {outputs: []}
}

/** How an output of an app is declared; undefined for projects without a definition. */
export function findDeclared(definition: AppDefinition | undefined, outputId: string): ConnectionOutput | undefined {
  return definition?.connection?.outputs.find(({id}) => id === outputId)
}

function withStandIns(urls: PublicUrls): PublicUrls {
  return {find: (service, port) => urls.find(service, port) ?? {url: `http://${standIn}${port === undefined ? '' : `:${port}`}`, isLoopbackBound: false}}
}

function isOpenToHostOnly(services: readonly ServiceRecord[]): boolean {
  const ports = services.flatMap((service) => service.ports).map(parsePort).filter((port) => port !== undefined)
  return ports.length > 0 && ports.every(({hostAddress}) => isLoopbackBinding(hostAddress))
}

// As its container gets it, but for public addresses, which are put in on reading. A value that does not open counts as none.
async function environmentsOf({store, sealer}: PortParts, project: ProjectRecord, services: readonly ServiceRecord[]): Promise<ReadonlyMap<string, Readonly<Record<string, string>>>> {
  const stored = await readStoredValues(store, sealer, project)
  const rowsOf = (name: string | null) => Object.fromEntries(stored.filter(({service}) => service === name).map(({key, value}) => [key, value ?? '']))
  const variables = rowsOf(null)
  return new Map(services.map((service) => [service.name, layerEnvironment({project: variables, inline: openInline(sealer, service), rows: rowsOf(service.name)}).environment]))
}
