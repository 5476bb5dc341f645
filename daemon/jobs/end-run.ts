import {Fault} from '../../src/contract/faults.js'
import {toInstant, type Clock} from '../clock.js'
import type {RecordEvent} from '../events/event-log.js'
import {systemActor, type Actor, type NewEvent} from '../events/record.js'
import type {Transaction} from '../store/store.js'
import {Jobs, RunPlans, Runs, type JobRecord, type RunPlan, type RunRecord} from './records.js'
import {toRunOutcome, type RunOutcome} from './run-outcome.js'
import type {RequestRun} from './run-request.js'
import {startDependents, startFailureJobs} from './start-followers.js'

export interface EndRunParts {
  readonly clock: Clock
  readonly recordEvent: RecordEvent
  readonly requestRun: RequestRun
  /** False while schedules are off: then nothing starts by itself, dependents neither. */
  readonly triggersEnabled: () => boolean
}

export interface RunEnding {
  readonly outputBytes: number
  /** Jobs that may be waiting for a success of this one. */
  readonly dependents: readonly string[]
  /** Instead of what the servers' results amount to. */
  readonly outcome?: RunOutcome
}

/** Everything that the end of a run means, in the transaction that ends it. Answers the run as it stays. */
export async function endRun(parts: EndRunParts, transaction: Transaction, run: RunRecord, ending: RunEnding): Promise<RunRecord> {
  const plan = await transaction.get(RunPlans, run.id)
  const ended = toEnded(run, ending.outcome ?? toRunOutcome(run.servers), toInstant(parts.clock.now()), ending.outputBytes)
  await transaction.put(Runs, ended)
  await transaction.delete(RunPlans, run.id)
  const job = await transaction.findOne(Jobs, 'key', [run.jobKey])
  if (run.kind === 'custom') await parts.recordEvent(transaction, toEndEvent(ended, job, plan))
  if (ended.status === 'success' && job !== undefined) await noteSuccess(parts, transaction, job, ended)
  if (!parts.triggersEnabled()) return ended
  if (ended.status === 'success') await startDependents(transaction, parts.requestRun, ended, ending.dependents)
  if (ended.status === 'failed' && job !== undefined) await startFailureJobs(transaction, parts.requestRun, ended, job)
  return ended
}

function toEnded(run: RunRecord, outcome: RunOutcome, now: string, outputBytes: number): RunRecord {
  const {progress: _, ...rest} = run
  const {status, endReason, exitCode, error} = outcome
  const durationMs = run.startedAt === null ? null : Math.max(0, Date.parse(now) - Date.parse(run.startedAt))
  return {...rest, status, endReason, exitCode, error, active: false, finishedAt: now, durationMs, outputBytes}
}

const endEvents = {success: 'job_run.succeeded', failed: 'job_run.failed', cancelled: 'job_run.cancelled'} as const

function toEndEvent(run: RunRecord, job: JobRecord | undefined, plan: RunPlan | undefined): NewEvent {
  if (run.status !== 'success' && run.status !== 'failed' && run.status !== 'cancelled') throw new Fault('INTERNAL', `run ${run.id} ended as ${run.status}`)
  const actor: Actor = run.status === 'cancelled' ? (plan?.cancelActor ?? systemActor) : systemActor
  return toRunEvent(endEvents[run.status], run, job, actor)
}

/** An event about a run; notifications name the job and the exit code from it. */
export function toRunEvent(type: NewEvent['type'], run: RunRecord, job: JobRecord | undefined, actor: Actor): NewEvent {
  const {status, endReason, exitCode, error, trigger} = run
  const payload = {label: job?.label ?? run.jobKey, jobKey: run.jobKey, runId: run.id, status, endReason, exitCode, error, trigger}
  return {type, organizationId: run.organizationId, resourceType: 'job', resourceId: run.jobKey, actor, payload}
}

async function noteSuccess(parts: EndRunParts, transaction: Transaction, job: JobRecord, run: RunRecord): Promise<void> {
  if (job.expectSuccessWithinMs === null) return
  await transaction.put(Jobs, {...job, expectedSince: run.finishedAt, overdue: false})
  if (!job.overdue) return
  const payload = {label: job.label, jobKey: job.key, runId: run.id}
  await parts.recordEvent(transaction, {type: 'job.recovered', organizationId: job.organizationId, resourceType: 'job', resourceId: job.key, actor: systemActor, payload})
}
