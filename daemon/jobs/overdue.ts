import {toInstant, type Clock} from '../clock.js'
import type {RecordEvent} from '../events/event-log.js'
import {systemActor} from '../events/record.js'
import {describeError, type Log} from '../log.js'
import type {Store, Transaction} from '../store/store.js'
import {DueHeap} from './due-heap.js'
import {Jobs, type JobRecord} from './records.js'

export interface OverdueParts {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly recordEvent: RecordEvent
}

export interface OverdueWatch {
  start(): Promise<void>
  stop(): Promise<void>
  /** To be told of every job that was made, changed or deleted, after the commit. Successes need not be told. */
  jobChanged(key: string): void
}

const longestSleepMs = 60_000
const retryMs = 5_000

export function createOverdueWatch(parts: OverdueParts): OverdueWatch {
  return new DeadlineWatch(parts)
}

/**
 * Says `job.overdue` once when a job has not succeeded for as long as it should; the success that ends it says `job.recovered`.
 * One timer on the earliest deadline. A success only moves a deadline back, so it is looked at again when the old one comes.
 */
class DeadlineWatch implements OverdueWatch {
  readonly #parts: OverdueParts
  readonly #heap = new DueHeap()
  #running = false
  #starting: Promise<void> | undefined
  #cancelTimer: (() => void) | undefined
  #working: Promise<void> = Promise.resolve()

  constructor(parts: OverdueParts) {
    this.#parts = parts
  }

  start(): Promise<void> {
    this.#starting ??= this.#load()
    return this.#starting
  }

  async stop(): Promise<void> {
    await this.#starting?.catch(() => undefined)
    this.#starting = undefined
    this.#running = false
    this.#cancelTimer?.()
    await this.#working
    this.#heap.clear()
  }

  jobChanged(key: string): void {
    if (!this.#running) return
    this.#enqueue(async () => {
      const job = await this.#parts.store.findOne(Jobs, 'key', [key])
      this.#place(key, job === undefined ? null : lookAgainAt(job, this.#parts.clock.now()))
    })
  }

  async #load(): Promise<void> {
    this.#running = true
    for await (const job of this.#parts.store.all(Jobs)) this.#place(job.key, lookAgainAt(job, this.#parts.clock.now()))
    this.#arm()
  }

  #place(key: string, atMs: number | null): void {
    if (atMs === null) this.#heap.delete(key)
    else this.#heap.set(key, atMs)
  }

  // One after another: order matters more than speed here.
  #enqueue(work: () => Promise<void>): void {
    this.#working = this.#working
      .then(work)
      .catch((error: unknown) => this.#parts.log.error('could not look for overdue jobs', {error: describeError(error)}))
      .then(() => this.#arm())
  }

  #arm(): void {
    if (!this.#running) return
    this.#cancelTimer?.()
    const nextMs = this.#heap.nextAt
    if (nextMs === undefined) return
    const delayMs = Math.min(Math.max(1, nextMs - this.#parts.clock.now()), longestSleepMs)
    this.#cancelTimer = this.#parts.clock.after(delayMs, () => this.#enqueue(() => this.#lookAtDue()))
  }

  async #lookAtDue(): Promise<void> {
    const {store, clock} = this.#parts
    const nowMs = clock.now()
    for (let key = this.#heap.takeDue(nowMs); key !== undefined && this.#running; key = this.#heap.takeDue(nowMs)) {
      const due = key
      // Put back first: a write that fails is tried again, not lost.
      this.#heap.set(due, nowMs + retryMs)
      this.#place(due, await store.transaction((transaction) => this.#look(transaction, due, nowMs)))
    }
  }

  async #look(transaction: Transaction, key: string, nowMs: number): Promise<number | null> {
    const job = await transaction.findOne(Jobs, 'key', [key])
    const deadlineMs = job === undefined ? null : toDeadline(job)
    if (job === undefined || deadlineMs === null || job.overdue || deadlineMs > nowMs) return job === undefined ? null : lookAgainAt(job, nowMs)
    const {label, expectSuccessWithinMs, expectedSince} = job
    const late: JobRecord = {...job, overdue: true}
    await transaction.put(Jobs, late)
    await this.#parts.recordEvent(transaction, {
      type: 'job.overdue', organizationId: job.organizationId, resourceType: 'job', resourceId: key, actor: systemActor,
      payload: {label, jobKey: key, expectSuccessWithinMs, expectedSince, overdueAt: toInstant(deadlineMs)},
    })
    return lookAgainAt(late, nowMs)
  }
}

/** By when the next success is expected; null where none is. */
function toDeadline(job: JobRecord): number | null {
  if (!job.enabled || job.expectSuccessWithinMs === null || job.expectedSince === null) return null
  return Date.parse(job.expectedSince) + job.expectSuccessWithinMs
}

// A job that is overdue gets a new deadline by a success from now on, so not before the whole time has passed again.
function lookAgainAt(job: JobRecord, nowMs: number): number | null {
  const deadlineMs = toDeadline(job)
  return deadlineMs === null || job.expectSuccessWithinMs === null || !job.overdue ? deadlineMs : nowMs + job.expectSuccessWithinMs
}
