import {Fault} from '../../../src/contract/faults.js'
import type {projectRoutes} from '../../../src/contract/projects.js'
import type {HandlerResult} from '../../../src/contract/route.js'
import type {Clock} from '../../clock.js'
import type {Engines} from '../../servers/engine/engine.js'
import type {DeletionWish} from '../project-runtime.js'
import {disconnectLink} from '../connections/connect.js'
import {consumersOf} from '../connections/consumers.js'
import type {Sealer} from '../../store/secrets.js'
import type {Store} from '../../store/store.js'
import {Projects, type ProjectRecord} from '../records.js'
import type {Sources} from '../sources/source.js'
import {cancelDeployments, openDeployments} from './cancel-deployments.js'
import {deleteRecords, type DeleteRecordsParts} from './delete-records.js'
import {findTraces, serversOf} from './project-traces.js'
import {removeTraces} from './remove-traces.js'

export type DeletionResult = HandlerResult<typeof projectRoutes.delete>
type Step = DeletionResult['steps'][number]

export interface DeleteProjectParts extends DeleteRecordsParts {
  /** Of what was fetched and uploaded. */
  readonly sources: Pick<Sources, 'forget'>
  readonly clock: Clock
  readonly engines: Engines
  readonly sealer: Sealer
  readonly limits: {readonly cancelMs: number; readonly cleanupMs: number}
}

/** Deletes a project; its row goes last. Where its server hangs it ends within the limits, and everything stays unless it may be orphaned. */
export async function deleteProject(parts: DeleteProjectParts, project: ProjectRecord, wish: DeletionWish, signal: AbortSignal): Promise<DeletionResult> {
  const steps: Step[] = [await claim(parts, project, wish)]
  try {
    const present = await parts.store.get(Projects, project.id)
    if (present === undefined) return {ok: true, message: 'Project is gone already', steps, orphaned: [], unlinked: []}
    steps.push({step: 'load_project', status: 'ok'}, await cancelInFlight(parts, present, wish, signal))
    const {step, orphaned} = await cleanUp(parts, present, wish, signal)
    steps.push(step)
    const failed = steps.find(({status}) => status === 'failed')
    if (failed !== undefined && wish.forceOrphan !== true && wish.recordOnly !== true) throw teardownFailed(present, failed, steps)
    const unlinked = await unlinkConsumers(parts, present, wish)
    steps.push({step: 'unlink_consumers', ...(unlinked.length === 0 ? {status: 'skipped', details: 'no project uses it'} : {status: 'ok', details: `${unlinked.join(', ')} are gone with the next deployment there`})})
    await parts.sources.forget(present.id)
    await deleteRecords(parts, present, {actor: wish.actor, payload: {recordOnly: wish.recordOnly === true, volumesRemoved: wish.wipeVolumes === true, orphaned}})
    steps.push({step: 'delete_db_row', status: 'ok'})
    const message = orphaned.length === 0 ? 'Project deleted' : 'Project deleted; some of it is left on its server'
    return {ok: true, message, steps, orphaned, unlinked}
  } catch (error) {
    await release(parts, project.id)
    throw error
  }
}

async function claim({store}: DeleteProjectParts, {id}: ProjectRecord, {force}: DeletionWish): Promise<Step> {
  await store.transaction(async (transaction) => {
    const project = await transaction.get(Projects, id)
    if (project === undefined) throw new Fault('NOT_FOUND', 'Not found')
    const deploymentIds = (await openDeployments(transaction, id)).map((deployment) => deployment.id)
    if (deploymentIds.length > 0 && force !== true) {
      const active = {hasActiveDeployment: true, hasActiveBackup: false, hasActiveBackupRestore: false, deploymentIds, backupRunIds: [], backupRestoreIds: []}
      throw new Fault('PROJECT_HAS_ACTIVE_WORK', `a deployment of ${project.name} is going on`, {details: {active}, suggestions: [`projects delete ${project.slug} --force`]})
    }
    await transaction.put(Projects, {...project, deletionInProgress: true})
  })
  return {step: 'claim_lock', status: 'ok'}
}

/** After a start: what a daemon that was killed had begun to delete can be deployed again, or deleted. */
export async function releaseDeletions(store: Store): Promise<void> {
  for await (const {id, deletionInProgress} of store.all(Projects)) if (deletionInProgress) await release({store}, id)
}

async function release({store}: Pick<DeleteProjectParts, 'store'>, id: string): Promise<void> {
  await store.transaction(async (transaction) => {
    const project = await transaction.get(Projects, id)
    if (project !== undefined) await transaction.put(Projects, {...project, deletionInProgress: false})
  })
}

async function cancelInFlight(parts: DeleteProjectParts, project: ProjectRecord, {actor}: DeletionWish, signal: AbortSignal): Promise<Step> {
  const step = 'cancel_in_flight'
  const open = await openDeployments(parts.store, project.id)
  if (open.length === 0) return {step, status: 'skipped'}
  const left = await cancelDeployments(parts, {projectId: project.id, actor, waitMs: parts.limits.cancelMs, signal})
  signal.throwIfAborted()
  if (left.length === 0) return {step, status: 'ok', details: `${open.length} cancelled`}
  return {step, status: 'failed', error: `${left.join(', ')} did not come to an end`}
}

async function cleanUp(parts: DeleteProjectParts, project: ProjectRecord, {recordOnly, wipeVolumes}: DeletionWish, signal: AbortSignal): Promise<{step: Step; orphaned: string[]}> {
  const step = 'runtime_cleanup'
  const servers = await serversOf(parts.store, project)
  if (recordOnly === true || servers.length === 0) return {step: {step, status: 'skipped', details: recordOnly === true ? 'everything stays on the server' : 'nothing was deployed'}, orphaned: []}
  const limit = AbortSignal.any([signal, AbortSignal.timeout(parts.limits.cleanupMs)])
  const orphaned: string[] = []
  let removed = 0
  for (const serverId of servers) {
    try {
      const traces = await findTraces(parts, project, {serverId, signal: limit})
      const result = await removeTraces(traces, {wipeVolumes: wipeVolumes === true, signal: limit})
      removed += result.removed
      orphaned.push(...result.left)
    } catch (error) {
      signal.throwIfAborted()
      const why = limit.aborted ? 'it did not answer in time' : error instanceof Error ? error.message : String(error)
      orphaned.push(`everything of moorage-${project.slug} on ${serverId ?? 'the machine of the daemon'}: ${why}`)
    }
  }
  if (orphaned.length === 0) return {step: {step, status: 'ok', details: `${removed} taken away`}, orphaned}
  return {step: {step, status: 'failed', error: orphaned.join('; ')}, orphaned}
}

// Their containers keep what they have until they are deployed again.
async function unlinkConsumers(parts: DeleteProjectParts, {id}: ProjectRecord, {actor}: DeletionWish): Promise<string[]> {
  return parts.store.transaction(async (transaction) => {
    const consumers = await consumersOf(transaction, id)
    for (const {link} of consumers) await disconnectLink(parts, transaction, {link, actor})
    return consumers.map(({link, target}) => `${link.envKey} of ${target.name}`)
  })
}

function teardownFailed({name, slug}: ProjectRecord, failed: Step, steps: readonly Step[]): Fault {
  return new Fault('PROJECT_TEARDOWN_FAILED', `${name} is not deleted: ${failed.error ?? failed.step}`, {
    details: {canForceOrphan: true, steps}, suggestions: [`projects delete ${slug} --force-orphan`],
  })
}
