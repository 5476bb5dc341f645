import {Fault} from '../../src/contract/faults.js'
import type {RunSummary, RunTrigger} from '../../src/contract/jobs.js'
import {toInstant, type Clock} from '../clock.js'
import type {Actor} from '../events/record.js'
import {describeError, type Log} from '../log.js'
import {newId} from '../store/ids.js'
import type {Store} from '../store/store.js'
import {endRun, type EndRunParts} from './end-run.js'
import type {JobLinks} from './job-links.js'
import {Runs, type RunRecord} from './records.js'
import type {RunOutcome} from './run-outcome.js'
import type {SystemJobRegistry, SystemJobWork} from './system-jobs.js'

export interface SystemJobParts extends EndRunParts {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly links: JobLinks
  readonly registry: SystemJobRegistry
}

export interface SystemJobRequest {
  readonly key: string
  readonly trigger: RunTrigger
  readonly actor: Actor
  readonly scheduledFor?: string
  readonly signal?: AbortSignal
}

export interface SystemJobAnswer {
  /** Absent where a success that did nothing was not worth a row. */
  readonly runId: string | undefined
  readonly summary: RunSummary
}

export type RunSystemJob = (request: SystemJobRequest) => Promise<SystemJobAnswer>

const longestMs = 10 * 60_000
// Jobs that fire every few minutes leave a row for a quiet success once in this time.
const quietRowMs = 3600_000

/** Runs system jobs inside the daemon: one at a time of each, at most ten minutes, with a row of history. */
export function createRunSystemJob(parts: SystemJobParts): RunSystemJob {
  const running = new Set<string>()
  return async (request) => {
    const job = parts.registry.find(request.key)
    if (job === undefined) throw new Fault('VALIDATION_ERROR', `job ${request.key} has nothing to run in this instance`)
    if (running.has(job.key)) throw new Fault('OVERLAP', `job ${job.key} is running already`)
    running.add(job.key)
    // A body that ignores its limit keeps its place until it really ends.
    const work: SystemJobWork = async (signal) => {
      try {
        return await job.run(signal)
      } finally {
        running.delete(job.key)
      }
    }
    return new SystemRun(parts, request, work).run()
  }
}

class SystemRun {
  readonly #parts: SystemJobParts
  readonly #request: SystemJobRequest
  readonly #work: SystemJobWork

  constructor(parts: SystemJobParts, request: SystemJobRequest, work: SystemJobWork) {
    this.#parts = parts
    this.#request = request
    this.#work = work
  }

  async run(): Promise<SystemJobAnswer> {
    const {store} = this.#parts
    const run = toSystemRun(this.#request, toInstant(this.#parts.clock.now()))
    const quiet = await this.#mayBeQuiet()
    if (!quiet) await store.transaction((transaction) => transaction.insert(Runs, run))
    const {summary, error} = await this.#perform()
    if (quiet && error === undefined && isIdle(summary)) return {runId: undefined, summary}
    const outcome: RunOutcome =
      error === undefined ? {status: 'success', endReason: 'exit', exitCode: null, error: null} : {status: 'failed', endReason: error.timedOut ? 'timeout' : 'exit', exitCode: null, error: error.text}
    await this.#record(run, quiet, error === undefined ? summary : null, outcome)
    if (error !== undefined) throw new Fault('INTERNAL', `job ${run.jobKey} failed: ${error.text}`, {details: {runId: run.id}, suggestions: [`runs show ${run.id}`]})
    return {runId: run.id, summary}
  }

  async #perform(): Promise<{summary: Record<string, number>; error?: {text: string; timedOut: boolean}}> {
    const {clock, log} = this.#parts
    const deadline = new AbortController()
    const timedOut = new Fault('INTERNAL', 'it took longer than 10 minutes')
    const cancel = clock.after(longestMs, () => deadline.abort(timedOut))
    const signal = this.#request.signal === undefined ? deadline.signal : AbortSignal.any([deadline.signal, this.#request.signal])
    try {
      return {summary: {...(await orAborted(this.#work(signal), signal))}}
    } catch (error) {
      log.error('a system job failed', {job: this.#request.key, error: describeError(error)})
      const text = error instanceof Fault ? error.message : 'an error inside the daemon; its log has the details'
      return {summary: {}, error: {text, timedOut: error === timedOut}}
    } finally {
      cancel()
    }
  }

  async #mayBeQuiet(): Promise<boolean> {
    if (this.#request.trigger === 'manual') return false
    const {items} = await this.#parts.store.page(Runs, 'job', [this.#request.key], {limit: 1})
    const newest = items[0]
    return newest !== undefined && this.#parts.clock.now() - Date.parse(newest.createdAt) < quietRowMs
  }

  async #record(run: RunRecord, quiet: boolean, summary: RunSummary | null, outcome: RunOutcome): Promise<void> {
    const dependents = await this.#parts.links.dependentsOf(run.jobKey)
    await this.#parts.store.transaction(async (transaction) => {
      if (quiet) await transaction.insert(Runs, run)
      await endRun(this.#parts, transaction, {...run, summary}, {outputBytes: 0, dependents, outcome})
    })
  }
}

function toSystemRun({key, trigger, actor, scheduledFor}: SystemJobRequest, now: string): RunRecord {
  return {
    id: newId('jrun'),
    jobKey: key,
    organizationId: null,
    kind: 'system',
    trigger,
    status: 'running',
    endReason: null,
    active: true,
    serverIds: [],
    attempt: 1,
    retryOf: null,
    startedBy: actor.userId,
    scheduledFor: scheduledFor ?? null,
    parameters: null,
    startedAt: now,
    finishedAt: null,
    durationMs: null,
    exitCode: null,
    servers: [],
    summary: null,
    error: null,
    cancelRequestedBy: null,
    createdAt: now,
  }
}

function isIdle(summary: Readonly<Record<string, number>>): boolean {
  return Object.values(summary).every((count) => count === 0)
}

// The answer does not wait for a body that ignores its signal.
function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason)
    signal.addEventListener('abort', onAbort, {once: true})
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}
