import {expect, it} from 'vitest'
import type {ServerResult} from '../../../src/contract/run.js'
import {clampInstant, cleanText, toAttemptOutcome, toRunOutcome} from '../../../daemon/jobs/run-outcome.js'
import type {DurableEnd} from '../../../daemon/servers/runner.js'

const end: DurableEnd = {kind: 'exit', exitCode: 0, signal: null, timedOut: false, stopped: false, startedAt: null, finishedAt: null, droppedBytes: {output: 0, stderr: 0}}

it.each<[string, Partial<DurableEnd>, 'user' | null, object]>([
  ['success', {}, null, {status: 'success', endReason: 'exit', exitCode: 0, error: null}],
  ['the real exit code', {exitCode: 75}, null, {status: 'failed', endReason: 'exit', exitCode: 75, error: 'exit status 75'}],
  ['a signal', {exitCode: null, signal: 'SIGKILL'}, null, {status: 'failed', endReason: 'signal', signal: 'SIGKILL', error: 'ended by signal SIGKILL'}],
  ['a timeout, naming the limit', {exitCode: null, signal: 'SIGTERM', timedOut: true}, null, {status: 'failed', endReason: 'timeout', error: 'timed out: the limit of 90 s was reached'}],
  ['a command that is lost', {kind: 'lost', exitCode: null}, null, {status: 'failed', endReason: 'interrupted', exitCode: null}],
  ['a cancelled command', {exitCode: null, signal: 'SIGTERM', stopped: true}, 'user', {status: 'cancelled', endReason: 'user'}],
  ['a command that was done before the cancel reached it', {}, 'user', {status: 'success', endReason: 'exit'}],
])('tells %s', (_, change, cancelReason, expected) => {
  expect(toAttemptOutcome({...end, ...change}, 90_000, cancelReason)).toMatchObject(expected)
})

function result(serverId: string, change: Partial<ServerResult>): ServerResult {
  return {serverId, status: 'success', endReason: 'exit', exitCode: 0, error: null, startedAt: null, finishedAt: null, ...change}
}

it('is a success only where every server is one', () => {
  expect(toRunOutcome([result('a', {}), result('b', {})])).toEqual({status: 'success', endReason: 'exit', exitCode: 0, error: null})
  const failed = toRunOutcome([result('a', {}), result('b', {status: 'failed', exitCode: 9, error: 'exit status 9'})])
  expect(failed).toEqual({status: 'failed', endReason: 'exit', exitCode: 1, error: 'b: exit status 9'})
})

it('keeps the exit code of a single server', () => {
  expect(toRunOutcome([result('a', {status: 'failed', exitCode: 9, error: 'exit status 9'})])).toMatchObject({exitCode: 9, error: 'exit status 9'})
})

it('does not call a run green that passed over a busy server', () => {
  const servers = [result('a', {}), result('b', {status: 'skipped', endReason: 'overlap', exitCode: null, error: 'run jrun_1 is still going on there'})]
  expect(toRunOutcome(servers)).toMatchObject({status: 'failed', endReason: 'overlap', error: 'b: run jrun_1 is still going on there'})
})

it('makes one bounded line of any text, half characters and NUL bytes included', () => {
  expect(cleanText('a\u0000b\nc\ud800d')).toBe('a b c\ufffdd')
  expect(cleanText('😀'.repeat(5000))).toHaveLength(4095)
})

it.each([
  ['2026-01-01T00:00:05.000Z', '2026-01-01T00:00:05.000Z'],
  ['2020-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'],
  ['2030-01-01T00:00:00.000Z', '2026-01-01T00:00:10.000Z'],
  [null, '2026-01-01T00:00:10.000Z'],
])('puts %s of a server whose clock may be wrong at %s', (instant, expected) => {
  expect(clampInstant(instant, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:10.000Z')).toBe(expected)
})
