import type {EndReason} from '../../src/contract/run.js'
import {sleep, toInstant, type Clock} from '../clock.js'
import {describeError, type Log} from '../log.js'
import type {Runner} from '../servers/runner.js'
import type {Store} from '../store/store.js'
import type {Billing} from './billing.js'
import {CommandFollower, type FollowedCommand, type FollowLimits} from './follow-command.js'
import {Runs, type RunLeftover, type RunPlan, type RunRecord, type ServerProgress} from './records.js'
import type {RunBook, ServerEnd} from './run-book.js'
import {toRunEnvironment} from './run-environment.js'
import type {RunFeed} from './run-feed.js'
import type {LeftoverSweeper} from './run-leftovers.js'
import {cancelledOutcome, failedOutcome, type AttemptOutcome} from './run-outcome.js'
import type {RunOutput} from './run-output.js'
import {isOpenOn} from './run-overlap.js'
import type {RunSlots} from './run-slots.js'

export interface ServerRunParts {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly slots: RunSlots
  readonly feed: RunFeed
  readonly billing: Billing
  readonly leftovers: LeftoverSweeper
  readonly runnerFor: (serverId: string) => Runner | Promise<Runner>
  readonly followLimits: FollowLimits
}

export interface ServerRunContext {
  readonly run: RunRecord
  readonly index: number
  readonly serverId: string
  readonly plan: RunPlan
  readonly progress: ServerProgress
  /** True where an earlier daemon may have started the command. */
  readonly recovered: boolean
  readonly book: RunBook
  readonly secrets: () => Readonly<Record<string, string>>
  /** Opens it when the first command is about to start. */
  readonly openOutput: () => Promise<RunOutput>
  readonly outputBytes: () => Promise<number>
  readonly dependents: () => Promise<readonly string[]>
  readonly cancel: AbortSignal
  readonly cancelReason: () => EndReason
  readonly release: AbortSignal
}

/** One server's part of a run: attempts, with the waits before and between them, up to its result. */
export class ServerRun {
  readonly #parts: ServerRunParts
  readonly #context: ServerRunContext
  readonly #wait: AbortSignal

  constructor(parts: ServerRunParts, context: ServerRunContext) {
    this.#parts = parts
    this.#context = context
    this.#wait = AbortSignal.any([context.release, context.cancel])
  }

  async run(): Promise<void> {
    const {book, index} = this.#context
    let progress = this.#context.progress
    for (let first = true; ; first = false) {
      const attempted = await this.#attempt(progress, first && this.#context.recovered)
      const next = this.#nextAttempt(progress, attempted)
      const end = this.#toEnd(progress, attempted, next)
      if (next === undefined) return this.#close(end)
      await book.noteRetry(index, end, next)
      if (end.leftover !== undefined) this.#parts.leftovers.sweep(end.leftover)
      progress = next
    }
  }

  async #attempt(progress: ServerProgress, recovered: boolean): Promise<FollowedCommand & {summary?: Record<string, unknown>}> {
    let giveBack: (() => void) | undefined
    try {
      // What may be running already needs no permission to go on; its slot is counted all the same.
      if (progress.started) giveBack = this.#parts.slots.take(this.#context.serverId)
      else {
        await this.#untilDue(progress)
        giveBack = await this.#parts.slots.acquire(this.#context.serverId, this.#wait)
        const refusal = await this.#askBilling()
        if (refusal !== undefined) return refusal
      }
      return await this.#follow(progress, recovered)
    } catch (error) {
      this.#context.release.throwIfAborted()
      const launched = progress.started || recovered
      if (this.#context.cancel.aborted && error === this.#context.cancel.reason) return unlaunched(cancelledOutcome(this.#context.cancelReason(), null), launched)
      this.#parts.log.error('a run failed by a fault of ours', {run: this.#context.run.id, server: this.#context.serverId, error: describeError(error)})
      return unlaunched(failedOutcome('interrupted', 'an error inside the daemon ended the run; its log has the details'), true)
    } finally {
      giveBack?.()
    }
  }

