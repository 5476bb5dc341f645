import {describe, expect, test} from 'vitest'
import {Fault} from '../../../src/contract/faults.js'
import {describeSchedule} from '../../../src/schedule/describe-schedule.js'
import {nextFires} from '../../../src/schedule/next-fires.js'
import {parseSchedule} from '../../../src/schedule/parse-schedule.js'

const start = new Date('2026-01-01T00:00:00Z')

function fires(expression: string, count: number): string[] {
  return nextFires(expression, 'UTC', start, count).map((fire) => fire.toISOString().replace(/(:00)?\.000Z$/, ''))
}

function refusal(expression: string): Fault {
  try {
    parseSchedule(expression)
  } catch (error) {
    if (error instanceof Fault) return error
    throw error
  }
  throw new Error(`${expression} was taken`)
}

describe('what is taken', () => {
  test.each([
    ['30 2 * * *', ['2026-01-01T02:30', '2026-01-02T02:30']],
    ['  30   2\t* *  * ', ['2026-01-01T02:30', '2026-01-02T02:30']],
    ['15 30 2 * * *', ['2026-01-01T02:30:15', '2026-01-02T02:30:15']],
    ['05 03 * * *', ['2026-01-01T03:05', '2026-01-02T03:05']],
    ['0 0 1 JAN,jul *', ['2026-07-01T00:00', '2027-01-01T00:00']],
    ['0 0 * * MON-wed', ['2026-01-05T00:00', '2026-01-06T00:00', '2026-01-07T00:00', '2026-01-12T00:00']],
    ['0 0 * * fri-sun', ['2026-01-02T00:00', '2026-01-03T00:00', '2026-01-04T00:00', '2026-01-09T00:00']],
    ['0 0 * * 7', ['2026-01-04T00:00', '2026-01-11T00:00']],
    ['0 0 * * 0', ['2026-01-04T00:00', '2026-01-11T00:00']],
    ['0 0 ? * MON', ['2026-01-05T00:00', '2026-01-12T00:00']],
    ['5/20 1 * * *', ['2026-01-01T01:05', '2026-01-01T01:25', '2026-01-01T01:45', '2026-01-02T01:05']],
    ['10-50/20 1 * * *', ['2026-01-01T01:10', '2026-01-01T01:30', '2026-01-01T01:50', '2026-01-02T01:10']],
    ['0 0 L * *', ['2026-01-31T00:00', '2026-02-28T00:00', '2026-03-31T00:00']],
    ['0 0 * * 5L', ['2026-01-30T00:00', '2026-02-27T00:00']],
    ['0 0 * * friL', ['2026-01-30T00:00', '2026-02-27T00:00']],
    ['0 0 * * FRI#2', ['2026-01-09T00:00', '2026-02-13T00:00']],
    ['0 0 * * 7#1', ['2026-01-04T00:00', '2026-02-01T00:00']],
    ['0 0 29 2 *', ['2028-02-29T00:00', '2032-02-29T00:00']],
    ['0 0 30 2,4 *', ['2026-04-30T00:00', '2027-04-30T00:00']],
    ['*/10 * * * * *', ['2026-01-01T00:00:10', '2026-01-01T00:00:20']],
    ['0,50 * * * * *', ['2026-01-01T00:00:50', '2026-01-01T00:01', '2026-01-01T00:01:50']],
    ['0,55 0 * * * *', ['2026-01-01T00:00:55', '2026-01-01T01:00', '2026-01-01T01:00:55']],
    ['0,55 0,59 0/2 * * *', ['2026-01-01T00:00:55', '2026-01-01T00:59']],
    ['@yearly', ['2027-01-01T00:00']],
    ['@annually', ['2027-01-01T00:00']],
    ['@monthly', ['2026-02-01T00:00']],
    ['@weekly', ['2026-01-04T00:00']],
    ['@daily', ['2026-01-02T00:00']],
    ['@midnight', ['2026-01-02T00:00']],
    ['@hourly', ['2026-01-01T01:00']],
  ])('takes %j', (expression, expected) => {
    expect(fires(expression, expected.length)).toEqual(expected)
  })

  test('a date that matches the day of month or the weekday fires when both are restricted', () => {
    expect(fires('0 0 13 * 5', 4)).toEqual(['2026-01-02T00:00', '2026-01-09T00:00', '2026-01-13T00:00', '2026-01-16T00:00'])
  })

  test('a day that February never has is taken where a weekday can match instead', () => {
    expect(fires('0 0 31 2 1', 2)).toEqual(['2026-02-02T00:00', '2026-02-09T00:00'])
  })
})

