import {Fault} from '../../src/contract/faults.js'
import type {EndReason, RunSummary} from '../../src/contract/run.js'
import {toInstant, type Clock} from '../clock.js'
import {describeError, type Log} from '../log.js'
import type {Store} from '../store/store.js'
import {endRun, type EndRunParts} from './end-run.js'
import type {JobLinks} from './job-links.js'
import {Runs, type RunRecord} from './records.js'
import type {RunOutcome} from './run-outcome.js'
import type {SystemJob, SystemJobRegistry} from './system-jobs.js'

export interface SystemJobParts extends EndRunParts {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly links: JobLinks
  readonly registry: SystemJobRegistry
}

export interface SystemJobAnswer {
  readonly runId: string
  readonly summary: RunSummary
}

const longestMs = 10 * 60_000
// Jobs that fire every few minutes leave a row for a quiet success once in this time.
const quietRowMs = 3600_000

interface Performed {
  readonly summary: Readonly<Record<string, number>>
  readonly failure?: {readonly endReason: EndReason; readonly text: string}
}

/** Runs system jobs inside the daemon: one at a time of each, at most ten minutes, with a row of history. */
export class SystemJobRunner {
  readonly #parts: SystemJobParts
  readonly #answers = new Map<string, Promise<SystemJobAnswer>>()
  readonly #busy = new Set<string>()
  readonly #stop = new AbortController()

  constructor(parts: SystemJobParts) {
    this.#parts = parts
  }

  /** Does what a queued run of a system job asks for. Asked again for the same run, it answers the same. */
  execute(run: RunRecord): Promise<SystemJobAnswer> {
    const known = this.#answers.get(run.id)
    if (known !== undefined) return known
    const answer = this.#execute(run).finally(() => this.#answers.delete(run.id))
    this.#answers.set(run.id, answer)
    return answer
  }

  /** Ends what is going on; it is recorded as interrupted. */
  async stop(): Promise<void> {
    this.#stop.abort(new Error('the daemon stops'))
    await Promise.allSettled(this.#answers.values())
  }

  async #execute(run: RunRecord): Promise<SystemJobAnswer> {
    const current = await this.#parts.store.get(Runs, run.id)
    if (current?.active !== true) return {runId: run.id, summary: current?.summary ?? {}}
    const startedAt = toInstant(this.#parts.clock.now())
    await this.#parts.store.transaction((transaction) => transaction.put(Runs, {...run, status: 'running', startedAt}))
    const {summary, failure} = await this.#perform(run.jobKey)
    const ended = {...run, startedAt, summary: failure === undefined ? summary : null}
    if (failure === undefined && isIdle(summary) && (await this.#isQuiet(run))) await this.#forget(run)
    else await this.#end(ended, failure)
    if (failure === undefined) return {runId: run.id, summary}
    throw new Fault('INTERNAL', `job ${run.jobKey} failed: ${failure.text}`, {details: {runId: run.id}, suggestions: [`runs show ${run.id}`]})
  }

  async #perform(key: string): Promise<Performed> {
    const {clock, log, registry} = this.#parts
    const job = registry.find(key)
    if (job === undefined) return {summary: {}, failure: {endReason: 'dependency', text: 'this instance has nothing to run for it'}}
    if (this.#busy.has(key)) return {summary: {}, failure: {endReason: 'overlap', text: 'the run before it has passed its limit and still goes on'}}
    const deadline = new AbortController()
    const cancel = clock.after(longestMs, () => deadline.abort(new Error('the limit of a system job')))
    try {
      return {summary: await this.#work(job, AbortSignal.any([deadline.signal, this.#stop.signal]))}
    } catch (error) {
      log.error('a system job failed', {job: key, error: describeError(error)})
      if (this.#stop.signal.aborted) return {summary: {}, failure: {endReason: 'interrupted', text: 'the daemon stopped while this was running'}}
      if (deadline.signal.aborted) return {summary: {}, failure: {endReason: 'timeout', text: 'timed out: the limit of 600 s was reached'}}
      return {summary: {}, failure: {endReason: 'exit', text: error instanceof Fault ? error.message : 'an error inside the daemon; its log has the details'}}
    } finally {
      cancel()
    }
  }

  // A body that ignores its signal is not waited for, but keeps its place until it really ends.
  #work(job: SystemJob, signal: AbortSignal): Promise<Readonly<Record<string, number>>> {
    this.#busy.add(job.key)
    const work = job.run(signal).finally(() => this.#busy.delete(job.key))
    return new Promise((resolve, reject) => {
      const onAbort = () => reject(signal.reason)
      signal.addEventListener('abort', onAbort, {once: true})
      work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
    })
  }

  async #isQuiet(run: RunRecord): Promise<boolean> {
    if (run.trigger === 'manual') return false
    const {items} = await this.#parts.store.page(Runs, 'job', [run.jobKey], {limit: 1, where: (other) => other.id !== run.id})
    const before = items[0]
    return before !== undefined && Date.parse(run.createdAt) - Date.parse(before.createdAt) < quietRowMs
  }

  async #forget(run: RunRecord): Promise<void> {
    await this.#parts.store.transaction((transaction) => transaction.delete(Runs, run.id))
  }

  async #end(run: RunRecord, failure: Performed['failure']): Promise<void> {
    const {store, links} = this.#parts
    const dependents = await links.dependentsOf(run.jobKey)
    const outcome: RunOutcome =
      failure === undefined
        ? {status: 'success', endReason: 'exit', exitCode: null, error: null}
        : {status: 'failed', endReason: failure.endReason, exitCode: null, error: failure.text}
    await store.transaction((transaction) => endRun(this.#parts, transaction, run, {outputBytes: 0, dependents, outcome}))
  }
}

function isIdle(summary: Readonly<Record<string, number>>): boolean {
  return Object.values(summary).every((count) => count === 0)
}