  // Before the first attempt: until runs that came earlier are done with this server. Before others: until the back-off is over.
  async #untilDue(progress: ServerProgress): Promise<void> {
    const {clock, store, feed} = this.#parts
    const {plan, serverId} = this.#context
    if (progress.retryAt !== null) return sleep(clock, Math.max(0, Date.parse(progress.retryAt) - clock.now()), this.#wait)
    if (progress.attempt > 1) return
    for (const id of plan.after) {
      const watcher = feed.watch(id)
      try {
        for (let run = await store.get(Runs, id); run !== undefined && isOpenOn(run, serverId); run = await store.get(Runs, id)) await watcher.next(this.#wait)
      } finally {
        watcher.close()
      }
    }
    this.#wait.throwIfAborted()
  }

  async #askBilling(): Promise<(FollowedCommand & {summary: Record<string, unknown>}) | undefined> {
    const refusal = await this.#parts.billing(this.#parts.store, [this.#context.serverId])
    if (refusal === undefined) return undefined
    const {message, workspaceId, serverId} = refusal
    return {...unlaunched(failedOutcome('billing', message), false), summary: {code: 'CLOUD_BILLING_BLOCKED', workspaceId, serverId}}
  }

  async #follow(progress: ServerProgress, recovered: boolean): Promise<FollowedCommand> {
    const {run, plan, index, serverId, book, cancel, release, cancelReason, openOutput, secrets} = this.#context
    const {attempt, launch, started} = progress
    const output = await openOutput()
    if (attempt > 1) await output.noteRetry(serverId, attempt, plan.retry?.maxAttempts ?? attempt)
    const command = {
      id: this.#folderId(launch),
      script: plan.command,
      env: toRunEnvironment(run, plan, secrets(), attempt),
      timeoutMs: plan.timeoutMs,
      killGraceMs: this.#parts.followLimits.killGraceMs,
      outputLimitBytes: plan.outputLimitBytes,
      separateStderr: plan.separateStderr,
    }
    const follower = new CommandFollower({
      serverId,
      command,
      output: output.ofAttempt(serverId, launch),
      started,
      mayHaveStarted: recovered || attempt > launch,
      clock: this.#parts.clock,
      limits: this.#parts.followLimits,
      runnerFor: this.#parts.runnerFor,
      onStarted: (startedAt) => book.noteStarted(index, attempt, startedAt),
      onTrouble: (error) => book.noteTrouble(index, error),
      cancel,
      release,
      cancelReason,
    })
    return follower.follow()
  }

  #nextAttempt(progress: ServerProgress, {outcome, started}: FollowedCommand): ServerProgress | undefined {
    const {plan, cancel} = this.#context
    if (outcome.status !== 'failed' || outcome.endReason === 'billing' || cancel.aborted || plan.retry === null) return undefined
    if (progress.attempt >= plan.retry.maxAttempts) return undefined
    const retryAt = toInstant(this.#parts.clock.now() + plan.retry.backoffSeconds * 1000)
    // A command that may have started unseen is looked for again under its name, so that it never runs twice.
    const launch = started || progress.started ? progress.launch + 1 : progress.launch
    return {attempt: progress.attempt + 1, launch, started: false, retryAt}
  }

  #toEnd(progress: ServerProgress, attempted: FollowedCommand & {summary?: Record<string, unknown>}, next: ServerProgress | undefined): ServerEnd {
    const {outcome, startedAt, finishedAt, launched, loose, summary} = attempted
    const keeps = next !== undefined && next.launch === progress.launch
    const leftover: RunLeftover | undefined = !launched || keeps ? undefined : {id: this.#folderId(progress.launch), serverId: this.#context.serverId, stop: loose, createdAt: toInstant(this.#parts.clock.now())}
    const tried = launched || progress.attempt > 1 ? progress.attempt : 0
    return {outcome, attempt: tried, startedAt: attempted.started || progress.started ? startedAt : null, finishedAt, leftover, ...(summary === undefined ? {} : {summary})}
  }

  async #close(end: ServerEnd): Promise<void> {
    const {book, index, outputBytes, dependents} = this.#context
    await book.closeServer(index, end, {outputBytes: await outputBytes(), dependents: await dependents()})
    if (end.leftover !== undefined) this.#parts.leftovers.sweep(end.leftover)
  }

  #folderId(launch: number): string {
    return `${this.#context.run.id}.${this.#context.index}.${launch}`
  }
}

function unlaunched(outcome: AttemptOutcome, launched: boolean): FollowedCommand {
  return {outcome, startedAt: null, finishedAt: null, launched, started: false, loose: launched}
}
