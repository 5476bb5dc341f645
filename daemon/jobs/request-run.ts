import type {EndReason, RunStatus} from '../../src/contract/run.js'
import {Fault, invalidInput} from '../../src/contract/faults.js'
import {toInstant, type Clock} from '../clock.js'
import type {RecordEvent} from '../events/event-log.js'
import type {NewEvent} from '../events/record.js'
import {newId} from '../store/ids.js'
import type {Transaction} from '../store/store.js'
import type {Billing} from './billing.js'
import {RunPlans, Runs, type JobRecord, type RunPlan, type RunRecord} from './records.js'
import {decideOverlap, type OverlapDecision, type OverlapRule} from './run-overlap.js'
import {resolveParameters} from './run-parameters.js'
import type {RequestRun, RunRequest} from './run-request.js'

export interface RequestRunParts {
  readonly clock: Clock
  readonly billing: Billing
  readonly recordEvent: RecordEvent
}

const lateAfterMs = 10_000

/** A person who asks gets a refusal at once; what starts by itself leaves a run that says why it did not go. */
export function createRequestRun(parts: RequestRunParts): RequestRun {
  return async (transaction, request) => {
    const claimed = request.id === undefined ? undefined : await transaction.get(Runs, request.id)
    if (claimed !== undefined) return claimed
    const serverIds = chooseServers(request)
    const run = toNewRun(request, serverIds, toInstant(parts.clock.now()))
    if (request.missed === true) return skipRun(parts, transaction, request, {...run, endReason: 'misfire', error: 'missed while no scheduler was there to start it'})

    if (request.job.kind === 'system') return requestSystemRun(parts, transaction, request, run)
    const parameters = resolveParameters(request.job, request.parameters)
    const byHand = request.trigger === 'manual'
    if (byHand && parameters.errors.length > 0) throw invalidInput(parameters.errors)
    const overlap = await decideOverlap(transaction, toOverlapJob(request, parts.clock.now()), serverIds)
    if (overlap.skipped.size > 0 && overlap.skipped.size === serverIds.length) {
      if (byHand) throw toOverlapFault(request.job, overlap)
      return skipRun(parts, transaction, request, {...run, endReason: 'overlap', error: toOverlapText(overlap)})
    }
    if (byHand) await refuseUnpaid(parts, transaction, serverIds)
    const refusal = findRefusal(request, serverIds, parameters.errors)
    const queued = {...withSkipped(run, overlap), parameters: parameters.values}
    await transaction.insert(Runs, queued)
    await transaction.insert(RunPlans, toPlan(request, queued.id, overlap.after, refusal))
    for (const replaced of overlap.replaces) await replaceRun(transaction, replaced, queued.id)
    if (byHand) await parts.recordEvent(transaction, toEvent('job_run.requested', request, queued))
    return queued
  }
}

// System jobs have no plan: the executor finds what they do by their key.
async function requestSystemRun(parts: RequestRunParts, transaction: Transaction, request: RunRequest, run: RunRecord): Promise<RunRecord> {
  const [active] = await transaction.find(Runs, 'active', [true, run.jobKey])
  if (active !== undefined) {
    const error = `run ${active.id} is still going on`
    if (request.trigger === 'manual') throw new Fault('OVERLAP', `job ${run.jobKey} was not started: ${error}`, {details: {runIds: [active.id]}})
    return skipRun(parts, transaction, request, {...run, endReason: 'overlap', error})
  }
  await transaction.insert(Runs, run)
  if (request.trigger === 'manual') await parts.recordEvent(transaction, toEvent('job_run.requested', request, run))
  return run
}

// What makes up for missed runs comes all at once: those wait for each other, or making up would be skipping.
function toOverlapJob({job, trigger, scheduledFor}: RunRequest, nowMs: number): OverlapRule {
  const late = scheduledFor !== undefined && nowMs - Date.parse(scheduledFor) > lateAfterMs
  const madeUp = trigger === 'schedule' && job.misfire === 'all' && late && job.overlap !== 'allow'
  return {key: job.key, overlap: madeUp ? 'queue' : job.overlap, mayWait: madeUp ? Number.POSITIVE_INFINITY : 1}
}

function chooseServers({job, serverIds}: RunRequest): readonly string[] {
  if (serverIds === undefined) return job.serverIds
  const chosen = [...new Set(serverIds)]
  const strange = chosen.filter((id) => !job.serverIds.includes(id))
  if (strange.length > 0) throw invalidInput(strange.map((id) => ({path: '/serverIds', message: `${id} is not a server of this job`})))
  return chosen
}

