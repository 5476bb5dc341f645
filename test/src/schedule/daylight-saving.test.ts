import {describe, expect, test} from 'vitest'
import {nextFire, nextFires} from '../../../src/schedule/next-fires.js'

function local(fire: Date, zone: string): string {
  return fire.toLocaleString('sv', {timeZone: zone, timeZoneName: 'longOffset'}).replace(/:00 GMT/, ' ').replace('−', '-')
}

function fires(expression: string, zone: string, after: string, count: number): string[] {
  return nextFires(expression, zone, new Date(after), count).map((fire) => local(fire, zone))
}

describe('clocks go forward', () => {
  test.each([
    ['Europe/Berlin', '30 2 * * *', '2026-03-28T00:00Z', ['2026-03-28 02:30 +01:00', '2026-03-29 03:30 +02:00', '2026-03-30 02:30 +02:00']],
    ['America/New_York', '30 2 * * *', '2026-03-07T05:00Z', ['2026-03-07 02:30 -05:00', '2026-03-08 03:30 -04:00', '2026-03-09 02:30 -04:00']],
    ['Australia/Sydney', '15 2 * * *', '2026-10-02T20:00Z', ['2026-10-04 03:15 +11:00', '2026-10-05 02:15 +11:00']],
    ['Australia/Lord_Howe', '15 2 * * *', '2026-10-02T20:00Z', ['2026-10-04 03:15 +11:00', '2026-10-05 02:15 +11:00']],
    ['Australia/Lord_Howe', '45 2 * * *', '2026-10-02T20:00Z', ['2026-10-04 02:45 +11:00', '2026-10-05 02:45 +11:00']],
    ['America/Santiago', '0 0 * * *', '2026-09-05T12:00Z', ['2026-09-06 01:00 -03:00', '2026-09-07 00:00 -03:00']],
    ['America/Santiago', '30 0 * * *', '2026-09-05T12:00Z', ['2026-09-06 01:30 -03:00', '2026-09-07 00:30 -03:00']],
    ['Africa/Cairo', '30 0 * * *', '2026-04-23T12:00Z', ['2026-04-24 01:30 +03:00', '2026-04-25 00:30 +03:00']],
  ])('in %s a fixed time of the skipped hour (%s) runs once, at the same minute of the next', (zone, expression, after, expected) => {
    expect(fires(expression, zone, after, expected.length)).toEqual(expected)
  })

  test('a weekday stays the one that was skipped into when midnight does not exist', () => {
    expect(fires('0 0 * * 0', 'America/Santiago', '2026-09-05T12:00Z', 2)).toEqual(['2026-09-06 01:00 -03:00', '2026-09-13 00:00 -03:00'])
  })

  test('a moved fire that meets another one runs once', () => {
    expect(fires('15 2,3 * * *', 'America/New_York', '2026-03-08T05:00Z', 2)).toEqual(['2026-03-08 03:15 -04:00', '2026-03-09 02:15 -04:00'])
  })

  test('moved fires and those of the next hour come in order', () => {
    expect(fires('0 2,3 * * *', 'Europe/Berlin', '2026-03-29T00:00Z', 2)).toEqual(['2026-03-29 03:00 +02:00', '2026-03-30 02:00 +02:00'])
    expect(fires('*/30 2,3 * * *', 'Australia/Lord_Howe', '2026-10-03T15:00Z', 4)).toEqual([
      '2026-10-04 02:30 +11:00', '2026-10-04 03:00 +11:00', '2026-10-04 03:30 +11:00', '2026-10-05 02:00 +11:00',
    ])
  })

  test('asked after the change but before the moved fire, the moved fire is next', () => {
    expect(fires('30 2 * * *', 'America/New_York', '2026-03-08T07:10Z', 1)).toEqual(['2026-03-08 03:30 -04:00'])
    expect(fires('30 2 * * *', 'America/New_York', '2026-03-08T07:30Z', 1)).toEqual(['2026-03-09 02:30 -04:00'])
  })

  test.each([
    ['Europe/Berlin', '0 * * * *', '2026-03-28T23:30Z', ['2026-03-29 01:00 +01:00', '2026-03-29 03:00 +02:00', '2026-03-29 04:00 +02:00']],
    ['America/New_York', '*/30 * * * *', '2026-03-08T06:15Z', ['2026-03-08 01:30 -05:00', '2026-03-08 03:00 -04:00', '2026-03-08 03:30 -04:00']],
    ['Australia/Lord_Howe', '*/15 * * * *', '2026-10-03T15:00Z', ['2026-10-04 01:45 +10:30', '2026-10-04 02:30 +11:00', '2026-10-04 02:45 +11:00']],
    ['Europe/Berlin', '0 */2 * * *', '2026-03-28T22:30Z', ['2026-03-29 00:00 +01:00', '2026-03-29 04:00 +02:00', '2026-03-29 06:00 +02:00']],
    ['Africa/Cairo', '0 * * * *', '2026-04-23T20:30Z', ['2026-04-23 23:00 +02:00', '2026-04-24 01:00 +03:00', '2026-04-24 02:00 +03:00']],
  ])('in %s %s runs by real time', (zone, expression, after, expected) => {
    expect(fires(expression, zone, after, expected.length)).toEqual(expected)
  })
})

