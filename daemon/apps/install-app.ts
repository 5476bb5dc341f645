import {randomBytes} from 'node:crypto'
import type {AppDefinition} from '../../src/catalog/definition.js'
import {inlineConfig, type EnvironmentRow} from '../../src/catalog/inline-config.js'
import {resolveValues, type ResolvedValues, type StoredValue} from '../../src/catalog/resolve-values.js'
import type {appProjectRoutes} from '../../src/contract/app-projects.js'
import {Fault, invalidInput} from '../../src/contract/faults.js'
import type {HandlerResult, ParsedInput} from '../../src/contract/route.js'
import {grantCreated} from '../access/grant-created.js'
import type {Principal} from '../access/principal.js'
import {toInstant, type Clock} from '../clock.js'
import type {RecordEvent} from '../events/event-log.js'
import type {Actor} from '../events/record.js'
import {addAppService, keepAppProject, readStoredValues, routeAppService, servicesOfProject, writeAppEnv, type AppProject} from '../projects/app-projects.js'
import type {Sealer} from '../store/secrets.js'
import type {Store, Transaction} from '../store/store.js'
import {mainPortOf, routingOf, toAppServices} from './app-services.js'
import type {CatalogItem} from './judge.js'
import {checkRoutes, planRoutes, type RouteChoice} from './plan-routes.js'
import {updateApp} from './update-app.js'

export interface InstallParts {
  readonly store: Store
  readonly clock: Clock
  readonly sealer: Sealer
  readonly recordEvent: RecordEvent
  readonly findApp: (id: string, principal: Principal) => Promise<CatalogItem | undefined>
}

type Wish = ParsedInput<typeof appProjectRoutes.install>['body']
type Installed = HandlerResult<typeof appProjectRoutes.install>['data']

interface Caller {
  readonly principal: Principal
  readonly actor: Actor
}

/** Creates the project of an app with all its services and secrets, in one transaction. An install that was never deployed is completed instead, its secrets kept. */
export async function installApp(parts: InstallParts, wish: Wish, caller: Caller): Promise<Installed> {
  const item = await parts.findApp(wish.templateId, caller.principal)
  const definition = requireInstallable(item, wish.templateId)
  if (definition.kind === 'flow') return {kind: 'flow', flowHref: definition.flowHref ?? '/'}
  const routes = wish.routes ?? []
  checkRoutes(definition, routes)
  if (routes.some(({mode}) => mode === 'free')) {
    throw new Fault('CLOUD_REQUIRED_MANAGED_PROJECT_DOMAIN', 'managed sub-domains need the hosted edition; choose custom with a domain of yours, or port')
  }
  const project = await parts.store.transaction((transaction) => writeInstall(parts, transaction, {wish, caller, definition}))
  return {kind: 'template', projectId: project.id, slug: project.slug}
}

/** The definition of an app that can be installed, or why it can not be. */
export function requireInstallable(item: CatalogItem | undefined, id: string): AppDefinition {
  if (item === undefined) throw new Fault('APP_UNKNOWN', `there is no app ${id} in the catalog`, {suggestions: ['apps list', `apps search ${id}`]})
  if (item.requiresUpdate !== undefined) {
    const {minVersion} = item.requiresUpdate
    throw new Fault('APP_REQUIRES_UPDATE', `${item.definition.name} needs ${minVersion === undefined ? 'a newer release' : `release ${minVersion} or newer`}; update this instance`, {details: {minVersion}})
  }
  if (item.definition.available !== true) throw new Fault('APP_UNAVAILABLE', `${item.definition.name} is coming soon and can not be installed yet`, {suggestions: ['apps list --installable']})
  return item.definition
}

interface Install {
  readonly wish: Wish
  readonly caller: Caller
  readonly definition: AppDefinition
}

async function writeInstall(parts: InstallParts, transaction: Transaction, {wish, caller, definition}: Install): Promise<AppProject> {
  const now = toInstant(parts.clock.now())
  const {project, isNew} = await keepAppProject(transaction, {definition, name: wish.name, serverId: wish.serverId, principal: caller.principal, now})
  // What was begun with an older version goes on with this one.
  if (!isNew) await updateApp(parts, transaction, {project, now: definition, actor: caller.actor})
  const present = await servicesOfProject(transaction, project.id)
  const values = resolveInstallValues(definition, {
    config: wish.config ?? {}, stored: await readStoredValues(transaction, parts.sealer, project), madeServices: present.map(({name}) => name), nowMs: parts.clock.now(),
  })
  await writeServices(parts, transaction, {project, definition, values, routes: wish.routes, present: present.map(({name}) => name), now})
  if (isNew) await grantCreated(transaction, caller.principal, {resourceType: 'project', resourceId: project.id})
  await parts.recordEvent(transaction, {
    type: 'project.created', organizationId: project.organizationId, resourceType: 'project', resourceId: project.id, actor: caller.actor,
    payload: {after: {name: project.name, slug: project.slug, templateId: definition.id, completed: !isNew}},
  })
  return project
}

interface Sources {
  readonly config: Readonly<Record<string, string>>
  readonly stored: readonly StoredValue[]
  readonly madeServices: readonly string[]
  readonly nowMs: number
}

function resolveInstallValues(definition: AppDefinition, sources: Sources): ResolvedValues {
  const values = resolveValues(definition, {...sources, random: randomBytes})
  if (values.missing.length === 0) return values
  throw invalidInput(values.missing.map(({key, label}) => ({path: `/config/${key}`, message: `${label} is required`})))
}

interface ServiceWrites {
  readonly project: AppProject
  readonly definition: AppDefinition
  readonly values: ResolvedValues
  /** Undefined leaves the routing of services that are there. */
  readonly routes: readonly RouteChoice[] | undefined
  readonly present: readonly string[]
  readonly now: string
}

async function writeServices({sealer}: InstallParts, transaction: Transaction, {project, definition, values, routes, present, now}: ServiceWrites): Promise<void> {
  const inlined = inlineConfig(definition, values)
  const fieldsOf = new Map(toAppServices(definition, inlined).map((fields) => [fields.name, fields]))
  for (const service of definition.services ?? []) {
    const routing = routingOf(planRoutes(service, project.slug, routes ?? []))
    const fields = fieldsOf.get(service.name)
    if (present.includes(service.name)) {
      if (routes !== undefined) await routeAppService(transaction, sealer, {project, name: service.name, change: routing, now})
    } else if (fields !== undefined) await addAppService(transaction, sealer, {project, fields, change: {...routing, exposedPort: mainPortOf(service)}, now})
  }
  const fresh = new Set([...fieldsOf.keys()].filter((name) => !present.includes(name)))
  const generated = values.writes.filter(({service}) => !fresh.has(service)).map(({service, key, value, isSecret}): EnvironmentRow => ({service, key, value, isSecret}))
  await writeAppEnv(transaction, sealer, {project, rows: [...inlined.rows.filter(({service}) => fresh.has(service)), ...generated], now})
}
