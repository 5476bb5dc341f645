import {isDeepStrictEqual} from 'node:util'
import {z} from 'zod'
import {toInstant} from '../clock.js'
import {defineCollection} from '../store/collection.js'
import type {Store, Transaction} from '../store/store.js'
import type {DueTimes} from './due-times.js'
import {Jobs, type JobRecord} from './records.js'

const SchedulerRecord = z.object({
  id: z.literal('scheduler'),
  enabled: z.boolean(),
  /** Since when it is as it is. */
  since: z.string(),
  /** The zone that due times of jobs without their own were reckoned in. */
  timeZone: z.string(),
  /** When schedules were last off: what was due then was not missed. */
  lastOff: z.object({from: z.string(), until: z.string()}).nullable(),
})
type SchedulerRecord = z.output<typeof SchedulerRecord>

/** One row: what the scheduler must know of itself before it was started. */
export const SchedulerStates = defineCollection({name: 'scheduler_state', version: 1, schema: SchedulerRecord, indexes: {}})

/** A time in which schedules were off. */
export interface OffPeriod {
  readonly fromMs: number
  readonly untilMs: number
}

const batchSize = 500

/** Notes that schedules are on or off from now, and reckons anew what the zone of the instance decides if that changed. */
export async function noteSchedulerStart(store: Store, dueTimes: DueTimes, enabled: boolean, nowMs: number): Promise<OffPeriod | null> {
  const known = await store.get(SchedulerStates, 'scheduler')
  if (known !== undefined && known.timeZone !== dueTimes.timeZone) await moveToZone(store, dueTimes, nowMs)
  const state = toState(known, dueTimes.timeZone, enabled, toInstant(nowMs))
  if (isDeepStrictEqual(state, known)) return toOffPeriod(state)
  await store.transaction(async (transaction) => {
    if (known === undefined) await transaction.insert(SchedulerStates, state)
    else await transaction.put(SchedulerStates, state)
  })
  return toOffPeriod(state)
}

function toState(known: SchedulerRecord | undefined, timeZone: string, enabled: boolean, now: string): SchedulerRecord {
  if (known === undefined) return {id: 'scheduler', enabled, since: now, timeZone, lastOff: null}
  if (known.enabled === enabled) return {...known, timeZone}
  const lastOff = enabled ? {from: known.since, until: now} : known.lastOff
  return {...known, enabled, since: now, timeZone, lastOff}
}

function toOffPeriod({lastOff}: SchedulerRecord): OffPeriod | null {
  return lastOff === null ? null : {fromMs: Date.parse(lastOff.from), untilMs: Date.parse(lastOff.until)}
}

async function moveToZone(store: Store, dueTimes: DueTimes, nowMs: number): Promise<void> {
  const ids: string[] = []
  for await (const job of store.all(Jobs)) if (followsInstanceZone(job, nowMs)) ids.push(job.id)
  for (let start = 0; start < ids.length; start += batchSize) {
    const batch = ids.slice(start, start + batchSize)
    await store.transaction((transaction) => reckonAnew(transaction, batch, dueTimes, nowMs))
  }
}

// What was due already stays due; it is the future that the new zone decides.
function followsInstanceZone(job: JobRecord, nowMs: number): boolean {
  return job.timeZone === null && job.scheduleType === 'recurring' && job.nextDueAt !== null && Date.parse(job.nextDueAt) > nowMs
}

async function reckonAnew(transaction: Transaction, ids: readonly string[], dueTimes: DueTimes, nowMs: number): Promise<void> {
  for (const id of ids) {
    const job = await transaction.get(Jobs, id)
    if (job !== undefined && followsInstanceZone(job, nowMs)) await transaction.put(Jobs, {...job, ...dueTimes.dueAfter(job, nowMs)})
  }
}