describe('clocks go back', () => {
  test.each([
    ['Europe/Berlin', '30 2 * * *', '2026-10-24T12:00Z', ['2026-10-25 02:30 +02:00', '2026-10-26 02:30 +01:00']],
    ['America/New_York', '30 1 * * *', '2026-10-31T12:00Z', ['2026-11-01 01:30 -04:00', '2026-11-02 01:30 -05:00']],
    ['Australia/Sydney', '0 2 * * *', '2026-04-04T00:00Z', ['2026-04-05 02:00 +11:00', '2026-04-06 02:00 +10:00']],
    ['Australia/Lord_Howe', '45 1 * * *', '2026-04-04T00:00Z', ['2026-04-05 01:45 +11:00', '2026-04-06 01:45 +10:30']],
    ['America/Santiago', '30 23 * * *', '2026-04-04T12:00Z', ['2026-04-04 23:30 -03:00', '2026-04-05 23:30 -04:00']],
    ['Africa/Cairo', '30 23 * * *', '2026-10-29T12:00Z', ['2026-10-29 23:30 +03:00', '2026-10-30 23:30 +02:00']],
  ])('in %s a fixed time of the repeated hour (%s) runs once, the first time', (zone, expression, after, expected) => {
    expect(fires(expression, zone, after, expected.length)).toEqual(expected)
  })

  test('asked within the second pass of the repeated hour, what ran in the first does not run again', () => {
    expect(fires('30 1 * * *', 'America/New_York', '2026-11-01T06:10Z', 1)).toEqual(['2026-11-02 01:30 -05:00'])
    expect(fires('*/5 1 * * *', 'America/New_York', '2026-11-01T06:10Z', 1)).toEqual(['2026-11-02 01:00 -05:00'])
  })

  test('every minute of a fixed hour runs in its first pass alone', () => {
    const all = fires('*/20 2 * * *', 'Europe/Berlin', '2026-10-24T12:00Z', 4)
    expect(all).toEqual(['2026-10-25 02:00 +02:00', '2026-10-25 02:20 +02:00', '2026-10-25 02:40 +02:00', '2026-10-26 02:00 +01:00'])
  })

  test.each([
    ['Europe/Berlin', '0 * * * *', '2026-10-24T23:30Z', ['2026-10-25 02:00 +02:00', '2026-10-25 02:00 +01:00', '2026-10-25 03:00 +01:00']],
    ['America/New_York', '30 * * * *', '2026-11-01T05:00Z', ['2026-11-01 01:30 -04:00', '2026-11-01 01:30 -05:00', '2026-11-01 02:30 -05:00']],
    ['Australia/Lord_Howe', '*/15 * * * *', '2026-04-04T14:40Z', ['2026-04-05 01:45 +11:00', '2026-04-05 01:30 +10:30', '2026-04-05 01:45 +10:30', '2026-04-05 02:00 +10:30']],
    ['Europe/Berlin', '0 */2 * * *', '2026-10-24T21:30Z', ['2026-10-25 00:00 +02:00', '2026-10-25 02:00 +02:00', '2026-10-25 02:00 +01:00', '2026-10-25 04:00 +01:00']],
    ['America/Santiago', '0 * * * *', '2026-04-05T01:30Z', ['2026-04-04 23:00 -03:00', '2026-04-04 23:00 -04:00', '2026-04-05 00:00 -04:00']],
  ])('in %s %s runs by real time', (zone, expression, after, expected) => {
    expect(fires(expression, zone, after, expected.length)).toEqual(expected)
  })
})

test('a day that a zone left out runs its fixed times on the next', () => {
  expect(fires('0 9 30 12 *', 'Pacific/Apia', '2011-12-28T00:00Z', 1)).toEqual(['2011-12-31 09:00 +14:00'])
})

test('zones with odd offsets keep their minutes', () => {
  expect(fires('0 9 * * *', 'Asia/Kathmandu', '2026-06-01T00:00Z', 1)).toEqual(['2026-06-01 09:00 +05:45'])
})

test('a timer that fires a little early does not get the same instant again', () => {
  const due = Date.parse('2026-06-01T09:00:00Z')
  expect(nextFire('0 9 * * *', 'UTC', due - 1)).toBe(due)
  expect(nextFire('0 9 * * *', 'UTC', due)).toBe(due + 86_400_000)
})
