import type {AppDefinition} from '../../src/catalog/definition.js'
import type {EnvironmentRow} from '../../src/catalog/inline-config.js'
import type {StoredValue} from '../../src/catalog/resolve-values.js'
import {ServiceAdvanced} from '../../src/compose/service-advanced.js'
import type {ServiceFields} from '../../src/compose/to-service-fields.js'
import {Fault} from '../../src/contract/faults.js'
import {allows, allowsCreate} from '../access/decide.js'
import type {Principal} from '../access/principal.js'
import {getServer} from '../servers/find-server.js'
import type {Sealer} from '../store/secrets.js'
import type {StoreReader, Transaction} from '../store/store.js'
import {addProject} from './add-project.js'
import {changeEnv} from './env-book.js'
import {getService, projectRef} from './find-project.js'
import {newProject} from './project-input.js'
import {EnvVars, Projects, Services, type ProjectRecord, type ServiceRecord} from './records.js'
import {envContext} from './sealed-fields.js'
import {newUpstreamService, syncServices} from './deployments/sync-services.js'
import {changeService, type ServiceChange} from './service-input.js'
import {servicesOf} from './service-handlers.js'
import {toSlug} from './slug.js'

// What the apps area does with projects.

export type AppProject = ProjectRecord

export interface AppProjectWish {
  readonly definition: AppDefinition
  readonly name: string | undefined
  readonly serverId: string | undefined
  readonly principal: Principal
  readonly now: string
}

const nameAttempts = 50

/** The projects of an organization that were made from an app, newest first. */
export async function findAppProjects(reader: StoreReader, organizationId: string, appId: string): Promise<ProjectRecord[]> {
  return (await reader.find(Projects, 'app', [organizationId, appId])).reverse()
}

/** Installs of an app that somebody began and never deployed, newest first, as far as the principal may see them. */
export async function findBegunApps(reader: StoreReader, principal: Principal, appId: string): Promise<ProjectRecord[]> {
  const projects = await findAppProjects(reader, principal.organizationId, appId)
  return projects.filter((project) => project.activeDeploymentId === null && !project.deletionInProgress && project.environmentType === 'production' && allows(principal, projectRef(project), 'read'))
}

interface AppDraft {
  readonly projectId: string
  readonly serverId: string | null
  readonly memoryMb: number
  readonly cpuCores: number
  readonly unlimitedServices: number
}

/** The limits that were set for the services of a project; undefined where it is missing, foreign or not covered. */
export async function findAppDraft(reader: StoreReader, principal: Principal, projectId: string): Promise<AppDraft | undefined> {
  const project = await reader.get(Projects, projectId)
  if (project === undefined || !allows(principal, projectRef(project), 'read')) return undefined
  const limits = (await servicesOf(reader, projectId)).map(({advanced}) => ServiceAdvanced.shape.resources.safeParse(advanced['resources']).data ?? {})
  const sum = (key: 'memoryMb' | 'cpuCores') => limits.reduce((total, limit) => total + (limit[key] ?? 0), 0)
  const unlimited = limits.filter(({memoryMb, cpuCores}) => memoryMb === undefined && cpuCores === undefined)
  return {projectId, serverId: project.serverId, memoryMb: sum('memoryMb'), cpuCores: sum('cpuCores'), unlimitedServices: unlimited.length}
}

/** The project that an install writes to: one that was begun under this name and never deployed, else a new one; "X 2" and so on where the name is taken. */
export async function keepAppProject(transaction: Transaction, wish: AppProjectWish): Promise<{project: ProjectRecord; isNew: boolean}> {
  const {definition, principal, now} = wish
  const base = wish.name === undefined || wish.name === '' ? definition.name : wish.name
  if (wish.serverId !== undefined) await getServer(transaction, wish.serverId, principal, 'read')
  const begun = (await findBegunApps(transaction, principal, definition.id)).find((project) => project.slug === toSlug(base) && allows(principal, projectRef(project), 'write'))
  const bound = {...(wish.serverId !== undefined && {serverId: wish.serverId}), updatedAt: now}
  if (begun !== undefined) {
    const project = {...begun, ...bound}
    await transaction.put(Projects, project)
    return {project, isNew: false}
  }
  if (!allowsCreate(principal, 'project')) throw new Fault('NOT_FOUND', 'Not found')
  const made = newProject({name: await freeName(transaction, principal.organizationId, base), projectType: 'services', framework: definition.framework ?? 'docker-compose'}, principal.organizationId, now)
  const project: ProjectRecord = {...made, ...bound, appDefinition: JSON.stringify(definition), isApp: true, appTemplateId: definition.id, sourceKind: 'app', buildKind: 'compose', runtimeMode: 'docker', hasBuild: false, gitProvider: 'release', gitBranch: null}
  await addProject(transaction, project)
  return {project, isNew: true}
}

