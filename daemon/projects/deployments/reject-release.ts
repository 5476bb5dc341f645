import {Fault} from '../../../src/contract/faults.js'
import type {Principal} from '../../access/principal.js'
import type {Actor} from '../../events/record.js'
import type {RunFeed} from '../../jobs/run-feed.js'
import type {Store, StoreReader, Transaction} from '../../store/store.js'
import {refuseWhileDeploying} from '../live/project-place.js'
import {Projects} from '../records.js'
import {getDeployment} from './deployment-access.js'
import {Deployments, Releases, type DeploymentRecord} from './records.js'
import type {RequestDeployment} from './request-deployment.js'

export interface RejectParts {
  readonly store: Store
  readonly feed: RunFeed
  readonly requestDeployment: RequestDeployment
}

export interface Rejection {
  readonly id: string
  readonly principal: Principal
  readonly actor: Actor
}

export interface Rejected {
  /** Whose release is served again. */
  readonly predecessor: DeploymentRecord
  /** The deployment that brings it back. */
  readonly restoring: DeploymentRecord
}

/** Asks for the release that was served before the live one. The live one counts as rejected once that is served: until then it is what there is. */
export async function rejectRelease(parts: RejectParts, transaction: Transaction, {id, principal, actor}: Rejection): Promise<Rejected> {
  const record = await getDeployment(transaction, id, principal, 'write')
  const project = await transaction.get(Projects, record.projectId)
  if (project === undefined || project.activeDeploymentId !== record.id) {
    throw new Fault('NOTHING_DEPLOYED', `${record.id} is not the release that is served`, {suggestions: [`deployments list --project ${project?.slug ?? record.projectId}`]})
  }
  await refuseWhileDeploying(transaction, project)
  const predecessor = await findPredecessor(transaction, record)
  if (predecessor === undefined) {
    throw new Fault('NO_PREDECESSOR', `no release that was served before ${record.id} is kept; deploy another commit, or stop ${project.name}`, {suggestions: [`deploy ${project.slug}`, `projects disable ${project.slug}`]})
  }
  const wish = {projectId: project.id, environment: record.environment, actor, trigger: 'rollback', kind: 'rollback' as const, rollbackOf: predecessor.id, rejects: record.id}
  return {predecessor, restoring: (await parts.requestDeployment(transaction, wish)).deployment}
}

// Back through what was served, past what was rejected too, to another release whose images and files are there.
async function findPredecessor(reader: StoreReader, record: DeploymentRecord): Promise<DeploymentRecord | undefined> {
  const own = record.rollbackOf ?? record.id
  const seen = new Set([record.id])
  for (let id = record.previousDeploymentId; id !== null && !seen.has(id); ) {
    seen.add(id)
    const before = await reader.get(Deployments, id)
    if (before === undefined) return undefined
    const isOther = before.id !== own && before.rollbackOf !== own
    if (isOther && before.status === 'ready' && before.retained && (await reader.get(Releases, before.id)) !== undefined) return before
    id = before.previousDeploymentId
  }
  return undefined
}

// Clients give up after five minutes.
const longestMs = 240_000

/** Settles when the release before is served; throws where it is not, or not yet. */
export async function untilRestored({store, feed}: RejectParts, {predecessor, restoring}: Rejected, signal: AbortSignal): Promise<void> {
  const watcher = feed.watch(restoring.id)
  const limit = AbortSignal.timeout(longestMs)
  try {
    for (;;) {
      const record = await store.get(Deployments, restoring.id)
      if (record?.status === 'ready') return
      if (record === undefined || record.slot === null) {
        throw new Fault('DEPLOYMENT_FAILED', `${predecessor.id} could not be brought back: ${record?.errorMessage ?? 'its deployment is gone'}`, {details: {deploymentId: restoring.id}, suggestions: [`deployments show ${restoring.id}`]})
      }
      await watcher.next(AbortSignal.any([signal, limit]))
    }
  } catch (error) {
    if (!limit.aborted || signal.aborted) throw error
    throw new Fault('WAIT_TIMEOUT', `deployment ${restoring.id}, which brings ${predecessor.id} back, goes on`, {details: {deploymentId: restoring.id}, suggestions: [`deployments watch ${restoring.id}`]})
  } finally {
    watcher.close()
  }
}