function toNewRun(request: RunRequest, serverIds: readonly string[], now: string): RunRecord {
  const {job} = request
  return {
    id: request.id ?? newId('jrun'),
    jobKey: job.key,
    organizationId: job.organizationId,
    kind: job.kind,
    trigger: request.trigger,
    status: 'queued',
    endReason: null,
    active: true,
    serverIds: [...serverIds],
    attempt: 1,
    retryOf: request.retryOf ?? null,
    startedBy: request.actor.userId,
    scheduledFor: request.scheduledFor ?? null,
    parameters: null,
    startedAt: null,
    finishedAt: null,
    durationMs: null,
    exitCode: null,
    servers: serverIds.map((serverId) => toServerResult(serverId, 'queued', null, null)),
    summary: null,
    error: null,
    cancelRequestedBy: null,
    createdAt: now,
    progress: serverIds.map(() => ({attempt: 1, launch: 1, started: false, retryAt: null})),
    ...(request.causedBy === undefined ? {} : {causedBy: request.causedBy}),
    ...(request.prerequisites === undefined ? {} : {prerequisites: [...request.prerequisites]}),
  }
}

function toServerResult(serverId: string, status: RunStatus, endReason: EndReason | null, error: string | null): RunRecord['servers'][number] {
  return {serverId, status, endReason, exitCode: null, signal: null, error, startedAt: null, finishedAt: null, attempts: 0}
}

function withSkipped(run: RunRecord, overlap: OverlapDecision): RunRecord {
  const servers = run.servers.map((result) => {
    const blocking = overlap.skipped.get(result.serverId)
    return blocking === undefined ? result : toServerResult(result.serverId, 'skipped', 'overlap', `run ${blocking} is still going on there`)
  })
  return {...run, servers}
}

async function skipRun(parts: RequestRunParts, transaction: Transaction, request: RunRequest, run: RunRecord): Promise<RunRecord> {
  const {progress: _, ...ended} = run
  const skipped: RunRecord = {
    ...ended,
    status: 'skipped',
    active: false,
    finishedAt: run.createdAt,
    servers: run.serverIds.map((serverId) => toServerResult(serverId, 'skipped', run.endReason, run.error)),
  }
  await transaction.insert(Runs, skipped)
  await parts.recordEvent(transaction, toEvent('job_run.skipped', request, skipped))
  return skipped
}

function toOverlapText(overlap: OverlapDecision): string {
  return `${[...new Set(overlap.skipped.values())].map((id) => `run ${id}`).join(', ')} is still going on`
}

function toOverlapFault(job: JobRecord, overlap: OverlapDecision): Fault {
  const runIds = [...new Set(overlap.skipped.values())]
  const suggestions = runIds.slice(0, 1).map((id) => `runs show ${id}`)
  return new Fault('OVERLAP', `job ${job.key} was not started: ${toOverlapText(overlap)}`, {details: {runIds}, suggestions})
}

async function refuseUnpaid(parts: RequestRunParts, transaction: Transaction, serverIds: readonly string[]): Promise<void> {
  const refusal = await parts.billing(transaction, serverIds)
  if (refusal === undefined) return
  const {message, workspaceId, serverId} = refusal
  throw new Fault('CLOUD_BILLING_BLOCKED', message, {details: {workspaceId, serverId}})
}

function findRefusal({job, trigger}: RunRequest, serverIds: readonly string[], errors: readonly {path: string; message: string}[]): RunPlan['refusal'] {
  const [missing] = errors
  if (missing !== undefined) return {endReason: 'dependency', error: `started by ${trigger}, but parameter ${missing.path.slice('/parameters/'.length)} ${missing.message}`}
  return serverIds.length === 0 ? {endReason: 'dependency', error: `job ${job.key} has no server to run on`} : null
}

function toPlan({job, event}: RunRequest, id: string, after: readonly string[], refusal: RunPlan['refusal']): RunPlan {
  const {command, timeoutMs, retry, env, secrets, outputLimitBytes, separateStderr} = job
  const fixed = {command, timeoutMs, retry, env, secrets, outputLimitBytes, separateStderr}
  return {id, jobId: job.id, ...fixed, event: event ?? null, after: [...after], refusal, cancelActor: null}
}

async function replaceRun(transaction: Transaction, run: RunRecord, byRunId: string): Promise<void> {
  if (run.cancelRequestedBy === null) await transaction.put(Runs, {...run, cancelRequestedBy: `run:${byRunId}`})
}

function toEvent(type: 'job_run.requested' | 'job_run.skipped', request: RunRequest, run: RunRecord): NewEvent {
  const {job, actor} = request
  const payload = {label: job.label, jobKey: job.key, runId: run.id, status: run.status, trigger: run.trigger, endReason: run.endReason, error: run.error}
  return {type, organizationId: job.organizationId, resourceType: 'job', resourceId: job.key, actor, payload}
}
