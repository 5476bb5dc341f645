import type {serviceRoutes} from '../../src/contract/services.js'
import {toInstant} from '../clock.js'
import type {Handlers} from '../http/handlers.js'
import {environmentsOfNow} from './deployments/environments-of-now.js'
import {changeEnv, envOf, toEnvView} from './env-book.js'
import {getProject, getService} from './find-project.js'
import type {ProjectParts} from './handlers.js'
import type {ServiceRecord} from './records.js'
import {tellChange} from './service-handlers.js'

type EnvRoutes = Pick<typeof serviceRoutes, 'env' | 'setEnv' | 'revealEnv'>

/** The variables of single services. */
export function createServiceEnvHandlers(parts: Omit<ProjectParts, 'runtime'>): Handlers<EnvRoutes> {
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
        const all = await environmentsOfNow({store: transaction, sealer}, {project, services: [service], environment: body.environment})
        const environment = Object.fromEntries(Object.entries(all.get(service.id) ?? {}).filter(([key]) => body.keys.includes(key)))
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
