import fc from 'fast-check'
import {expect, test} from 'vitest'
import {DueTimes} from '../../../daemon/jobs/due-times.js'
import {jobRecord} from './job-fixture.js'

const dueTimes = new DueTimes('UTC')
const noon = Date.parse('2026-06-01T12:00:00Z')

test('looking back finds what walking forward finds', () => {
  const expressions = fc.constantFrom('* * * * *', '*/7 * * * *', '0 */5 * * *', '30 2 * * 1', '0 0 1 * *', '*/20 * * * * *', '0 0 29 2 *')
  fc.assert(fc.property(expressions, fc.integer({min: 0, max: 2000}), fc.integer({min: 1, max: 30}), fc.constantFrom(0, 45), (cronExpression, minutes, wanted, jitterSeconds) => {
    const job = jobRecord({key: 'custom:a', cronExpression, jitterSeconds})
    const first = dueTimes.cronAfter(job, noon)
    const now = first + dueTimes.jitterMs(job, first) + minutes * 60_000
    const walked: number[] = []
    for (let due = first; due + dueTimes.jitterMs(job, due) <= now; due = dueTimes.cronAfter(job, due)) walked.push(due)
    expect(dueTimes.missedUntil(job, first, now, wanted)).toEqual(walked.slice(-wanted))
  }), {numRuns: 60})
})

test('finds the newest of a year of missed seconds without walking through them', () => {
  const job = jobRecord({cronExpression: '*/10 * * * * *'})
  const started = performance.now()
  const missed = dueTimes.missedUntil(job, noon, noon + 365 * 86_400_000, 100)
  expect(missed).toHaveLength(100)
  expect(missed.at(-1)).toBe(noon + 365 * 86_400_000)
  expect(performance.now() - started).toBeLessThan(1000)
})

test.each([
  ['a disabled job', {enabled: false}, null],
  ['a manual job', {scheduleType: 'manual' as const, cronExpression: null}, null],
  ['a once job', {scheduleType: 'once' as const, cronExpression: null, runAt: '2026-06-02T00:00:00.000Z', jitterSeconds: 60}, '2026-06-02T00:00:00.000Z'],
  ['a recurring job', {cronExpression: '0 13 * * *'}, '2026-06-01T13:00:00.000Z'],
  ['a job with a zone', {cronExpression: '0 22 * * *', timeZone: 'Asia/Tokyo'}, '2026-06-01T13:00:00.000Z'],
])('%s is due at its time', (_name, over, expected) => {
  expect(dueTimes.dueAfter(jobRecord(over), noon)).toEqual({nextDueAt: expected, nextRunAt: expected})
})
