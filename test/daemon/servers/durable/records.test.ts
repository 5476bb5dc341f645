import {expect, test} from 'vitest'
import {parseRunLine, startedAt, toDurableEnd, type EndRecord, type StartRecord} from '../../../../daemon/servers/durable/records.js'

const start = parseRunLine('started 1700000000000 100.50 100.53 1 .') as StartRecord

test('reads how a run began, in the time of the daemon', () => {
  expect(start).toMatchObject({kind: 'started', separateStderr: true})
  expect(startedAt(start)).toBe('2023-11-14T22:13:20.030Z')
})

test('reads how it ended, by code or by signal', () => {
  const end = parseRunLine('exit 143 TERM 1 0 102.50 500 20 30 0 .') as EndRecord
  expect(toDurableEnd(start, end)).toEqual({
    kind: 'exit', exitCode: null, signal: 'SIGTERM', timedOut: true, stopped: false, startedAt: '2023-11-14T22:13:20.030Z', finishedAt: '2023-11-14T22:13:22.000Z',
    droppedBytes: {output: 20, stderr: 0},
  })
  expect(end).toMatchObject({outputBytes: 500, stderrBytes: 30})
  expect(toDurableEnd(start, parseRunLine('exit 3 - 0 1 101 0 0 0 0 .') as EndRecord)).toMatchObject({exitCode: 3, signal: null, stopped: true})
  expect(parseRunLine('exit 129 SIGHUP 0 0 1 0 0 0 0 .')).toMatchObject({signal: 'SIGHUP'})
  expect(parseRunLine('exit 129 1 0 0 1 0 0 0 0 .')).toMatchObject({signal: 'SIGHUP'})
})

test('reads lost, stopped, abandoned and failed', () => {
  expect(parseRunLine('lost 12 .')).toMatchObject({kind: 'lost', outputBytes: 12})
  expect(parseRunLine('abandoned .')).toMatchObject({kind: 'lost', outputBytes: 0})
  expect(parseRunLine('stopped .')).toEqual({kind: 'never'})
  expect(parseRunLine('failed mkdir: no space')).toEqual({kind: 'failed', message: 'mkdir: no space'})
})

test('refuses a record that was cut or is not ours', () => {
  for (const line of ['', 'exit 0', 'exit 0 - 0 0 1 0 0 0 0', 'started 1 2 3 .', 'exit x - 0 0 1 0 0 0 0 .', 'lost -1 .']) {
    expect(() => parseRunLine(line), line).toThrow(expect.objectContaining({code: 'INTERNAL'}))
  }
})
