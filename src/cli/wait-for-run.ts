import type {Client} from '../client/client.js'
import {followRun, hasEnded} from '../client/follow-run.js'
import {Fault} from '../contract/faults.js'
import type {Run, RunEvent} from '../contract/run.js'
import {runOutcome} from './run-text.js'
import {formatDuration} from './time-text.js'
import {waitForEnd, type WaitOptions} from './wait-for-end.js'

/** Follows a run to its end. */
export function waitForRun(api: Client, runId: string, options: WaitOptions<RunEvent>): Promise<Run> {
  return waitForEnd({
    follow: (following) => followRun(api, runId, following),
    show: async (signal) => (await api.jobs.showRun({params: {runId}}, {signal})).data,
    stoppedWaiting: (timeoutMs) => stoppedWaiting(runId, timeoutMs),
  }, options)
}

/** Throws unless the run succeeded. The fault carries the run, without its output. */
export function requireSuccess(run: Run): void {
  if (run.status === 'success') return
  const {output: _output, ...rest} = run
  if (!hasEnded(run)) throw stoppedWaiting(run.id, 0)
  throw new Fault('RUN_FAILED', runOutcome(run), {details: {run: rest}, suggestions: [`runs logs ${run.id}`]})
}

function stoppedWaiting(runId: string, timeoutMs: number): Fault {
  return new Fault('WAIT_TIMEOUT', `run ${runId} goes on; stopped waiting after ${formatDuration(timeoutMs)}`, {
    details: {runId, timeoutMs}, suggestions: [`runs watch ${runId}`],
  })
}
