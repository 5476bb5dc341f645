import {invalidInput} from '../contract/faults.js'

const weekMs = 7 * 24 * 3600 * 1000
const keptWeeks = 1000

/** A week of a zone: its offset at the start, and the change within it, if there is one. */
interface Week {
  readonly offsetMs: number
  readonly changeAtMs: number
  readonly offsetAfterMs: number
}

/** A change of the clocks of a zone. */
export interface ClockChange {
  readonly atMs: number
  readonly offsetBeforeMs: number
  readonly offsetAfterMs: number
}

export function isZone(name: string): boolean {
  // Offsets such as +02:00 are taken by Intl but are no zones: they know no summer time.
  if (!/^[A-Za-z][A-Za-z0-9_+/-]*$/.test(name)) return false
  try {
    return new Intl.DateTimeFormat('en-US', {timeZone: name}).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

/** Throws VALIDATION_ERROR unless the name is an IANA time zone. */
export function checkZone(name: string, path = '/timeZone'): void {
  if (!isZone(name)) throw invalidInput([{path, message: `${JSON.stringify(name.slice(0, 100))} is not a time zone; give an IANA name such as Europe/Berlin`}])
}

/** Offsets of one zone. Asking Intl is slow, so it keeps what it learned a week at a time. */
export class Zone {
  readonly name: string
  readonly #format: Intl.DateTimeFormat | null
  readonly #weeks = new Map<number, Week>()

  constructor(name: string) {
    checkZone(name)
    this.name = name
    this.#format = /^(Etc\/)?(UTC|GMT|UCT|Zulu)$/i.test(name) ? null : new Intl.DateTimeFormat('en-US', {
      timeZone: name, hourCycle: 'h23',
      year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit',
    })
  }

  /** Local time minus UTC at an instant. */
  offsetMs(atMs: number): number {
    if (this.#format === null) return 0
    const week = this.#week(Math.floor(atMs / weekMs))
    return atMs < week.changeAtMs ? week.offsetMs : week.offsetAfterMs
  }

  /** The first change later than `afterMs` and not later than `untilMs`. */
  changeWithin(afterMs: number, untilMs: number): ClockChange | null {
    if (this.#format === null) return null
    for (let index = Math.floor(afterMs / weekMs); index * weekMs <= untilMs; index++) {
      const {changeAtMs, offsetMs, offsetAfterMs} = this.#week(index)
      if (changeAtMs > afterMs && changeAtMs <= untilMs) return {atMs: changeAtMs, offsetBeforeMs: offsetMs, offsetAfterMs}
    }
    return null
  }

  #week(index: number): Week {
    const kept = this.#weeks.get(index)
    if (kept !== undefined) return kept
    const startMs = index * weekMs
    const offsetMs = this.#ask(startMs)
    const offsetAfterMs = this.#ask(startMs + weekMs)
    const changeAtMs = offsetMs === offsetAfterMs ? Infinity : this.#findChange(startMs, offsetMs)
    const week = {offsetMs, changeAtMs, offsetAfterMs}
    if (this.#weeks.size >= keptWeeks) this.#weeks.clear()
    this.#weeks.set(index, week)
    return week
  }

  #findChange(startMs: number, offsetMs: number): number {
    let before = startMs / 1000
    let after = before + weekMs / 1000
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2)
      if (this.#ask(middle * 1000) === offsetMs) before = middle
      else after = middle
    }
    return after * 1000
  }

  #ask(atMs: number): number {
    const [month, day, year, hour, minute, second] = (this.#format?.format(atMs) ?? '').split(/\D+/).map(Number)
    return Date.UTC(year ?? 0, (month ?? 1) - 1, day, hour, minute, second) - Math.floor(atMs / 1000) * 1000
  }
}
