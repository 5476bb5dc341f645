import fc from 'fast-check'
import {expect, test} from 'vitest'
import {fromBytes, toBytes, toDuration} from '../../../src/compose/quantities.js'

test.each([
  ['30s', '30s'], ['90s', '90s'], ['1m30s', '90s'], ['120s', '2m'], ['60m', '1h'], ['1d', '24h'], ['1h30m', '90m'], ['1.5s', '1500ms'], ['500ms', '500ms'], ['1000ms', '1s'], ['1us', '1us'], ['1µs', '1us'], ['10ns', '10ns'], ['0s', '0s'], ['0', '0s'], ['.5m', '30s'], ['1.1s', '1100ms'],
  ['', undefined], ['5', undefined], ['s', undefined], ['1 s', undefined], ['1s ', undefined], ['-1s', undefined], ['1x', undefined], ['1sx', undefined], ['soon', undefined], ['1.s.', undefined],
])('the duration %j is %j', (text, expected) => {
  expect(toDuration(text)).toBe(expected)
})

test('a duration is one of one text', () => {
  fc.assert(fc.property(fc.nat({max: 100_000}), fc.constantFrom('h', 'm', 's', 'ms', 'us'), (amount, unit) => {
    const text = toDuration(`${amount}${unit}`)
    expect(toDuration(text ?? '')).toBe(text)
  }))
})

test.each([
  ['512', 512], ['512b', 512], ['1k', 1024], ['1kb', 1024], ['1KiB', 1024], ['64M', 67_108_864], ['1.5g', 1_610_612_736], ['2 GB', 2_147_483_648], ['1t', 1_099_511_627_776],
  ['', undefined], ['m', undefined], ['-1', undefined], ['1x', undefined], ['1e3', undefined], ['99999999999t', undefined],
])('the size %j is %j', (text, expected) => {
  expect(toBytes(text)).toBe(expected)
})

test('a size has one text that says exactly this', () => {
  expect([0, 100, 1024, 1_572_864, 1024 ** 4 * 2000].map(fromBytes)).toEqual(['0b', '100b', '1k', '1536k', '2000t'])
  fc.assert(fc.property(fc.nat({max: 2 ** 31}), (bytes) => void expect(toBytes(fromBytes(bytes))).toBe(bytes)))
})
