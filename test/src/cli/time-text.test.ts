import {describe, expect, test} from 'vitest'
import {formatBytes, formatDuration, formatInZone, formatRelative, parseDuration} from '../../../src/cli/time-text.js'

describe('parseDuration', () => {
  test.each([['90s', 90_000], ['5m', 300_000], ['2h', 7_200_000], ['1d', 86_400_000], ['1h30m', 5_400_000], ['250ms', 250], ['1.5s', 1500], ['0s', 0]])('reads %s', (text, ms) => {
    expect(parseDuration(text, '--timeout')).toBe(ms)
  })

  test.each(['', '5', 'm', '5 m', '5x', '-5s', '5m!', 'soon', '9999999999d'])('refuses %j, naming the flag', (text) => {
    expect(() => parseDuration(text, '--run-timeout')).toThrowError(/--run-timeout/)
  })
})

test.each([[5, '5ms'], [3400, '3.4s'], [63_000, '1m 3s'], [7_500_000, '2h 5m'], [86_400_000, '1d'], [90_061_000, '1d 1h'], [3_600_000, '1h']])('%i ms is %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text)
})

test.each([['2030-01-01T00:00:00.000Z', '5m ago'], ['2030-01-01T02:05:30.000Z', 'in 2h'], ['2030-01-01T00:05:00.500Z', 'now'], ['2030-01-01T00:05:42.000Z', 'in 42s'], ['2029-12-30T00:05:00.000Z', '2d ago']])(
  '%s is %s',
  (instant, text) => {
    expect(formatRelative(instant, Date.parse('2030-01-01T00:05:00.000Z'))).toBe(text)
  },
)

test('a fire is shown in the zone of its job, with seconds only where there are some', () => {
  expect(formatInZone(new Date('2030-07-01T01:00:00.000Z'), 'Europe/Berlin')).toBe('Mon 2030-07-01 03:00 Europe/Berlin')
  expect(formatInZone(new Date('2030-07-01T22:00:30.000Z'), 'UTC')).toBe('Mon 2030-07-01 22:00:30 UTC')
})

test.each([[0, '0 B'], [1023, '1023 B'], [1024, '1.0 KiB'], [268_435_456, '256 MiB'], [1_610_612_736, '1.5 GiB']])('%i bytes are %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text)
})
