import {createHash} from 'node:crypto'
import {ScheduleCache} from '../../src/schedule/schedule-cache.js'
import {toInstant} from '../clock.js'
import type {JobRecord} from './records.js'

/** What is stored with a job of when it is due. */
export type DueFields = Pick<JobRecord, 'nextDueAt' | 'nextRunAt'>

type Scheduled = Pick<JobRecord, 'key' | 'scheduleType' | 'cronExpression' | 'timeZone' | 'runAt' | 'jitterSeconds' | 'enabled'>

const nothingDue: DueFields = {nextDueAt: null, nextRunAt: null}

/** When jobs are due. The one place that reckons it: for what is shown, what is stored and what is fired. */
export class DueTimes {
  /** Of jobs that name no zone. */
  readonly timeZone: string
  readonly #cache: ScheduleCache

  constructor(timeZone: string, cache = new ScheduleCache()) {
    this.timeZone = timeZone
    this.#cache = cache
  }

  zoneOf(job: Pick<JobRecord, 'timeZone'>): string {
    return job.timeZone ?? this.timeZone
  }

  /** What to store with a job that was just made, changed or fired: its first due time strictly after an instant. */
  dueAfter(job: Scheduled, afterMs: number): DueFields {
    if (!job.enabled || job.scheduleType === 'manual') return nothingDue
    if (job.scheduleType === 'once') return {nextDueAt: job.runAt, nextRunAt: job.runAt}
    if (job.cronExpression === null) return nothingDue
    const dueMs = this.cronAfter(job, afterMs)
    return {nextDueAt: toInstant(dueMs), nextRunAt: toInstant(dueMs + this.jitterMs(job, dueMs))}
  }

  cronAfter(job: Pick<Scheduled, 'cronExpression' | 'timeZone'>, afterMs: number): number {
    return this.#cache.nextFire(job.cronExpression ?? '', this.zoneOf(job), afterMs)
  }

  /** How long after a due time the job really starts: the same for the same job and time, and less than the time to the next. */
  jitterMs(job: Scheduled, dueMs: number): number {
    if (job.jitterSeconds === 0 || job.scheduleType !== 'recurring') return 0
    const gapMs = this.cronAfter(job, dueMs) - dueMs
    const spreadMs = Math.min(job.jitterSeconds * 1000 + 1, gapMs)
    return createHash('sha256').update(`${job.key} ${dueMs}`).digest().readUIntBE(0, 6) % spreadMs
  }

  /**
   * The newest due times of a recurring job that are not later than an instant, oldest first, beginning with the one that is stored.
   * Looks back from the end in growing steps: a job may have missed millions while nobody was there.
   */
  missedUntil(job: Scheduled, firstDueMs: number, nowMs: number, wanted: number): number[] {
    const runsAt = (dueMs: number) => dueMs + this.jitterMs(job, dueMs)
    for (let backMs = 60_000; ; backMs *= 2) {
      const fromMs = Math.max(firstDueMs, nowMs - backMs)
      const found = fromMs === firstDueMs ? [firstDueMs] : []
      for (let dueMs = this.cronAfter(job, fromMs); dueMs <= nowMs && runsAt(dueMs) <= nowMs; dueMs = this.cronAfter(job, dueMs)) {
        found.push(dueMs)
        if (found.length > wanted) found.shift()
      }
      if (found.length >= wanted || fromMs === firstDueMs) return found
    }
  }
}
