import {Fault} from '../../src/contract/faults.js'
import {toInstant, type Clock} from '../clock.js'
import {describeError, type Log} from '../log.js'
import type {Store} from '../store/store.js'
import {DueHeap} from './due-heap.js'
import {DueTimes} from './due-times.js'
import {fireJob} from './fire-job.js'
import {Jobs, type JobRecord} from './records.js'
import type {RequestRun} from './run-request.js'
import {noteSchedulerStart, type OffPeriod} from './scheduler-state.js'

export interface SchedulerParts {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  /** Whether schedules run on this instance. */
  readonly enabled: boolean
  /** Of jobs that name none. */
  readonly timeZone: string
  readonly requestRun: RequestRun
}

export interface SchedulerStatus {
  readonly state: 'off' | 'stopped' | 'running'
  readonly lastTickAt: string | null
  readonly nextFireAt: string | null
}

/** Counters that a watchdog compares; they know nothing of the wall clock, which may jump. */
export interface SchedulerProgress {
  readonly ticks: number
  readonly settled: number
  readonly pending: number
}

export interface Scheduler {
  start(): Promise<void>
  stop(): Promise<void>
  /** To be told of every job that was made, changed or deleted, after the commit. */
  jobChanged(key: string): void
  status(): SchedulerStatus
  progress(): SchedulerProgress
}

// Timers run on another clock than schedules: a wall clock that was put forward is noticed this late at the most.
const longestSleepMs = 60_000
const mostAtOnce = 1_000
const firstRetryMs = 1_000
const longestRetryMs = 60_000
const noticedJumpMs = 10_000

export function createScheduler(parts: SchedulerParts): Scheduler {
  return new HeapScheduler(parts)
}

/** One heap of instants and job keys, and one timer for all of them. */
class HeapScheduler implements Scheduler {
  readonly #parts: SchedulerParts
  readonly #dueTimes: DueTimes
  readonly #heap = new DueHeap()
  /** Jobs whose fire or re-reading is under way, and whether they were changed meanwhile. */
  readonly #busy = new Map<string, {changed: boolean; done: Promise<void>}>()
  readonly #retries = new Map<string, number>()
  #off: OffPeriod | null = null
  #running = false
  #starting: Promise<void> | undefined
  #changedWhileLoading: Set<string> | undefined
  #cancelTimer: (() => void) | undefined
  #wakeAtMs = 0
  #pausedUntilMs = 0
  #pauseMs = firstRetryMs
  #lastTickMs: number | undefined
  #ticks = 0
  #settled = 0

  constructor(parts: SchedulerParts) {
    this.#parts = parts
    this.#dueTimes = new DueTimes(parts.timeZone)
  }

  start(): Promise<void> {
    this.#starting ??= this.#load()
    return this.#starting
  }

  async stop(): Promise<void> {
    // A start that failed has been reported to whoever started it.
    await this.#starting?.catch(() => undefined)
    this.#starting = undefined
    this.#running = false
    this.#cancelTimer?.()
    while (this.#busy.size > 0) await Promise.all([...this.#busy.values()].map((busy) => busy.done))
    this.#heap.clear()
    this.#retries.clear()
  }

  jobChanged(key: string): void {
    this.#changedWhileLoading?.add(key)
    if (!this.#running) return
    const busy = this.#busy.get(key)
    if (busy === undefined) this.#work(key, () => this.#refresh(key))
    else busy.changed = true
  }

  status(): SchedulerStatus {
    const state = !this.#parts.enabled ? 'off' : this.#running ? 'running' : 'stopped'
    const nextAt = this.#heap.nextAt
    return {
      state,
      lastTickAt: this.#lastTickMs === undefined ? null : toInstant(this.#lastTickMs),
      nextFireAt: !this.#running || nextAt === undefined ? null : toInstant(nextAt),
    }
  }

  progress(): SchedulerProgress {
    return {ticks: this.#ticks, settled: this.#settled, pending: this.#busy.size}
  }

  async #load(): Promise<void> {
    const {store, clock, enabled, log} = this.#parts
    try {
      this.#off = await noteSchedulerStart(store, this.#dueTimes, enabled, clock.now())
    } catch (error) {
      // A full disk must not keep schedules from being shown, nor those that still can from running.
      log.warn('could not note that the scheduler starts', {error: describeError(error)})
    }
    if (!enabled) return
    this.#changedWhileLoading = new Set()
    for await (const job of store.all(Jobs)) this.#place(job.key, job)
    this.#running = true
    const changed = this.#changedWhileLoading
    this.#changedWhileLoading = undefined
    for (const key of changed) this.jobChanged(key)
    this.#tick()
  }

  #place(key: string, job: JobRecord | undefined): void {
    if (job === undefined || !job.enabled || job.nextRunAt === null) this.#heap.delete(key)
    else this.#heap.set(key, Date.parse(job.nextRunAt))
  }

  async #refresh(key: string): Promise<void> {
    this.#place(key, await this.#parts.store.findOne(Jobs, 'key', [key]))
  }

