import {describe, expect, it} from 'vitest'
import {hear, nothingHeard} from '../../../../daemon/projects/live/heard-events.js'
import {judgeHealth} from '../../../../daemon/projects/live/judge-health.js'
import {parseSince} from '../../../../daemon/projects/live/log-since.js'
import type {ContainerFacts} from '../../../../daemon/servers/engine/engine.js'

const running: ContainerFacts = {
  id: 'c1', name: 'web', imageId: 'i', imageRef: 'lab/web:1', labels: {}, state: 'running', health: null, healthOutput: null, exitCode: null, outOfMemory: false,
  restartCount: 0, pid: null, startedAt: null, finishedAt: null, addresses: {}, ports: [],
}
const exited = (exitCode: number) => ({...running, state: 'exited' as const, exitCode})
const heard = (...actions: string[]) => actions.reduce(hear, nothingHeard)

describe('how a service fares', () => {
  it.each([
    ['runs', running, [], 'well'],
    ['passes its check', {...running, health: 'healthy' as const}, [], 'well'],
    ['is on its way', {...running, health: 'starting' as const}, [], 'unknown'],
    ['fails its check', {...running, health: 'unhealthy' as const}, [], 'unhealthy'],
    ['was stopped by somebody', exited(1), ['kill', 'die', 'stop'], 'stopped'],
    ['was killed by somebody', exited(137), ['kill', 'die'], 'stopped'],
    ['ended by itself', exited(3), ['die'], 'unhealthy'],
    ['ended while nobody listened', exited(3), [], 'unhealthy'],
    ['was told to end while nobody listened', exited(143), [], 'stopped'],
    ['is a task that is done', exited(0), ['die'], 'stopped'],
    ['ended once and was started again', running, ['die', 'start'], 'unknown'],
    ['keeps ending', running, ['die', 'start', 'die', 'start', 'die', 'start'], 'unhealthy'],
    ['keeps ending, seen between', {...running, state: 'restarting' as const, exitCode: 1}, ['die', 'start', 'die', 'start', 'die'], 'unhealthy'],
    ['was out of memory', exited(137), ['oom', 'die'], 'unhealthy'],
    ['is healthy after some ends', {...running, health: 'healthy' as const}, ['die', 'start', 'die', 'start', 'die', 'start', 'health_status: healthy'], 'well'],
    ['was started again after a stop', running, ['kill', 'die', 'stop', 'start'], 'well'],
    ['was told to read its settings again and ended later', exited(1), ['kill', 'start', 'die'], 'unhealthy'],
  ])('one that %s', (_, container, actions, status) => {
    expect(judgeHealth(container, heard(...actions)).status).toBe(status)
  })

  it('comes with a reason that says what the check printed', () => {
    expect(judgeHealth({...running, health: 'unhealthy', healthOutput: 'connection refused\n'}, nothingHeard)).toEqual({status: 'unhealthy', reason: 'its health check failed several times in a row: connection refused'})
  })
})

describe('since', () => {
  const now = Date.parse('2030-01-02T00:00:00.000Z')
  it.each([['10m', '2030-01-01T23:50:00.000Z'], ['1h30m', '2030-01-01T22:30:00.000Z'], ['2d', '2029-12-31T00:00:00.000Z'], ['2030-01-01T00:00:00.123456789Z', '2030-01-01T00:00:00.123456789Z'], ['2030-01-01', '2030-01-01']])('%s is %s', (text, instant) => {
    expect(parseSince(text, now)).toBe(instant)
  })
  it.each(['', 'soon', '10', 'm', '10x', '5m later', '2030-13-01', '1h;rm'])('%j is refused', (text) => {
    expect(() => parseSince(text, now)).toThrow(expect.objectContaining({code: 'VALIDATION_ERROR'}))
  })
})