describe('what is refused', () => {
  test.each([
    ['', 'is blank'],
    [' \t ', 'is blank'],
    ['* * * *', 'has 4 fields'],
    ['*', 'has 1 field;'],
    ['* * * * * * *', 'has 7 fields'],
    ['@reboot', 'is not an alias'],
    ['@Daily', 'is not an alias'],
    ['@minutely', 'is not an alias'],
    ['@every 5m', 'is not an alias'],
    ['H 3 * * *', 'minute "H"'],
    ['H/5 * * * *', 'minute "H/5"'],
    ['0 H(1-3) * * *', 'hour "H(1-3)"'],
    ['60 * * * *', 'minute "60": 60 is not within 0 to 59'],
    ['-1 * * * *', 'minute "-1"'],
    ['60 * * * * *', 'second "60"'],
    ['* 24 * * *', 'hour "24"'],
    ['0 0 0 * *', 'day of month "0"'],
    ['0 0 32 * *', 'day of month "32"'],
    ['0 0 * 13 *', 'month "13"'],
    ['0 0 * 0 *', 'month "0"'],
    ['0 0 * foo *', 'month "foo": is neither a number nor a name'],
    ['0 0 * * 8', 'day of week "8"'],
    ['0 0 * * january', 'day of week "january"'],
    ['a * * * *', 'minute "a": is not a number'],
    ['1.5 * * * *', 'minute "1.5"'],
    ['*/0 * * * *', 'the step is 0'],
    ['*/x * * * *', 'the step is not a number'],
    ['*/ * * * *', 'the step is not a number'],
    ['*/2/3 * * * *', 'more than one step'],
    ['5-1 * * * *', 'the range runs backwards'],
    ['0 0 * * sat-mon', 'the range runs backwards'],
    ['1-2-3 * * * *', 'is not a range'],
    ['1,,2 * * * *', 'a list has an empty place'],
    [', * * * *', 'a list has an empty place'],
    ['? * * * *', 'minute "?"'],
    ['0 0 L-3 * *', 'day of month "L-3"'],
    ['0 0 15W * *', 'day of month "15W"'],
    ['0 0 * * L', 'day of week "L"'],
    ['0 0 * * 1#6', 'the number after # is 1 to 5'],
    ['0 0 * * 1#0', 'the number after # is 1 to 5'],
    ['0 0 * * 1,2#1', 'a day with # stands alone'],
    ['L 0 * * *', 'minute "L"'],
    ['0 0 31 2 *', 'never fires'],
    ['0 0 30 2 *', 'never fires'],
    ['0 0 31 4,6,9,11 *', 'never fires'],
    ['*/5 * * * * *', 'less than 10 seconds apart'],
    ['*/9 * * * * *', 'less than 10 seconds apart'],
    ['* * * * * *', 'less than 10 seconds apart'],
    ['0,51 * * * * *', 'less than 10 seconds apart'],
    ['0,51 0,59 * * * *', 'less than 10 seconds apart'],
    ['1 * * * * <script>', 'day of week'],
  ])('refuses %j: %s', (expression, message) => {
    const fault = refusal(expression)
    expect(fault.code).toBe('VALIDATION_ERROR')
    expect(fault.errors).toHaveLength(1)
    expect(fault.errors[0]?.path).toBe('/cronExpression')
    expect(fault.message).toContain(message)
  })
})

describe('words', () => {
  test.each([
    ['30 2 * * *', 'at 02:30'],
    ['*/15 * * * *', 'every 15 minutes'],
    ['0 9 * * MON-FRI', 'at 09:00, Monday through Friday'],
    ['@hourly', 'every hour'],
    ['0 0 * * FRI#2', 'at 00:00, on the second Friday of the month'],
    ['*/10 * * * * *', 'every 10 seconds'],
  ])('%s is %j', async (expression, words) => {
    expect(await describeSchedule(expression)).toBe(words)
  })

  test('a step past the end of its field is not called a period', async () => {
    expect(await describeSchedule('*/90 * * * *')).toBe(await describeSchedule('0 * * * *'))
    expect(fires('*/90 * * * *', 2)).toEqual(['2026-01-01T01:00', '2026-01-01T02:00'])
  })

  test('what is no expression has no words', async () => {
    await expect(describeSchedule('* * * *')).rejects.toThrow('has 4 fields')
  })
})
