import type {deploymentRoutes} from '../../../src/contract/deployments.js'
import {Fault} from '../../../src/contract/faults.js'
import type {HandlerResult} from '../../../src/contract/route.js'
import type {Handlers, StreamFrame} from '../../http/handlers.js'
import {Projects, type ProjectRecord} from '../records.js'
import {getDeployment} from './deployment-access.js'
import {progressOf} from './deployment-book.js'
import {streamDeployment, type DeploymentStreamParts} from './deployment-stream.js'
import {readLogPage} from './read-log.js'
import {ServiceOutcomes, type DeploymentRecord} from './records.js'

type Routes = Pick<typeof deploymentRoutes, 'build' | 'followBuild' | 'respond' | 'keep'>
type BuildStatus = HandlerResult<typeof deploymentRoutes.build>

const shownLines = 2000

/** Deployments as older clients look at them: a build that is started, followed and asked about. */
export function createBuildHandlers(parts: DeploymentStreamParts): Handlers<Routes> {
  const {store} = parts
  return {
    async build({params}, {principal}) {
      const record = await getDeployment(store, params.id, principal, 'read')
      const project = await store.get(Projects, record.projectId)
      const services = await store.find(ServiceOutcomes, 'deployment', [record.id])
      const {entries, cursor} = await readLogPage(parts, record.id, {tail: shownLines})
      return {
        success: true as const, deployment_id: record.id, project_id: record.projectId, status: shownStatus[record.status], deploymentStatus: record.status, is_active: record.slot !== null,
        ...progressOf(record), steps: record.steps, services, logs: entries.map(({message}) => `${message}\n`).join(''), logEntries: entries, lastEventId: cursor,
        errorMessage: record.errorMessage, errorCode: record.errorCode, config: toConfig(record, project),
      }
    },

    async followBuild({params}, {principal, lastEventId, signal}) {
      const {id, projectId} = await getDeployment(store, params.id, principal, 'write')
      return withStart({deployment_id: id, project_id: projectId}, streamDeployment(parts, {deploymentId: id, lastEventId, tail: undefined, signal}))
    },

    async respond({params}, {principal}) {
      await getDeployment(store, params.id, principal, 'write')
      return {success: false}
    },

    async keep({params}, {principal}) {
      const {id, status} = await getDeployment(store, params.id, principal, 'write')
      throw new Fault('NO_DECISION', `${id} is ${status}; no decision about it is open`, {details: {status}, suggestions: [`deployments show ${id}`]})
    },
  }
}

const shownStatus = {
  queued: 'queued', building: 'building', deploying: 'deploying', reconciling: 'deploying', ready: 'ready', no_changes: 'ready', partial_failure: 'ready', rejected: 'failed', failed: 'failed',
  action_required: 'failed', cancelled: 'cancelled',
} as const satisfies Record<DeploymentRecord['status'], BuildStatus['status']>

async function* withStart(which: {readonly deployment_id: string; readonly project_id: string}, frames: AsyncIterable<StreamFrame>): AsyncGenerator<StreamFrame> {
  yield {data: {type: 'started', ...which}}
  yield* frames
}

function toConfig({environment, branch, commitSha}: DeploymentRecord, project: ProjectRecord | undefined): BuildStatus['config'] {
  const {framework = 'unknown', packageManager = 'npm', installCommand = null, buildCommand = null, startCommand = null, outputDirectory = null, rootDirectory = null, port = 3000} = project ?? {}
  return {environment, branch, commitSha, framework, packageManager, installCommand, buildCommand, startCommand, outputDirectory, rootDirectory, port}
}
