import type {serviceRoutes} from '../../src/contract/services.js'
import {toInstant} from '../clock.js'
import type {Actor} from '../events/record.js'
import type {Handlers} from '../http/handlers.js'
import type {Transaction} from '../store/store.js'
import {getProject, getService} from './find-project.js'
import {forgetService} from './forget-service.js'
import type {ProjectParts} from './handlers.js'
import {Services, type ProjectRecord, type ServiceRecord} from './records.js'
import {changeService, newService} from './service-input.js'
import {toServiceView} from './service-view.js'
import {planSync} from './sync-wishes.js'

type Elsewhere = 'env' | 'setEnv' | 'revealEnv' | 'delete' | 'containers' | 'start' | 'stop' | 'restart' | 'logs' | 'logStream' | 'projectLogs' | 'projectLogStream' | 'exec' | 'terminal'

/** The services of a project as they are described. What runs is in service-live.ts, their variables in service-env-handlers.ts. */
export function createServiceHandlers(parts: Omit<ProjectParts, 'runtime'>): Handlers<Omit<typeof serviceRoutes, Elsewhere>> {
  const {store, clock, sealer} = parts
  const now = () => toInstant(clock.now())
  const one = (service: ServiceRecord) => ({success: true as const, service: toServiceView(sealer, service)})
  return {
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

export async function tellChange({recordEvent}: Omit<ProjectParts, 'runtime'>, transaction: Transaction, {project, actor, payload}: Change): Promise<void> {
  await recordEvent(transaction, {type: 'service.changed', organizationId: project.organizationId, resourceType: 'project', resourceId: project.id, actor, payload})
}