  #tick(): void {
    if (!this.#running) return
    const nowMs = this.#parts.clock.now()
    this.#ticks++
    this.#lastTickMs = nowMs
    while (nowMs >= this.#pausedUntilMs && this.#busy.size < mostAtOnce) {
      const key = this.#heap.takeDue(nowMs)
      if (key === undefined) break
      this.#work(key, () => this.#fire(key))
    }
    this.#arm(nowMs)
  }

  #arm(nowMs: number): void {
    this.#cancelTimer?.()
    const dueMs = Math.max(this.#heap.nextAt ?? Infinity, this.#pausedUntilMs)
    // With all hands full, the next fire waits for one that ends, not for a timer.
    const waitMs = this.#busy.size < mostAtOnce ? Math.max(1, dueMs - nowMs) : longestSleepMs
    const delayMs = Math.min(waitMs, longestSleepMs)
    this.#wakeAtMs = nowMs + delayMs
    this.#cancelTimer = this.#parts.clock.after(delayMs, () => {
      this.#noticeJump()
      this.#tick()
    })
  }

  #noticeJump(): void {
    const movedMs = this.#parts.clock.now() - this.#wakeAtMs
    if (Math.abs(movedMs) >= noticedJumpMs) this.#parts.log.warn('the clock was moved, or the machine slept', {movedMs})
  }

  #work(key: string, work: () => Promise<void>): void {
    const busy = {changed: false, done: Promise.resolve()}
    this.#busy.set(key, busy)
    busy.done = this.#settle(key, busy, work)
  }

  async #settle(key: string, busy: {changed: boolean}, work: () => Promise<void>): Promise<void> {
    try {
      await work()
      while (busy.changed) {
        busy.changed = false
        await this.#refresh(key)
      }
      this.#retries.delete(key)
    } catch (error) {
      this.#tryAgain(key, error)
    }
    this.#settled++
    this.#busy.delete(key)
    this.#tick()
  }

  async #fire(key: string): Promise<void> {
    const {store, clock, requestRun} = this.#parts
    const fireParts = {requestRun, dueTimes: this.#dueTimes, off: this.#off}
    const nextMs = await store.transaction((transaction) => fireJob(fireParts, transaction, key, clock.now()))
    if (nextMs !== null) this.#heap.set(key, nextMs)
    this.#pauseMs = firstRetryMs
  }

  #tryAgain(key: string, error: unknown): void {
    const nowMs = this.#parts.clock.now()
    if (error instanceof Fault && error.code === 'STORE_FULL') {
      // No job can be started; one message and one wait for all of them.
      if (nowMs >= this.#pausedUntilMs) {
        this.#parts.log.error('schedules wait for room on the disk', {retryMs: this.#pauseMs, error: error.message})
        this.#pausedUntilMs = nowMs + this.#pauseMs
        this.#pauseMs = Math.min(this.#pauseMs * 2, longestRetryMs)
      }
      this.#retries.set(key, 0)
      this.#heap.set(key, nowMs)
      return
    }
    const failures = (this.#retries.get(key) ?? 0) + 1
    const retryMs = Math.min(firstRetryMs * 2 ** failures, longestRetryMs)
    this.#parts.log.error('a scheduled job could not be started and is tried again', {jobKey: key, retryMs, error: describeError(error)})
    this.#retries.set(key, failures)
    this.#heap.set(key, nowMs + retryMs)
  }
}
