import type {Client} from '../client/client.js'
import {hasEnded} from '../client/follow-run.js'
import {wait} from '../client/wait.js'
import {Fault} from '../contract/faults.js'
import type {Job} from '../contract/job.js'
import type {Run} from '../contract/run.js'
import {formatDuration} from './time-text.js'

const lookMs = 2000

export interface FollowJobOptions {
  readonly signal: AbortSignal
  /** How long to watch; without end unless given. */
  readonly timeoutMs: number | undefined
  /** End after the first run that ends. */
  readonly once: boolean
  readonly onJob: (job: Job) => void | Promise<void>
  /** Follows one run to its end. */
  readonly followRun: (runId: string, job: Job, signal: AbortSignal) => Promise<Run>
}

/** Follows each run of a job as it comes; between runs it looks every two seconds. Answers the last run. */
export async function followJob(api: Client, key: string, options: FollowJobOptions): Promise<Run> {
  const limit = new AbortController()
  const {timeoutMs} = options
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => limit.abort(stoppedWatching(key, timeoutMs)), timeoutMs)
  const signal = AbortSignal.any([options.signal, limit.signal])
  try {
    return await follow(api, key, {...options, signal})
  } catch (error) {
    if (signal.aborted) throw signal.reason
    throw error
  } finally {
    clearTimeout(timer)
  }
}

function stoppedWatching(key: string, timeoutMs: number): Fault {
  return new Fault('WAIT_TIMEOUT', `stopped watching ${key} after ${formatDuration(timeoutMs)}`, {details: {key, timeoutMs}, suggestions: [`jobs history ${key}`]})
}

async function follow(api: Client, key: string, {signal, once, onJob, followRun}: FollowJobOptions): Promise<Run> {
  let known: string | undefined
  for (let first = true; ; first = false) {
    const {data: job} = await api.jobs.show({params: {key}}, {signal})
    await onJob(job)
    const run = job.lastRun
    // What had ended before the watching began is history.
    if (first && run !== null && hasEnded(run)) known = run.id
    if (run !== null && run.id !== known) {
      known = run.id
      const ended = await followRun(run.id, job, signal)
      if (once) return ended
    }
    await wait(lookMs, signal)
  }
}
