import type {ServerResult} from '../../src/contract/run.js'
import {toInstant, type Clock} from '../clock.js'
import type {RecordEvent} from '../events/event-log.js'
import {systemActor} from '../events/record.js'
import type {Log} from '../log.js'
import type {Store, Transaction} from '../store/store.js'
import {endRun, toRunEvent, type EndRunParts, type RunEnding} from './end-run.js'
import {Jobs, RunLeftovers, Runs, type RunLeftover, type RunRecord, type ServerProgress} from './records.js'
import type {RunFeed} from './run-feed.js'
import {clampInstant, type AttemptOutcome} from './run-outcome.js'
import {untilStored} from './until-stored.js'

export interface RunBookParts extends EndRunParts {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly feed: RunFeed
  readonly recordEvent: RecordEvent
}

export interface ServerEnd {
  readonly outcome: AttemptOutcome
  readonly attempt: number
  readonly startedAt: string | null
  readonly finishedAt: string | null
  readonly leftover: RunLeftover | undefined
  /** More for the summary, such as why billing refused. */
  readonly summary?: Readonly<Record<string, unknown>>
}

/** Writes what happens to one active run. Each change is a transaction on the record as it then is, repeated until the disk takes it. */
export class RunBook {
  readonly #parts: RunBookParts
  readonly #runId: string
  readonly #signal: AbortSignal

  constructor(parts: RunBookParts, runId: string, signal: AbortSignal) {
    this.#parts = parts
    this.#runId = runId
    this.#signal = signal
  }

  /** The command of a server is known to run. The first one starts the run. */
  async noteStarted(index: number, attempt: number, startedAt: string): Promise<void> {
    await this.#change(async (transaction, run, now) => {
      const at = clampInstant(startedAt, run.createdAt, now)
      const first = run.status === 'queued'
      const begun = first ? {...run, status: 'running' as const, startedAt: at} : run
      const result = {status: 'running' as const, startedAt: run.servers[index]?.startedAt ?? at, attempts: attempt, error: null}
      const changed = withProgress(withResult(begun, index, result), index, {started: true, retryAt: null})
      await transaction.put(Runs, changed)
      if (!first || run.kind !== 'custom') return
      const job = await transaction.findOne(Jobs, 'key', [run.jobKey])
      await this.#parts.recordEvent(transaction, toRunEvent('job_run.started', changed, job, systemActor))
    })
  }

  /** What a person should know of a server while it goes on; null when the trouble is over. */
  async noteTrouble(index: number, error: string | null): Promise<void> {
    await this.#change((transaction, run) => transaction.put(Runs, withResult(run, index, {error})))
  }

  /** An attempt failed and another one comes. */
  async noteRetry(index: number, end: ServerEnd, next: ServerProgress): Promise<void> {
    await this.#change(async (transaction, run) => {
      const {error, exitCode, signal} = end.outcome
      const changed = withProgress(withResult(run, index, {error, exitCode, signal, attempts: end.attempt}), index, next)
      await transaction.put(Runs, {...changed, attempt: Math.max(changed.attempt, next.attempt)})
      if (end.leftover !== undefined) await transaction.insert(RunLeftovers, end.leftover)
    })
  }

  /** Nothing more happens on a server; with the last one the run ends. */
  async closeServer(index: number, end: ServerEnd, ending: Omit<RunEnding, 'outcome'>): Promise<void> {
    await this.#change(async (transaction, run, now) => {
      const {outcome, attempt, summary} = end
      const startedAt = run.servers[index]?.startedAt ?? (end.startedAt === null ? null : clampInstant(end.startedAt, run.createdAt, now))
      const finishedAt = clampInstant(end.finishedAt, startedAt ?? run.createdAt, now)
      const closed = withResult({...run, startedAt: run.startedAt ?? startedAt}, index, {...outcome, startedAt, finishedAt, attempts: attempt})
      const changed = summary === undefined ? closed : {...closed, summary: {...closed.summary, ...summary}}
      if (end.leftover !== undefined) await transaction.insert(RunLeftovers, end.leftover)
      if (changed.servers.every((result) => result.finishedAt !== null || result.status === 'skipped')) await endRun(this.#parts, transaction, changed, ending)
      else await transaction.put(Runs, changed)
    })
  }

  /** Ends the run as a whole, whatever its servers did. */
  async end(ending: RunEnding): Promise<void> {
    await this.#change(async (transaction, run, now) => {
      const outcome = ending.outcome
      const servers = run.servers.map((result) => (result.finishedAt === null && outcome !== undefined ? {...result, status: outcome.status, endReason: outcome.endReason, error: outcome.error, finishedAt: now} : result))
      await endRun(this.#parts, transaction, {...run, servers}, ending)
    })
  }

  // Does nothing to a run that has ended: it is never opened again.
  async #change(work: (transaction: Transaction, run: RunRecord, now: string) => Promise<void>): Promise<void> {
    const {store, clock, feed} = this.#parts
    await untilStored(this.#parts, this.#signal, () =>
      store.transaction(async (transaction) => {
        const run = await transaction.get(Runs, this.#runId)
        if (run?.active === true) await work(transaction, run, toInstant(clock.now()))
      }),
    )
    feed.notify(this.#runId)
  }
}

function withResult(run: RunRecord, index: number, change: Partial<ServerResult>): RunRecord {
  return {...run, servers: run.servers.map((result, at) => (at === index ? {...result, ...change} : result))}
}

function withProgress(run: RunRecord, index: number, change: Partial<ServerProgress>): RunRecord {
  return {...run, progress: (run.progress ?? []).map((progress, at) => (at === index ? {...progress, ...change} : progress))}
}
