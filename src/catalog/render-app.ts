import {posix} from 'node:path'
import {Fault} from '../contract/faults.js'
import {findPathClash, layOutBuilds} from './build-context.js'
import type {AppDefinition, PrepareStep, Service} from './definition.js'
import {declaredRoutes} from './endpoints.js'
import {inlineConfig, type EnvironmentRow, type InlinedApp} from './inline-config.js'
import {localizeConnection, type LocalizedConnection} from './localize-connection.js'
import {pickText} from './pick-text.js'
import {publicUrlsOf, type PublicUrls, type UrlSources} from './public-urls.js'
import {renderService, type RenderedService, type RenderWarning} from './render-service.js'
import {resolveConnection} from './resolve-connection.js'
import {resolvePublicUrls} from './resolve-public-urls.js'
import type {ResolvedValues} from './resolve-values.js'
import {defaultRouteLabel, normalizeLabel} from './route-label.js'
import {startOrder} from './start-order.js'
import {fileUrlWarnings} from './url-warnings.js'

export interface RenderOptions extends UrlSources {
  /** Of the project: it names volumes and addresses. */
  readonly slug: string
  readonly values: Pick<ResolvedValues, 'rows' | 'kept'>
  readonly settings?: readonly EnvironmentRow[]
  readonly locale: string
}

export interface RenderedFile {
  readonly service: string
  /** Inside the container. */
  readonly path: string
  readonly content: string
  readonly isSecret: boolean
}

export interface RenderedRoute {
  readonly service: string
  readonly port: number
  /** The label of its address unless another is chosen. */
  readonly label: string
  /** Null while it has none. */
  readonly url: string | null
}

export interface RenderedStep extends Pick<PrepareStep, 'service' | 'command'> {
  readonly title: string
  readonly phase: NonNullable<PrepareStep['phase']>
}

/** An app as it would be deployed. */
export interface RenderedApp {
  readonly id: string
  readonly name: string
  readonly slug: string
  /** In the order in which they start. */
  readonly services: readonly RenderedService[]
  readonly files: readonly RenderedFile[]
  readonly routes: readonly RenderedRoute[]
  readonly prepare: readonly RenderedStep[]
  readonly connection: LocalizedConnection | null
  readonly warnings: readonly RenderWarning[]
}

/** Everything that an install and the deployment after it make of a definition. Pure: it reads and writes nothing. */
export function renderApp(definition: AppDefinition, options: RenderOptions): RenderedApp {
  const {services = [], prepare = []} = definition
  refuseClashes(services)
  const inlined = inlineConfig(definition, options.values)
  refuseMountClashes(inlined)
  const urls = publicUrlsOf(services, options)
  const parts = renderServices(services, {inlined, urls, options})
  const environments = new Map(parts.map(({rendered, stored}) => [rendered.name, stored]))
  const files = inlined.files.map((file) => ({...file, ...resolvePublicUrls(file.content.text, urls)}))
  const connection = resolveConnection(definition, {environments, urls, host: options.host})
  return {
    id: definition.id,
    name: definition.name,
    slug: options.slug,
    services: parts.map(({rendered}) => rendered),
    files: files.map(({service, path, text, content}) => ({service, path, content: text, isSecret: content.isSecret})),
    routes: services.filter(({exposed}) => exposed === true).flatMap((service) => routesOf(service, options.slug, urls)),
    prepare: prepare.map(({service, command, title, capture, phase = 'post-start'}) => ({service, command, phase, title: pickText(title ?? capture, options.locale)})),
    connection: connection === null ? null : localizeConnection(connection, definition.connection?.firstLogin, options.locale),
    warnings: [
      ...inlined.unknown.map(({service, key}): RenderWarning => ({rule: 'config-unknown', service, message: `${service}: {{config:${key}}} comes to nothing`})),
      ...describeKept(options.values.kept),
      ...parts.flatMap(({warnings}) => warnings),
      ...files.flatMap((file) => fileUrlWarnings(file, file)),
      ...(definition.requires ?? []).map(({label, envKey, optional}): RenderWarning => ({
        rule: 'connection-needed', service: null, message: `${optional === true ? 'may take' : 'needs'} a connection to another project: ${pickText(label, options.locale)} (${envKey})`,
      })),
    ],
  }
}

function renderServices(services: readonly Service[], {inlined, urls, options}: {inlined: InlinedApp; urls: PublicUrls; options: RenderOptions}) {
  const builds = layOutBuilds(inlined.services)
  const rows = [...inlined.rows, ...(options.settings ?? [])]
  const byName = new Map(services.map((service) => [service.name, service]))
  const inlinedByName = new Map(inlined.services.map((service) => [service.name, service]))
  return startOrder(services).flatMap(({name, after}) => {
    const [service, own] = [byName.get(name), inlinedByName.get(name)]
    if (service === undefined || own === undefined) return []
    return [renderService({service, inlined: own, rows, build: builds.get(name) ?? null, dependsOn: after, slug: options.slug, urls})]
  })
}

// On the network of a project a name leads to one service.
function refuseClashes(services: readonly Service[]): void {
  const seen = new Map<string, string>()
  for (const {name} of services) {
    const label = normalizeLabel(name)
    const other = seen.get(label)
    if (other !== undefined) throw new Fault('DEFINITION_INVALID', other === name ? `two services are called ${name}` : `the names of the services ${other} and ${name} lead to the same host`)
    seen.set(label, name)
  }
}

function refuseMountClashes({files}: InlinedApp): void {
  const clash = findPathClash(files.map(({service, path}) => `${service}:${posix.normalize(path)}`))
  if (clash !== undefined) throw new Fault('DEFINITION_INVALID', `two files are mounted at ${clash}, or one inside the other`)
}

function routesOf(service: Service, slug: string, urls: PublicUrls): RenderedRoute[] {
  return declaredRoutes(service).map(({port, slugSuffix}) => ({
    service: service.name, port, label: defaultRouteLabel(slug, service.name, slugSuffix), url: urls.find(service.name, port)?.url ?? null,
  }))
}

/** What is to be known of values that were left alone. */
export function describeKept(kept: ResolvedValues['kept']): RenderWarning[] {
  return kept
    .filter(({reason}) => reason !== 'stored')
    .map(({service, key, reason}) => ({
      rule: 'value-kept', service,
      message: `${service}: ${key} is left alone, as ${reason === 'unreadable' ? 'what is stored can not be read' : 'copies of it were written before'}`,
    }))
}
