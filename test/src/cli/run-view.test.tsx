import {render} from 'ink-testing-library'
import {expect, test} from 'vitest'
import {advance, shownLines, startState, withRun} from '../../../src/cli/views/run-view-state.js'
import {RunView} from '../../../src/cli/views/run-view.js'
import type {Run, RunEvent, ServerResult} from '../../../src/contract/run.js'

const at = '2030-01-01T00:00:00.000Z'
const result = (serverId: string, status: ServerResult['status'], exitCode: number | null): ServerResult => ({serverId, status, endReason: null, exitCode, startedAt: at, finishedAt: null})
const run: Run = {
  id: 'jrun_1', jobId: 'custom:a', jobKey: 'custom:a', kind: 'custom', trigger: 'manual', status: 'running', endReason: null, serverId: null, attempt: 1, retryOf: null, startedBy: null,
  scheduledFor: null, parameters: null, startedAt: at, finishedAt: null, durationMs: null, output: null, outputBytes: 0, error: null, createdAt: at,
  summary: {servers: [result('srv_1', 'success', 0), result('srv_2', 'running', null)]},
}
const log = (line: string, serverId = 'srv_1'): RunEvent => ({type: 'log', line, level: 'info', serverId, at})
const names = new Map([['srv_1', 'web-1'], ['srv_2', 'web-2']])

test('the view shows state, progress of each server and the last lines', () => {
  const state = [log('one'), log('two', 'srv_2')].reduce(advance, startState(run))
  const {lastFrame} = render(<RunView state={state} serverNames={names} nowMs={Date.parse(at) + 63_000} colour={false} />)
  expect(lastFrame()?.split('\n')).toEqual(['custom:a jrun_1 running 1m 3s 1/2 servers', '  web-1 success exit 0', '  web-2 running', '[web-1] one', '[web-2] two'])
})

test('the view keeps the last lines and says how many there were before', () => {
  const state = Array.from({length: 100}, (_, index) => log(`line ${index}`)).reduce(advance, startState(run))
  expect(state.tail).toHaveLength(shownLines)
  const {lastFrame} = render(<RunView state={state} serverNames={names} nowMs={Date.parse(at)} colour={false} />)
  expect(lastFrame()).toContain(`… ${100 - shownLines} lines above`)
  expect(lastFrame()).toContain('line 99')
})

test('output can not steer the view', () => {
  expect(advance(startState(run), log('a\u001B[2J\u001B[Hb')).tail).toEqual([{serverId: 'srv_1', text: 'ab'}])
})

test('the end of the run is its own word, and a snapshot keeps the lines', () => {
  const after = advance(advance(startState(run), log('one')), {type: 'complete', status: 'failed', endReason: 'exit', error: 'exit status 3'})
  expect(after).toMatchObject({status: 'failed', error: 'exit status 3'})
  const again = advance(after, {type: 'snapshot', run: {...run, status: 'success'}})
  expect(again).toMatchObject({status: 'success', lineCount: 1})
  expect(withRun(again, {...run, finishedAt: at}).finishedAt).toBe(at)
})