async function freeName(reader: StoreReader, organizationId: string, base: string): Promise<string> {
  for (let attempt = 1; attempt <= nameAttempts; attempt += 1) {
    const name = attempt === 1 ? base : `${base} ${attempt}`
    const [sameName, sameSlug] = [await reader.findOne(Projects, 'name', [organizationId, name]), await reader.findOne(Projects, 'slug', [organizationId, toSlug(name)])]
    if (sameName === undefined && sameSlug === undefined) return name
  }
  throw new Fault('CONFLICT', `the names ${base} to ${base} ${nameAttempts} are all taken; give another with name`)
}

export async function servicesOfProject(reader: StoreReader, projectId: string): Promise<ServiceRecord[]> {
  return servicesOf(reader, projectId)
}

/** Every stored value of a project in the production environment, null where it does not open. */
export async function readStoredValues(reader: StoreReader, sealer: Sealer, project: Pick<ProjectRecord, 'id'>): Promise<StoredValue[]> {
  const names = new Map((await servicesOf(reader, project.id)).map(({id, name}) => [id, name]))
  const rows = (await reader.find(EnvVars, 'project', [project.id])).filter(({environment}) => environment === 'production')
  return rows.flatMap((row) => {
    const service = row.serviceId === '' ? null : names.get(row.serviceId)
    return service === undefined ? [] : [{service, key: row.key, value: tryOpen(sealer, row.value, envContext(row.id))}]
  })
}

// Sealed with a key that is not here: the value is there all the same.
function tryOpen(sealer: Sealer, sealed: string, context: string): string | null {
  try {
    return sealer.open(sealed, context)
  } catch {
    return null
  }
}

interface AddService {
  readonly project: ProjectRecord
  readonly fields: ServiceFields
  readonly change: ServiceChange
  readonly now: string
}

/** A new service of an app. What its definition said is kept beside it, so that edits show. */
export async function addAppService(transaction: Transaction, sealer: Sealer, {project, fields, change, now}: AddService): Promise<void> {
  const context = {sealer, project, others: await servicesOf(transaction, project.id), now}
  await transaction.insert(Services, changeService(newUpstreamService(fields, context), change, context))
}

export interface AppServiceVersion {
  readonly fields: ServiceFields
  readonly exposedPort: string | null
  /** What the version before said. */
  readonly exposedPortBefore: string | null
}

interface UpdateProject {
  readonly project: ProjectRecord
  readonly definition: AppDefinition
  readonly services: readonly AppServiceVersion[]
  readonly now: string
}

/** Lets a project follow another version of its app: services are added, changed and taken away; what was edited here stays and shows as drift. */
export async function updateAppProject(transaction: Transaction, sealer: Sealer, {project, definition, services, now}: UpdateProject): Promise<void> {
  await syncServices(transaction, services.map(({fields}) => fields), {sealer, project, now})
  for (const row of await servicesOf(transaction, project.id)) {
    const version = services.find(({fields}) => fields.name === row.name)
    if (version === undefined || row.exposedPort === version.exposedPort || (row.exposedPort !== version.exposedPortBefore && row.exposedPort !== null)) continue
    await transaction.put(Services, {...row, exposedPort: version.exposedPort, updatedAt: now})
  }
  await transaction.put(Projects, {...project, appDefinition: JSON.stringify(definition), updatedAt: now})
}

interface RouteService {
  readonly project: ProjectRecord
  readonly name: string
  readonly change: ServiceChange
  readonly now: string
}

export async function routeAppService(transaction: Transaction, sealer: Sealer, {project, name, change, now}: RouteService): Promise<void> {
  const service = await getService(transaction, project.id, name)
  await transaction.put(Services, changeService(service, change, {sealer, project, others: await servicesOf(transaction, project.id), now}))
}

interface WriteEnv {
  readonly project: ProjectRecord
  readonly rows: readonly EnvironmentRow[]
  readonly removed?: readonly {readonly service: string; readonly key: string}[]
  readonly now: string
}

/** Merges values into the production environment of the services they belong to; nothing else of them changes. */
export async function writeAppEnv(transaction: Transaction, sealer: Sealer, {project, rows, removed = [], now}: WriteEnv): Promise<void> {
  const byName = new Map((await servicesOf(transaction, project.id)).map((service) => [service.name, service]))
  for (const [name, service] of byName) {
    // Of two rows with one key the later counts.
    const upserts = new Map(rows.filter((row) => row.service === name).map(({key, value, isSecret}) => [key, {key, value, isSecret}]))
    const deletes = removed.filter((row) => row.service === name && !upserts.has(row.key)).map(({key}) => key)
    if (upserts.size === 0 && deletes.length === 0) continue
    const scope = {organizationId: project.organizationId, projectId: project.id, serviceId: service.id, environment: 'production' as const}
    await changeEnv(transaction, sealer, {scope, change: {upserts: [...upserts.values()], deletes}, now})
  }
}
