import {toInstant} from '../clock.js'
import {systemActor} from '../events/record.js'
import type {Transaction} from '../store/store.js'
import type {DueTimes} from './due-times.js'
import {Jobs, type JobRecord} from './records.js'
import type {RequestRun} from './run-request.js'
import type {OffPeriod} from './scheduler-state.js'

export interface FireParts {
  readonly requestRun: RequestRun
  readonly dueTimes: DueTimes
  /** When schedules were last off; what was due then counts neither as due nor as missed. */
  readonly off: OffPeriod | null
}

/** A fire later than this was missed, and the job's misfire policy decides about it. */
export const missedAfterMs = 60_000

/** How many missed runs the policy `all` makes up for. */
const mostMadeUp = 100

/**
 * Starts what a job has due, in one transaction: reads the job as it is now, asks for its runs and stores when it is due next.
 * Answers that time, or null when nothing more is due.
 */
export async function fireJob(parts: FireParts, transaction: Transaction, key: string, nowMs: number): Promise<number | null> {
  const job = await transaction.findOne(Jobs, 'key', [key])
  if (job === undefined || !job.enabled || job.nextRunAt === null || job.nextDueAt === null) return null
  const runsAtMs = Date.parse(job.nextRunAt)
  if (runsAtMs > nowMs) return runsAtMs
  return job.scheduleType === 'once' ? fireOnce(parts, transaction, job, nowMs) : fireRecurring(parts, transaction, job, nowMs)
}

async function fireOnce({requestRun, off}: FireParts, transaction: Transaction, job: JobRecord, nowMs: number): Promise<null> {
  const dueAt = job.nextDueAt ?? toInstant(nowMs)
  const dueMs = Date.parse(dueAt)
  const late = nowMs - dueMs > missedAfterMs
  // Disarmed in the transaction that starts it: a crash leaves it armed and unstarted, or started and disarmed.
  const disarmed: JobRecord = {...job, enabled: false, runAt: null, nextDueAt: null, nextRunAt: null}
  await transaction.put(Jobs, disarmed)
  const missed = isWithin(off, dueMs) || (late && job.misfire === 'skip')
  await requestRun(transaction, {job: disarmed, trigger: 'once', actor: systemActor, scheduledFor: dueAt, ...(missed ? {missed} : {})})
  return null
}

async function fireRecurring(parts: FireParts, transaction: Transaction, job: JobRecord, nowMs: number): Promise<number | null> {
  const {requestRun, dueTimes} = parts
  const firstDueMs = Date.parse(job.nextDueAt ?? '')
  const following = dueTimes.dueAfter(job, firstDueMs)
  // The everyday case, in which nothing was missed, costs one step of the schedule.
  const isOnly = Date.parse(following.nextRunAt ?? '') > nowMs
  const [lastDueMs = firstDueMs] = isOnly ? [firstDueMs] : dueTimes.missedUntil(job, firstDueMs, nowMs, 1)
  const next = {...job, ...(isOnly ? following : dueTimes.dueAfter(job, lastDueMs))}
  await transaction.put(Jobs, next)
  const newest = (wanted: number) => (isOnly ? withoutOff(parts, [firstDueMs]) : dueFires(parts, job, nowMs, wanted))
  for (const {dueMs, missed} of chooseFires(dueTimes, job, nowMs, newest)) {
    const request = {job: next, trigger: 'schedule', actor: systemActor, scheduledFor: toInstant(dueMs)} as const
    await requestRun(transaction, missed ? {...request, missed} : request)
  }
  return next.nextRunAt === null ? null : Date.parse(next.nextRunAt)
}

interface Fire {
  readonly dueMs: number
  /** Only recorded, not run. */
  readonly missed: boolean
}

function chooseFires(dueTimes: DueTimes, job: JobRecord, nowMs: number, newest: (wanted: number) => number[]): Fire[] {
  if (job.misfire !== 'skip') return newest(job.misfire === 'all' ? mostMadeUp : 1).map((dueMs) => ({dueMs, missed: false}))
  const fires = newest(2)
  const late = fires.filter((dueMs) => nowMs - dueMs - dueTimes.jitterMs(job, dueMs) > missedAfterMs)
  const onTime = fires.filter((dueMs) => !late.includes(dueMs))
  // One row tells of an outage, however many fires fell into it.
  return [...late.slice(-1).map((dueMs) => ({dueMs, missed: true})), ...onTime.map((dueMs) => ({dueMs, missed: false}))]
}

function withoutOff({off}: Pick<FireParts, 'off'>, dueMs: readonly number[]): number[] {
  return dueMs.filter((atMs) => !isWithin(off, atMs))
}

/** The newest due times up to now, without those that fell in the time when schedules were off. */
function dueFires({dueTimes, off}: Pick<FireParts, 'dueTimes' | 'off'>, job: JobRecord, nowMs: number, wanted: number): number[] {
  const firstDueMs = Date.parse(job.nextDueAt ?? '')
  if (off === null || firstDueMs >= off.untilMs || nowMs < off.fromMs) return dueTimes.missedUntil(job, firstDueMs, nowMs, wanted)
  const before = firstDueMs < off.fromMs ? dueTimes.missedUntil(job, firstDueMs, off.fromMs - 1, wanted) : []
  const resumedMs = dueTimes.cronAfter(job, off.untilMs - 1)
  const isResumed = resumedMs + dueTimes.jitterMs(job, resumedMs) <= nowMs
  const after = isResumed ? dueTimes.missedUntil(job, resumedMs, nowMs, wanted) : []
  return [...before, ...after].slice(-wanted)
}

function isWithin(off: OffPeriod | null, atMs: number): boolean {
  return off !== null && atMs >= off.fromMs && atMs < off.untilMs
}
