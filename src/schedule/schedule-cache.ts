import {fireAfter} from './next-fires.js'
import {parseSchedule, type Schedule} from './parse-schedule.js'
import {Zone} from './zone.js'

/** Keeps what was used last of parsed expressions and zones. Whoever makes it owns it. */
export class ScheduleCache {
  readonly #maximum: number
  readonly #schedules = new Map<string, Schedule>()
  readonly #zones = new Map<string, Zone>()

  constructor(maximum = 1000) {
    this.#maximum = maximum
  }

  /** As nextFire, without parsing again. */
  nextFire(expression: string, zone: string, afterMs: number): number {
    const schedule = recall(this.#schedules, expression, this.#maximum, parseSchedule)
    const place = recall(this.#zones, zone, Math.min(this.#maximum, 100), (name) => new Zone(name))
    return fireAfter(schedule, place, afterMs)
  }

  get size(): number {
    return this.#schedules.size
  }
}

/** Takes a value from the map or makes it; drops the one that was not asked for longest. */
function recall<T>(map: Map<string, T>, key: string, maximum: number, make: (key: string) => T): T {
  const value = map.get(key) ?? make(key)
  map.delete(key)
  map.set(key, value)
  if (map.size > maximum) {
    for (const oldest of map.keys()) {
      map.delete(oldest)
      break
    }
  }
  return value
}
