import {deploymentRoutes as routes, type DeploymentStatus} from '../../../src/contract/deployments.js'
import type {Principal} from '../../access/principal.js'
import type {Handlers, RequestContext} from '../../http/handlers.js'
import {listPage, type ListQuery} from '../../http/pages.js'
import type {RunFeed} from '../../jobs/run-feed.js'
import type {OutputStore} from '../../store/output.js'
import type {Store} from '../../store/store.js'
import {applyChange} from '../apply-change.js'
import {getProject} from '../find-project.js'
import {cancelDeployment, type CancelParts} from './cancel-deployment.js'
import {coversDeployment, getDeployment} from './deployment-access.js'
import {streamDeployment} from './deployment-stream.js'
import {toDeploymentView, toWholeView} from './deployment-view.js'
import {readDeploymentLog} from './read-log.js'
import {Deployments, type DeploymentRecord} from './records.js'
import type {DeploymentWish, RequestDeployment} from './request-deployment.js'

type Routes = Pick<typeof routes, 'list' | 'ofProject' | 'create' | 'show' | 'logs' | 'stream' | 'start' | 'redeploy' | 'rollback' | 'cancel'>

export interface DeploymentHandlerParts extends CancelParts {
  readonly store: Store
  readonly outputs: OutputStore
  readonly feed: RunFeed
  readonly requestDeployment: RequestDeployment
}

/** Asking for deployments and looking at them. What is done with releases is in release-handlers.ts. */
export function createDeploymentHandlers(parts: DeploymentHandlerParts): Handlers<Routes> {
  const {store, outputs} = parts
  const ask = (wish: DeploymentWish, {principal}: RequestContext) => askFor(parts, wish, principal)
  return {
    async list({query}, {principal}) {
      return listDeployments(store, principal, query)
    },

    async ofProject({params, query}, {principal}) {
      const project = await getProject(store, params.id, principal, 'read')
      return listDeployments(store, principal, {...query, projectId: project.id})
    },

    async create({body}, request) {
      // Only code hosts deliver a push twice; whoever else names another trigger asked by hand.
      const trigger = body.trigger === 'webhook' || body.trigger === 'app' ? body.trigger : 'manual'
      const {deployment, skipped} = await ask({...body, trigger, actor: request.actor, kind: body.refresh ? 'refresh' : 'deploy'}, request)
      return {data: {...started(deployment, skipped), deployment: await toDeploymentView(store, deployment)}}
    },

    async start({body}, request) {
      const {uploadSessionId, serverId, ...wish} = body
      const {deployment, skipped} = await store.transaction(async (transaction) => {
        const project = await getProject(transaction, wish.projectId, request.principal, 'write')
        // Older clients say here where a project goes; null is that nothing was said.
        if (serverId != null && serverId !== project.serverId) await applyChange(parts, transaction, {id: project.id, change: {serverId}, principal: request.principal, actor: request.actor})
        return parts.requestDeployment(transaction, {...wish, trigger: 'manual', actor: request.actor, kind: body.refresh ? 'refresh' : 'deploy', uploadId: uploadSessionId})
      })
      return started(deployment, skipped)
    },

    async show({params}, {principal}) {
      return {data: await toWholeView(store, await getDeployment(store, params.id, principal, 'read'))}
    },

    async logs({params, query}, {principal}) {
      const record = await getDeployment(store, params.id, principal, 'read')
      return {data: await readDeploymentLog({store, outputs}, record.id, query)}
    },

    async stream({params, query}, {principal, lastEventId, signal}) {
      const record = await getDeployment(store, params.id, principal, 'read')
      const cursor = lastEventId ?? query.since
      // Refused while a refusal can still be an answer of its own.
      if (cursor !== undefined) await checkPosition(outputs, record.id, cursor)
      return streamDeployment(parts, {deploymentId: record.id, lastEventId: cursor, tail: query.tail, signal})
    },

    async redeploy({params, body}, request) {
      const before = await getDeployment(store, params.id, request.principal, 'write')
      const {projectId, branch, commitSha, environment, request: {uploadId}} = before
      const commit = body.useExistingCommit && commitSha !== null ? {commitSha} : {}
      const wish = {projectId, environment, ...commit, ...(branch !== null && {branch}), ...(uploadId !== null && {uploadId}), forceAll: true}
      const {deployment} = await ask({...wish, trigger: 'redeploy', actor: request.actor}, request)
      return started(deployment, false)
    },

    async rollback({params}, request) {
      const target = await getDeployment(store, params.id, request.principal, 'admin')
      const {deployment} = await store.transaction((transaction) =>
        parts.requestDeployment(transaction, {projectId: target.projectId, environment: target.environment, actor: request.actor, trigger: 'rollback', kind: 'rollback', rollbackOf: target.id}),
      )
      return {data: await toDeploymentView(store, deployment)}
    },

    async cancel({params}, {principal, actor}) {
      const record = await getDeployment(store, params.id, principal, 'admin')
      const cancelled = await store.transaction((transaction) => cancelDeployment(parts, transaction, record.id, actor))
      const message = cancelled.slot === null ? 'the deployment was cancelled' : 'the deployment is being cancelled; the release before it goes on'
      return {success: true as const, message}
    },
  }
}

async function askFor({store, requestDeployment}: DeploymentHandlerParts, wish: DeploymentWish, principal: Principal) {
  return store.transaction(async (transaction) => {
    await getProject(transaction, wish.projectId, principal, 'write')
    return requestDeployment(transaction, wish)
  })
}

function started(deployment: DeploymentRecord, skipped: boolean) {
  return {success: true as const, deployment_id: deployment.id, project_id: deployment.projectId, ...(skipped && {skipped})}
}

interface ListFilter {
  readonly projectId?: string | undefined
  readonly environment?: string | undefined
  readonly status?: DeploymentStatus | undefined
}

async function listDeployments(store: Store, principal: Principal, query: ListFilter & ListQuery) {
  const {data, ...rest} = await listPage(store, listSource(principal, query), query)
  return {success: true as const, ...rest, data: await Promise.all(data.map((record) => toDeploymentView(store, record)))}
}

function listSource(principal: Principal, {projectId, environment, status}: ListFilter) {
  const where = (record: DeploymentRecord) =>
    coversDeployment(principal, record, 'read') && (environment === undefined || record.environment === environment) && (status === undefined || record.status === status)
  if (projectId !== undefined) return {collection: Deployments, index: 'project' as const, key: [projectId], where}
  return {collection: Deployments, index: 'organization' as const, key: [principal.organizationId], where}
}

async function checkPosition(outputs: OutputStore, id: string, cursor: string): Promise<void> {
  const log = await outputs.find(id)
  const lines = log?.lines({cursor})[Symbol.asyncIterator]()
  await lines?.next()
  await lines?.return?.()
}

