import {Fault, invalidInput} from '../../../src/contract/faults.js'
import {deploymentSteps} from '../../../src/contract/deployments.js'
import {toInstant, type Clock} from '../../clock.js'
import type {RecordEvent} from '../../events/event-log.js'
import type {Actor} from '../../events/record.js'
import {newId} from '../../store/ids.js'
import type {Transaction} from '../../store/store.js'
import {definitionOf} from '../app-definition.js'
import {Projects, Services, type ProjectRecord} from '../records.js'
import {UploadSessions} from '../sources/records.js'
import {chooseSource} from './choose-source.js'
import {toDeploymentEvent} from './deployment-events.js'
import {endDeployment} from './end-deployment.js'
import {Deployments, Releases, type DeploymentRecord} from './records.js'
import {isSameCommit} from './same-commit.js'

export interface DeploymentWish {
  readonly projectId: string
  readonly actor: Actor
  /** manual, webhook, redeploy, rollback, app … */
  readonly trigger: string
  /** `refresh` makes the containers anew from the images that are there, `rollback` brings a kept release back. */
  readonly kind?: 'deploy' | 'refresh' | 'rollback' | undefined
  readonly rollbackOf?: string | undefined
  /** The deployment that counts as rejected once this one is live. */
  readonly rejects?: string | undefined
  readonly branch?: string | undefined
  readonly commitSha?: string | undefined
  readonly commitMessage?: string | undefined
  readonly environment?: 'production' | 'preview' | undefined
  readonly forceAll?: boolean | undefined
  /** Ids or names; nothing and an empty list mean all. */
  readonly serviceIds?: readonly string[] | undefined
  readonly smartRoute?: boolean | undefined
  /** What the trigger knows of changed files; null where it can not tell. */
  readonly changedPaths?: readonly string[] | null | undefined
  readonly uploadId?: string | undefined
  /** What is done with volumes that a deleted project of the same slug left on the server. */
  readonly oldVolumes?: 'use' | 'wipe' | undefined
}

export interface RequestedDeployment {
  readonly deployment: DeploymentRecord
  /** The same commit is deployed already, or on its way: this is that deployment. */
  readonly skipped: boolean
}

/** Asks for a deployment in the caller's transaction. It begins when the transaction is stored; behind another one of its project it waits. */
export type RequestDeployment = (transaction: Transaction, wish: DeploymentWish) => Promise<RequestedDeployment>

export interface RequestDeploymentParts {
  readonly clock: Clock
  readonly recordEvent: RecordEvent
}

export function createRequestDeployment(parts: RequestDeploymentParts): RequestDeployment {
  return async (transaction, wish) => {
    const project = await transaction.get(Projects, wish.projectId)
    if (project === undefined) throw new Fault('NOT_FOUND', 'Not found')
    if (project.deletionInProgress) throw new Fault('PROJECT_DELETION_IN_PROGRESS', `${project.name} is being deleted`)
    const same = await findSame(transaction, project, wish)
    if (same !== undefined) return {deployment: same, skipped: true}
    await refuseImpossible(transaction, project, wish)
    await refuseMissingUpload(transaction, project, wish.uploadId)
    const targetServiceIds = await resolveTargets(transaction, project, wish.serviceIds)
    const slot = await takeSlot(parts, transaction, project)
    const now = toInstant(parts.clock.now())
    const uploadId = await uploadOf(transaction, project, wish)
    const deployment = toRecord({project, wish, targetServiceIds, uploadId, slot, now})
    await transaction.insert(Deployments, deployment)
    const forceDeployNext = project.forceDeployNext && deployment.request.kind !== 'deploy'
    await transaction.put(Projects, {...project, uploadId: wish.uploadId ?? project.uploadId, forceDeployNext})
    await parts.recordEvent(transaction, toDeploymentEvent('deployment.requested', {deployment, project, actor: wish.actor}))
    return {deployment, skipped: false}
  }
}

// Code hosts tell the same push more than once.
async function findSame(transaction: Transaction, project: ProjectRecord, {trigger, commitSha, forceAll}: DeploymentWish): Promise<DeploymentRecord | undefined> {
  if (trigger !== 'webhook' || commitSha === undefined || forceAll === true || project.forceDeployNext) return undefined
  const waiting = await transaction.findOne(Deployments, 'slot', [project.id, 'waiting'])
  const going = waiting ?? (await transaction.findOne(Deployments, 'slot', [project.id, 'active']))
  const last = going ?? (project.activeDeploymentId === null ? undefined : await transaction.get(Deployments, project.activeDeploymentId))
  return last !== undefined && isSameCommit(last.commitSha, commitSha) ? last : undefined
}

async function refuseImpossible(transaction: Transaction, project: ProjectRecord, wish: DeploymentWish): Promise<void> {
  const kind = wish.kind ?? 'deploy'
  if (kind === 'refresh' && project.activeDeploymentId === null) {
    throw new Fault('NOTHING_DEPLOYED', `nothing of ${project.name} is deployed that could be refreshed`, {suggestions: [`deploy ${project.slug}`]})
  }
  if (kind === 'rollback') {
    const target = await transaction.get(Deployments, wish.rollbackOf ?? '')
    const release = await transaction.get(Releases, wish.rollbackOf ?? '')
    if (target?.retained !== true || release === undefined) {
      throw new Fault('RELEASE_GONE', `the images and files of ${wish.rollbackOf ?? 'this release'} are not kept any more`, {
        suggestions: [target?.commitSha == null ? `deployments list --project ${project.slug}` : `deploy ${project.slug} --commit ${target.commitSha}`],
      })
    }
  }
  if (kind === 'deploy' && !(await hasSource(transaction, project, wish))) {
    throw new Fault('NOTHING_TO_DEPLOY', `${project.name} has no repository, image, upload, folder or services`, {suggestions: [`projects update ${project.slug} --image nginx:1.27`, 'deploy .']})
  }
}

