import fc from 'fast-check'
import {expect, test} from 'vitest'
import {nextFire, nextFires} from '../../../src/schedule/next-fires.js'
import {ScheduleCache} from '../../../src/schedule/schedule-cache.js'
import {checkZone, isZone, Zone} from '../../../src/schedule/zone.js'

const minuteMs = 60_000

interface Field {
  readonly text: string
  readonly values: readonly number[]
}

/** A field and the values it stands for, reckoned without the code under test. Single values stay within `max`, so that each month has them. */
function field(min: number, max: number, last = max): fc.Arbitrary<Field> {
  const all = Array.from({length: last - min + 1}, (_, index) => min + index)
  const one = fc.integer({min, max})
  return fc.oneof(
    {weight: 3, arbitrary: fc.constant({text: '*', values: all})},
    one.map((value) => ({text: String(value), values: [value]})),
    fc.uniqueArray(one, {minLength: 1, maxLength: 4}).map((values) => ({text: values.join(','), values})),
    fc.tuple(one, one).map(([a, b]) => {
      const [from, to] = [Math.min(a, b), Math.max(a, b)]
      return {text: `${from}-${to}`, values: all.filter((value) => value >= from && value <= to)}
    }),
    fc.integer({min: 1, max: 15}).map((step) => ({text: `*/${step}`, values: all.filter((value) => (value - min) % step === 0)})),
  )
}

const expressions = fc.tuple(field(0, 59), field(0, 23), field(1, 28, 31), field(1, 12), field(0, 6))
type Fields = readonly [Field, Field, Field, Field, Field]
const instants = fc.integer({min: Date.UTC(2020, 0, 1), max: Date.UTC(2040, 0, 1)})
const zones = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'America/Santiago', 'Africa/Casablanca', 'Asia/Kolkata')

function matches([minute, hour, day, month, weekday]: Fields, at: Date): boolean {
  const isDay = day.values.includes(at.getUTCDate())
  const isWeekday = weekday.values.includes(at.getUTCDay())
  const either = day.text !== '*' && weekday.text !== '*' ? isDay || isWeekday : isDay && isWeekday
  return minute.values.includes(at.getUTCMinutes()) && hour.values.includes(at.getUTCHours()) && month.values.includes(at.getUTCMonth() + 1) && either
}

function walk(fields: Fields, afterMs: number, untilMs: number): number | null {
  for (let at = (Math.floor(afterMs / minuteMs) + 1) * minuteMs; at <= untilMs; at += minuteMs) {
    if (matches(fields, new Date(at))) return at
  }
  return null
}

test('in UTC the next fire is what walking minute by minute finds', () => {
  fc.assert(fc.property(expressions, instants, (fields, after) => {
    const fire = nextFire(fields.map((part) => part.text).join(' '), 'UTC', after)
    expect(fire).toBeGreaterThan(after)
    expect(matches(fields, new Date(fire))).toBe(true)
    const horizon = Math.min(fire, after + 20 * 24 * 60 * minuteMs)
    expect(walk(fields, after, horizon)).toBe(horizon === fire ? fire : null)
  }), {numRuns: 150})
})

test('in any zone the next fire is later, and nothing lies between two that follow each other', () => {
  fc.assert(fc.property(expressions, zones, instants, fc.double({min: 0, max: 0.999, noNaN: true}), (fields, zone, after, part) => {
    const expression = fields.map((each) => each.text).join(' ')
    const fire = nextFire(expression, zone, after)
    expect(fire).toBeGreaterThan(after)
    expect(nextFire(expression, zone, after + Math.floor((fire - after) * part))).toBe(fire)
    expect(nextFire(expression, zone, fire)).toBeGreaterThan(fire)
  }), {numRuns: 300})
})

test('a schedule of every hour fires at each real instant whose local time matches', () => {
  const around = fc.constantFrom('2026-03-28T20:00Z', '2026-10-24T20:00Z', '2026-10-03T10:00Z', '2026-04-04T10:00Z', '2026-09-06T00:00Z', '2026-04-05T00:00Z', '2026-11-01T00:00Z')
  fc.assert(fc.property(field(0, 59), fc.integer({min: 1, max: 23}), zones, around, (minute, step, zone, after) => {
    const hours = Array.from({length: 24}, (_, hour) => hour).filter((hour) => hour % step === 0)
    const place = new Zone(zone)
    const expected: number[] = []
    for (let at = Date.parse(after) + minuteMs; expected.length < 40; at += minuteMs) {
      const local = new Date(at + place.offsetMs(at))
      if (minute.values.includes(local.getUTCMinutes()) && hours.includes(local.getUTCHours())) expected.push(at)
    }
    const found = nextFires(`${minute.text} */${step} * * *`, zone, new Date(after), 40).map(Number)
    expect(found).toEqual(expected)
  }), {numRuns: 60})
})

test('an offset is what Intl says, at changes to the second', () => {
  const place = new Zone('Europe/Berlin')
  const change = Date.parse('2026-03-29T01:00:00Z')
  expect(place.offsetMs(change - 1)).toBe(3_600_000)
  expect(place.offsetMs(change)).toBe(7_200_000)
  expect(place.changeWithin(change - 1, change)).toEqual({atMs: change, offsetBeforeMs: 3_600_000, offsetAfterMs: 7_200_000})
  expect(place.changeWithin(change, change + minuteMs)).toBeNull()
})

test.each(['UTC', 'Etc/UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5', 'europe/berlin'])('%s is a zone', (name) => {
  expect(isZone(name)).toBe(true)
})

test.each(['', 'Mars/Olympus', '+02:00', 'Europe', 'Europe/Berlin ', 'UTC\n', '2', '../etc/passwd'])('%j is no zone', (name) => {
  expect(isZone(name)).toBe(false)
  expect(() => checkZone(name)).toThrow(expect.objectContaining({code: 'VALIDATION_ERROR', errors: [expect.objectContaining({path: '/timeZone'})]}))
  expect(() => nextFire('0 0 * * *', name, 0)).toThrow('is not a time zone')
})

test('the cache answers as without it and keeps no more than it may', () => {
  const cache = new ScheduleCache(3)
  for (let minute = 0; minute < 10; minute++) {
    for (const zone of ['UTC', 'Europe/Berlin']) {
      const expression = `${minute} 3 * * *`
      expect(cache.nextFire(expression, zone, 1_780_000_000_000)).toBe(nextFire(expression, zone, 1_780_000_000_000))
    }
  }
  expect(cache.size).toBe(3)
})
