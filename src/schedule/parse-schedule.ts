import {CronExpressionParser, type CronExpression} from 'cron-parser'
import type {Fault} from '../contract/faults.js'
import {badSchedule, splitFields} from './fields.js'

/** Two fires of one job lie at least this far apart. */
export const shortestGapSeconds = 10

/** A checked expression. Knows wall-clock times only; zones are laid over it by nextFire. */
export interface Schedule {
  readonly expression: string
  /** Its hour is every hour, or every so many hours: daylight saving neither adds nor removes a fire. */
  readonly byRealTime: boolean
  /** The next matching wall-clock time strictly after another, both written as if they were UTC. */
  readonly nextWallTime: (afterMs: number) => number
}

/** Checks a cron expression: five fields, six with leading seconds, or an alias. Throws VALIDATION_ERROR with the field and the reason. */
export function parseSchedule(expression: string): Schedule {
  const fields = splitFields(expression)
  const cron = toCron(fields)
  checkGap(cron)
  const nextWallTime = (afterMs: number) => {
    cron.reset(new Date(afterMs))
    return cron.next().getTime()
  }
  checkFires(nextWallTime)
  const hour = fields.at(-4) ?? ''
  const byRealTime = /^\*(\/\d+)?$/.test(hour) || cron.fields.hour.values.length === 24
  return {expression, byRealTime, nextWallTime}
}

function toCron(fields: readonly string[]): CronExpression {
  try {
    // In UTC the parser only does calendar arithmetic: its own handling of clock changes loses fires in half-hour zones.
    return CronExpressionParser.parse(fields.join(' '), {tz: 'UTC', currentDate: new Date(0)})
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause)
    throw /day of month/i.test(message) ? neverFires() : badSchedule(message)
  }
}

function neverFires(): Fault {
  return badSchedule('day of month and month: no such date exists, so it never fires')
}

function checkFires(nextWallTime: (afterMs: number) => number): void {
  try {
    nextWallTime(Date.UTC(2000, 0, 1))
  } catch {
    throw neverFires()
  }
}

function checkGap(cron: CronExpression): void {
  const seconds = cron.fields.second.values.map(Number)
  const within = seconds.slice(1).some((second, index) => second - (seconds[index] ?? 0) < shortestGapSeconds)
  const acrossSeconds = 60 - (seconds.at(-1) ?? 0) + (seconds[0] ?? 0)
  if (within || (acrossSeconds < shortestGapSeconds && hasNeighbouringMinutes(cron))) {
    throw badSchedule(`second: two fires lie less than ${shortestGapSeconds} seconds apart`)
  }
}

function hasNeighbouringMinutes(cron: CronExpression): boolean {
  const minutes = new Set(cron.fields.minute.values.map(Number))
  if ([...minutes].some((minute) => minutes.has(minute + 1))) return true
  const hours = new Set(cron.fields.hour.values.map(Number))
  const neighbouringHours = [...hours].some((hour) => hours.has((hour + 1) % 24))
  return minutes.has(59) && minutes.has(0) && neighbouringHours
}