// What is missing, of another organization or not sent yet is the same.
async function refuseMissingUpload(transaction: Transaction, {organizationId}: ProjectRecord, uploadId: string | undefined): Promise<void> {
  if (uploadId === undefined) return
  const session = await transaction.get(UploadSessions, uploadId)
  if (session === undefined || session.organizationId !== organizationId || session.receivedAt === null) {
    throw new Fault('NOT_FOUND', 'there is no such upload, or it is not kept any more; send the folder again', {suggestions: ['deploy .']})
  }
}

async function hasSource(transaction: Transaction, project: ProjectRecord, wish: DeploymentWish): Promise<boolean> {
  if (chooseSource(project, wish.uploadId ?? null).kind !== 'services') return true
  return (await transaction.count(Services, 'project', [project.id])) > 0
}

async function resolveTargets(transaction: Transaction, project: ProjectRecord, wanted: readonly string[] | undefined): Promise<string[] | null> {
  if (wanted === undefined || wanted.length === 0) return null
  const services = await transaction.find(Services, 'project', [project.id])
  const errors: {path: string; message: string}[] = []
  const ids = wanted.map((idOrName, index) => {
    const found = services.find(({id, name}) => id === idOrName || name === idOrName)
    if (found === undefined) errors.push({path: `/serviceIds/${index}`, message: `${idOrName} is not a service of ${project.name}`})
    return found?.id ?? idOrName
  })
  if (errors.length > 0) throw invalidInput(errors)
  return [...new Set(ids)]
}

// The store holds that a project has one of each; a newer request takes the place of one that still waits.
async function takeSlot(parts: RequestDeploymentParts, transaction: Transaction, project: ProjectRecord): Promise<'active' | 'waiting'> {
  const active = await transaction.findOne(Deployments, 'slot', [project.id, 'active'])
  if (active === undefined) return 'active'
  const waiting = await transaction.findOne(Deployments, 'slot', [project.id, 'waiting'])
  if (waiting !== undefined) {
    await endDeployment(parts, transaction, waiting, {status: 'cancelled', endReason: 'superseded', errorMessage: 'a newer deployment took its place while it waited'})
  }
  return 'waiting'
}

// It is kept as long as the release is, so that images can be built from it again.
async function uploadOf(transaction: Transaction, project: ProjectRecord, {kind = 'deploy', uploadId, rollbackOf}: DeploymentWish): Promise<string | null> {
  const source = chooseSource(project, uploadId ?? null)
  if (kind === 'deploy') return source.kind === 'upload' ? source.uploadId : null
  const origin = kind === 'rollback' ? rollbackOf : project.activeDeploymentId
  return (await transaction.get(Deployments, origin ?? ''))?.request.uploadId ?? null
}

interface NewDeployment {
  readonly project: ProjectRecord
  readonly wish: DeploymentWish
  readonly targetServiceIds: string[] | null
  readonly uploadId: string | null
  readonly slot: 'active' | 'waiting'
  readonly now: string
}

function toRecord({project, wish, targetServiceIds, uploadId, slot, now}: NewDeployment): DeploymentRecord {
  const kind = wish.kind ?? 'deploy'
  return {
    id: newId('dep'),
    projectId: project.id,
    organizationId: project.organizationId,
    serverId: project.serverId,
    branch: wish.branch ?? null,
    commitSha: wish.commitSha?.toLowerCase() ?? null,
    commitMessage: wish.commitMessage ?? null,
    commitShaBefore: null,
    trigger: wish.trigger,
    requestedBy: wish.actor.userId,
    environment: wish.environment ?? 'production',
    status: 'queued',
    endReason: null,
    version: null,
    steps: deploymentSteps.map((step) => ({step, status: 'pending', startedAt: null, finishedAt: null})),
    previousDeploymentId: null,
    restoredDeploymentId: null,
    rollbackOf: kind === 'rollback' ? (wish.rollbackOf ?? null) : null,
    errorMessage: null,
    errorCode: null,
    errorDetails: null,
    warningMessage: null,
    buildDurationMs: null,
    durationMs: null,
    interruptionMs: null,
    forceAll: (wish.forceAll ?? false) || (project.forceDeployNext && kind === 'deploy'),
    refresh: kind === 'refresh',
    targetServiceIds,
    changedPaths: wish.changedPaths == null ? null : wish.changedPaths.slice(0, 1000),
    changedPathsTruncated: wish.changedPaths === null || (wish.changedPaths?.length ?? 0) > 1000,
    pinned: false,
    createdAt: now,
    startedAt: null,
    finishedAt: null,
    updatedAt: now,
    request: {
      kind,
      uploadId,
      smartRoute: wish.smartRoute ?? false,
      oldVolumes: wish.oldVolumes ?? null,
      useExistingCommit: wish.commitSha !== undefined,
      rejects: wish.rejects ?? null,
      cancelRequestedBy: null,
      cancelActor: null,
    },
    app: project.isApp ? {hasSetup: (definitionOf(project)?.prepare ?? []).length > 0} : null,
    slot,
    stage: 'before-up',
    attempt: 0,
    outputBytes: 0,
    retained: false,
  }
}
