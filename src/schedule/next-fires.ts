import {parseSchedule, type Schedule} from './parse-schedule.js'
import {Zone, type ClockChange} from './zone.js'

const hourMs = 3600 * 1000
const dayMs = 24 * hourMs
// No clock change moves the clocks by more than a day.
const widestChangeMs = 26 * hourMs

/** The first fire strictly after an instant, in milliseconds since the epoch. */
export function nextFire(expression: string, zone: string, afterMs: number): number {
  return fireAfter(parseSchedule(expression), new Zone(zone), afterMs)
}

/** The next `count` fires after an instant. */
export function nextFires(expression: string, zone: string, after: Date, count: number): Date[] {
  const schedule = parseSchedule(expression)
  const place = new Zone(zone)
  const fires: Date[] = []
  for (let last = after.getTime(); fires.length < count; ) {
    last = fireAfter(schedule, place, last)
    fires.push(new Date(last))
  }
  return fires
}

/** The first fire of a parsed schedule strictly after an instant. Holds no state: the same input gives the same answer, before a restart and after. */
export function fireAfter(schedule: Schedule, zone: Zone, afterMs: number): number {
  return schedule.byRealTime ? realTimeFire(schedule, zone, afterMs) : fixedTimeFire(schedule, zone, afterMs)
}

/** Every instant whose local time matches: both of a repeated hour, none of a skipped one. */
function realTimeFire(schedule: Schedule, zone: Zone, afterMs: number): number {
  for (let fromMs = afterMs; ; ) {
    const offsetMs = zone.offsetMs(fromMs)
    const fireMs = schedule.nextWallTime(fromMs + offsetMs) - offsetMs
    const change = zone.changeWithin(fromMs, Math.min(fireMs, fromMs + 2 * dayMs))
    if (change === null && fireMs - fromMs <= 2 * dayMs) return fireMs
    if (change === null) {
      // Nothing matches between, wherever the clocks go: come closer, then look at the changes on the way.
      fromMs = Math.max(fromMs + dayMs, fireMs - 3 * dayMs)
      continue
    }
    const firstMs = schedule.nextWallTime(change.atMs - 1 + change.offsetAfterMs) - change.offsetAfterMs
    if (firstMs === change.atMs) return firstMs
    fromMs = change.atMs
  }
}

/** One fire for each matching local time: in a skipped hour at the same minute of the next, in a repeated hour the first time. */
function fixedTimeFire(schedule: Schedule, zone: Zone, afterMs: number): number {
  let wallMs = startOfSearch(zone, afterMs)
  for (let bestMs = Infinity; ; ) {
    wallMs = schedule.nextWallTime(wallMs)
    const {fireMs, isSkipped} = fromWallTime(zone, wallMs)
    if (fireMs > afterMs) bestMs = Math.min(bestMs, fireMs)
    // Times that were moved out of a skipped hour can lie behind later ones; any other ends the search.
    if (!isSkipped && fireMs > afterMs) return bestMs
  }
}

function startOfSearch(zone: Zone, afterMs: number): number {
  const wallMs = afterMs + zone.offsetMs(afterMs)
  const change = zone.changeWithin(afterMs - widestChangeMs, afterMs)
  // Just after clocks went forward, what was skipped may still be to come.
  const isToCome = change !== null && afterMs < change.atMs + skippedHoursMs(change)
  return isToCome ? change.atMs + change.offsetBeforeMs - 1 : wallMs
}

function fromWallTime(zone: Zone, wallMs: number): {fireMs: number; isSkipped: boolean} {
  const change = zone.changeWithin(wallMs - widestChangeMs, wallMs + widestChangeMs)
  if (change === null) return {fireMs: wallMs - zone.offsetMs(wallMs), isSkipped: false}
  const {atMs, offsetBeforeMs, offsetAfterMs} = change
  if (wallMs < atMs + offsetBeforeMs) return {fireMs: wallMs - offsetBeforeMs, isSkipped: false}
  if (wallMs >= atMs + offsetAfterMs) return {fireMs: wallMs - offsetAfterMs, isSkipped: false}
  return {fireMs: wallMs + skippedHoursMs(change) - offsetAfterMs, isSkipped: true}
}

/** Whole hours, so that a zone that moves by half an hour keeps the minute too. */
function skippedHoursMs({offsetBeforeMs, offsetAfterMs}: ClockChange): number {
  return Math.ceil((offsetAfterMs - offsetBeforeMs) / hourMs) * hourMs
}
