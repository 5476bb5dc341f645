import type {serviceRoutes} from '../../src/contract/services.js'
import {toInstant} from '../clock.js'
import type {Actor} from '../events/record.js'
import type {Handlers} from '../http/handlers.js'
import type {Transaction} from '../store/store.js'
import {changeEnv, envOf, openEnv, toEnvView} from './env-book.js'
import {getProject, getService} from './find-project.js'
import {forgetService} from './forget-service.js'
import type {ProjectParts} from './handlers.js'
import {Services, type ProjectRecord, type ServiceRecord} from './records.js'
import {changeService, newService} from './service-input.js'
import {openInline, toServiceView} from './service-view.js'
import {planSync} from './sync-wishes.js'

type Live = 'delete' | 'containers' | 'start' | 'stop' | 'restart' | 'logs' | 'logStream' | 'projectLogs' | 'projectLogStream' | 'exec' | 'terminal'

/** The services of a project as they are described. What runs is in service-live.ts. */
export function createServiceHandlers(parts: Omit<ProjectParts, 'runtime'>): Handlers<Omit<typeof serviceRoutes, Live>> {
  const {store, clock, sealer} = parts
  const now = () => toInstant(clock.now())
  const one = (service: ServiceRecord) => ({success: true as const, service: toServiceView(sealer, service)})
  return {
    ...createServiceEnvHandlers(parts),

    async list({params}, {principal}) {
      const project = await getProject(store, params.id, principal, 'read')
      const services = await servicesOf(store, project.id)
      return {success: true as const, services: services.map((service) => toServiceView(sealer, service))}
    },

    async create({params, body}, {principal, actor}) {
      return store.transaction(async (transaction) => {
        const project = await getProject(transaction, params.id, principal, 'write')
        const service = newService(body, {sealer, project, others: await servicesOf(transaction, project.id), now: now()})
        await transaction.insert(Services, service)
        await tellChange(parts, transaction, {project, actor, payload: {after: {service: service.name}}})
        return one(service)
      })
    },

    async sync({params, query, body}, {principal, actor}) {
      return store.transaction(async (transaction) => {
        const project = await getProject(transaction, params.id, principal, 'write')
        const before = await servicesOf(transaction, project.id)
        const {after, gone, changes} = planSync(before, body.services, {sealer, project, now: now()})
        if (query.dryRun !== true) {
          for (const service of after) await (before.some(({id}) => id === service.id) ? transaction.put(Services, service) : transaction.insert(Services, service))
          for (const service of gone) await forgetService(transaction, service)
          await tellChange(parts, transaction, {project, actor, payload: {after: {services: after.map(({name}) => name)}}})
        }
        return {
          success: true as const, services: after.map((service) => toServiceView(sealer, service)),
          changes: changes.map(({service, change, fields}) => ({service, change, fields: [...fields]})),
        }
      })
    },

    async show({params}, {principal}) {
      const project = await getProject(store, params.id, principal, 'read')
      return one(await getService(store, project.id, params.serviceId))
    },

    async update({params, body}, {principal, actor}) {
      return store.transaction(async (transaction) => {
        const project = await getProject(transaction, params.id, principal, 'write')
        const before = await getService(transaction, project.id, params.serviceId)
        const service = changeService(before, body, {sealer, project, others: await servicesOf(transaction, project.id), now: now()})
        await transaction.put(Services, service)
        await tellChange(parts, transaction, {project, actor, payload: {after: {service: service.name, fields: Object.keys(body)}}})
        return one(service)
      })
    },

    async acceptDrift({params}, {principal}) {
      return store.transaction(async (transaction) => {
        const project = await getProject(transaction, params.id, principal, 'write')
        const service = await getService(transaction, project.id, params.serviceId)
        const taken = Object.fromEntries(service.drift.map((field) => [field, service.upstream?.[field]]))
        const accepted = {...service, ...taken, drift: [], updatedAt: now()}
        await transaction.put(Services, accepted)
        return one(accepted)
      })
    },

    async keepDrift({params}, {principal}) {
      return store.transaction(async (transaction) => {
        const project = await getProject(transaction, params.id, principal, 'write')
        const service = await getService(transaction, project.id, params.serviceId)
        const kept = {...service, drift: [], updatedAt: now()}
        await transaction.put(Services, kept)
        return one(kept)
      })
    },
  }
}

/** The services of a project in their order. */
export async function servicesOf(reader: Pick<Transaction, 'find'>, projectId: string): Promise<ServiceRecord[]> {
  const services = await reader.find(Services, 'project', [projectId])
  return services.sort((a, b) => a.sortOrder - b.sortOrder || (a.name < b.name ? -1 : 1))
}

interface Change {
  readonly project: ProjectRecord
  readonly actor: Actor
  readonly payload: Readonly<Record<string, unknown>>
}

async function tellChange({recordEvent}: Omit<ProjectParts, 'runtime'>, transaction: Transaction, {project, actor, payload}: Change): Promise<void> {
  await recordEvent(transaction, {type: 'service.changed', organizationId: project.organizationId, resourceType: 'project', resourceId: project.id, actor, payload})
}

type EnvRoutes = Pick<typeof serviceRoutes, 'env' | 'setEnv' | 'revealEnv'>

function createServiceEnvHandlers(parts: Omit<ProjectParts, 'runtime'>): Handlers<EnvRoutes> {
  const {store, clock, sealer, recordEvent} = parts
  const environments = ['production', 'preview', 'development'] as const
  return {
    async env({params, query}, {principal}) {
      const project = await getProject(store, params.id, principal, 'read')
      const service = await getService(store, project.id, params.serviceId)
      const wanted = query.environment === undefined ? environments : [query.environment]
      const rows = await Promise.all(wanted.map((environment) => envOf(store, {...scopeOf(service), environment})))
      return {success: true as const, vars: rows.flat().map((row) => toEnvView(sealer, row))}
    },

    async setEnv({params, body}, {principal, actor}) {
      return store.transaction(async (transaction) => {
        const project = await getProject(transaction, params.id, principal, 'write')
        const service = await getService(transaction, project.id, params.serviceId)
        const scope = {...scopeOf(service), environment: body.environment}
        const named = new Set(body.vars.map(({key}) => key))
        const deletes = (await envOf(transaction, scope)).map(({key}) => key).filter((key) => !named.has(key))
        await changeEnv(transaction, sealer, {scope, change: {upserts: body.vars, deletes}, now: toInstant(clock.now())})
        await tellChange(parts, transaction, {project, actor, payload: {after: {service: service.name, environment: body.environment, set: [...named], deleted: deletes}}})
        return {success: true as const, count: named.size}
      })
    },

    async revealEnv({params, body}, {principal, actor}) {
      return store.transaction(async (transaction) => {
        const project = await getProject(transaction, params.id, principal, 'write')
        const service = await getService(transaction, project.id, params.serviceId)
        const own = await openEnv(transaction, sealer, {...scopeOf(service), environment: body.environment})
        const all = {...openInline(sealer, service), ...own}
        const environment = Object.fromEntries(Object.entries(all).filter(([key]) => body.keys.includes(key)))
        await recordEvent(transaction, {
          type: 'project.env_revealed', organizationId: project.organizationId, resourceType: 'project', resourceId: project.id, actor,
          payload: {after: {service: service.name, environment: body.environment, keys: Object.keys(environment)}},
        })
        return {success: true as const, environment}
      })
    },
  }
}

function scopeOf(service: ServiceRecord) {
  return {organizationId: service.organizationId, projectId: service.projectId, serviceId: service.id}
}
