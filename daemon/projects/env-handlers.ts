import type {projectRoutes} from '../../src/contract/projects.js'
import {toInstant} from '../clock.js'
import type {Handlers} from '../http/handlers.js'
import {dressEnvironment} from './deployments/dress-service.js'
import {changeEnv, openEnv, toEnvView} from './env-book.js'
import {getProject} from './find-project.js'
import {refuseLinkedKeys} from './connections/refuse-linked-keys.js'
import type {ProjectParts} from './handlers.js'
import {projectUrls} from './public-urls.js'
import {EnvVars} from './records.js'

type EnvRoutes = Pick<typeof projectRoutes, 'env' | 'changeEnv' | 'revealEnv'>

/** The variables of a whole project. Those of single services are with the services. */
export function createEnvHandlers({store, clock, sealer, recordEvent}: ProjectParts): Handlers<EnvRoutes> {
  return {
    async env({params, query}, {principal}) {
      const project = await getProject(store, params.id, principal, 'read')
      const rows = await store.find(EnvVars, 'project', [project.id])
      const wanted = rows.filter((row) => (query.services === true || row.serviceId === '') && (query.environment === undefined || row.environment === query.environment))
      return {data: wanted.map((row) => toEnvView(sealer, row))}
    },

    async changeEnv({params, body}, {principal, actor}) {
      const now = toInstant(clock.now())
      return store.transaction(async (transaction) => {
        const project = await getProject(transaction, params.id, principal, 'write')
        const scope = {organizationId: project.organizationId, projectId: project.id, serviceId: null, environment: body.environment}
        await refuseLinkedKeys(transaction, project, body)
        const counts = await changeEnv(transaction, sealer, {scope, change: body, now})
        await recordEvent(transaction, {
          type: 'project.env_changed', organizationId: project.organizationId, resourceType: 'project', resourceId: project.id, actor,
          payload: {after: {environment: body.environment, set: body.upserts.map(({key}) => key), deleted: body.deletes}},
        })
        return counts
      })
    },

    async revealEnv({params, body}, {principal, actor}) {
      return store.transaction(async (transaction) => {
        const project = await getProject(transaction, params.id, principal, 'write')
        const scope = {organizationId: project.organizationId, projectId: project.id, serviceId: null, environment: body.environment}
        const all = await openEnv(transaction, sealer, scope)
        const asked = Object.fromEntries(Object.entries(all).filter(([key]) => body.keys.includes(key)))
        const {environment} = project.isApp ? dressEnvironment({name: project.name, environment: asked}, (await projectUrls(transaction, project)).urls) : {environment: asked}
        await recordEvent(transaction, {
          type: 'project.env_revealed', organizationId: project.organizationId, resourceType: 'project', resourceId: project.id, actor,
          payload: {after: {environment: body.environment, keys: Object.keys(environment)}},
        })
        return {data: {environment}}
      })
    },
  }
}
