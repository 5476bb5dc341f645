import type {Clock} from '../clock.js'
import type {RecordEvent} from '../events/event-log.js'
import {systemActor} from '../events/record.js'
import {describeError, type Log} from '../log.js'
import type {Store} from '../store/store.js'
import type {Scheduler, SchedulerProgress} from './scheduler.js'

export interface WatchdogParts {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly recordEvent: RecordEvent
  readonly scheduler: Pick<Scheduler, 'progress'>
}

export interface WatchdogStatus {
  readonly healthy: boolean
  /** What is wrong, in words for people. */
  readonly message: string | null
}

export interface SchedulerWatchdog {
  /** Call it once the scheduler runs. */
  start(): void
  stop(): Promise<void>
  status(): WatchdogStatus
}

const checkMs = 30_000
// The scheduler wakes every minute at least, so three checks of its own timer without a tick mean that it stands still.
const checksWithoutTick = 4
// A fire is one transaction: one that has not ended for so long hangs.
const checksWithoutProgress = 10

export function createSchedulerWatchdog(parts: WatchdogParts): SchedulerWatchdog {
  return new Watchdog(parts)
}

/** Has a timer of its own and counts ticks rather than time, so neither a stuck scheduler nor a moved clock deceives it. */
class Watchdog implements SchedulerWatchdog {
  readonly #parts: WatchdogParts
  #cancelTimer: (() => void) | undefined
  #last: SchedulerProgress | undefined
  #withoutTick = 0
  #withoutProgress = 0
  #message: string | null = null
  /** What was reported last; differs from the present state until the report is stored. */
  #reportedHealthy = true
  #reporting: Promise<void> = Promise.resolve()

  constructor(parts: WatchdogParts) {
    this.#parts = parts
  }

  start(): void {
    if (this.#cancelTimer !== undefined) return
    this.#last = undefined
    this.#arm()
  }

  async stop(): Promise<void> {
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
    await this.#reporting
  }

  status(): WatchdogStatus {
    return {healthy: this.#message === null, message: this.#message}
  }

  #arm(): void {
    this.#cancelTimer = this.#parts.clock.after(checkMs, () => {
      this.#arm()
      this.#check()
    })
  }

  #check(): void {
    const now = this.#parts.scheduler.progress()
    const last = this.#last
    this.#last = now
    if (last === undefined) return
    this.#withoutTick = now.ticks === last.ticks ? this.#withoutTick + 1 : 0
    this.#withoutProgress = now.pending > 0 && now.settled === last.settled ? this.#withoutProgress + 1 : 0
    this.#message = this.#findTrouble()
    if ((this.#message === null) !== this.#reportedHealthy) this.#reporting = this.#reporting.then(() => this.#report())
  }

  #findTrouble(): string | null {
    if (this.#withoutTick >= checksWithoutTick) return `the scheduler has not looked at its schedules for ${(this.#withoutTick * checkMs) / 1000} seconds`
    if (this.#withoutProgress >= checksWithoutProgress) return `starting a scheduled job has not ended for ${(this.#withoutProgress * checkMs) / 1000} seconds`
    return null
  }

  async #report(): Promise<void> {
    const {store, log, recordEvent} = this.#parts
    const message = this.#message
    const healthy = message === null
    if (healthy === this.#reportedHealthy) return
    if (healthy) log.info('the scheduler goes on')
    else log.error(message)
    try {
      const event = {organizationId: null, resourceType: 'scheduler', resourceId: 'scheduler', actor: systemActor} as const
      await store.transaction((transaction) => recordEvent(transaction, {...event, type: healthy ? 'scheduler.recovered' : 'scheduler.stopped', payload: {message}}))
      this.#reportedHealthy = healthy
    } catch (error) {
      // Reported again at the next check: the store may be what is stuck.
      log.error('could not record the state of the scheduler', {error: describeError(error)})
    }
  }
}
