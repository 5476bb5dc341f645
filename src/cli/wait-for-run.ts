import type {Client} from '../client/client.js'
import {followRun, hasEnded} from '../client/follow-run.js'
import {Fault} from '../contract/faults.js'
import type {Run, RunEvent} from '../contract/run.js'
import {runOutcome} from './run-text.js'
import {formatDuration} from './time-text.js'

export interface WaitOptions {
  readonly signal: AbortSignal
  /** How long to wait; as long as it takes unless given. */
  readonly timeoutMs: number | undefined
  /** Lines of output to begin with; all unless given. */
  readonly tail?: number
  readonly onEvent?: (event: RunEvent) => Promise<void> | void
  readonly onReconnect?: () => void
}

/** Follows a run to its end and answers with the run itself, which has the last word on how it ended. */
export async function waitForRun(api: Client, runId: string, options: WaitOptions): Promise<Run> {
  const limit = new AbortController()
  const timer = options.timeoutMs === undefined ? undefined : setTimeout(() => limit.abort(stoppedWaiting(runId, options.timeoutMs ?? 0)), options.timeoutMs)
  const signal = AbortSignal.any([options.signal, limit.signal])
  try {
    for await (const event of followRun(api, runId, {signal, ...(options.tail !== undefined && {tail: options.tail}), ...(options.onReconnect && {onReconnect: options.onReconnect})})) {
      await options.onEvent?.(event)
    }
    return (await api.jobs.showRun({params: {runId}}, {signal})).data
  } catch (error) {
    if (signal.aborted) throw signal.reason
    throw error
  } finally {
    clearTimeout(timer)
  }
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
