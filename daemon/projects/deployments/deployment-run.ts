import {sleep} from '../../clock.js'
import type {RunFeed} from '../../jobs/run-feed.js'
import {describeError} from '../../log.js'
import type {OutputStore} from '../../store/output.js'
import {carryOut, type CarryOutParts, type CarriedOut} from './carry-out.js'
import {DeploymentBook} from './deployment-book.js'
import type {DeploymentWork} from './deployment-executor.js'
import {DeploymentFailure, isUnreachable, toFailure} from './deployment-failure.js'
import {DeploymentLog} from './deployment-log.js'
import {DeploymentCancelled, DeploymentReleased} from './deployment-signals.js'
import {failDeployment} from './fail-deployment.js'
import {finishDeployment} from './finish-deployment.js'
import {InterruptionMeter} from './interruption-meter.js'
import {Deployments, type DeploymentRecord} from './records.js'
import {resumeSwitch} from './resume-switch.js'

export interface DeploymentRunParts extends CarryOutParts {
  readonly outputs: OutputStore
  readonly feed: RunFeed
}

const mostAttempts = 3
const graceMs = 20_000
const firstWaitMs = 1_000
const longestWaitMs = 60_000

/** One deployment from where it stands to its end. */
export class DeploymentRun implements DeploymentWork {
  readonly #parts: DeploymentRunParts
  readonly #id: string
  readonly #cancelled = new AbortController()
  readonly #released = new AbortController()
  /** Follows a release after a while, so that services which are being replaced are not left half-way. */
  readonly #gone = new AbortController()
  #stopGrace: (() => void) | undefined

  constructor(parts: DeploymentRunParts, id: string) {
    this.#parts = parts
    this.#id = id
  }

  cancel(): void {
    this.#cancelled.abort(new DeploymentCancelled())
  }

  release(): void {
    this.#released.abort(new DeploymentReleased())
    this.#stopGrace ??= this.#parts.clock.after(graceMs, () => this.#gone.abort(new DeploymentReleased()))
  }

  async run(): Promise<void> {
    const {outputs, feed, clock, log: logger} = this.#parts
    const book = new DeploymentBook(this.#parts, this.#id, this.#gone.signal)
    const record = await book.begin()
    if (record === undefined) return
    const log = new DeploymentLog({log: await outputs.open(this.#id), clock, logger, signal: this.#gone.signal, onStored: () => feed.notify(this.#id)})
    try {
      await this.#carry(record, book, log)
    } catch (error) {
      // The next daemon goes on from what is stored.
      if (!this.#released.signal.aborted) throw error
    } finally {
      this.#stopGrace?.()
      await log.end()
      await outputs.release(this.#id)
    }
  }

  async #carry(record: DeploymentRecord, book: DeploymentBook, log: DeploymentLog): Promise<void> {
    const signals = {
      early: AbortSignal.any([this.#cancelled.signal, this.#released.signal]),
      late: AbortSignal.any([this.#cancelled.signal, this.#gone.signal]),
      gone: this.#gone.signal,
    }
    const run = {deployment: record, book, log, signals, meter: new InterruptionMeter()}
    try {
      const carried = await this.#attempt(run)
      await finishDeployment(this.#parts, run, carried)
    } catch (error) {
      if (this.#gone.signal.aborted || (await this.#isLetGo(error))) throw error
      await this.#fail(run, error)
    }
  }

  /** Whether the next daemon takes it up. What ends by force before anything was touched may fail in any words. */
  async #isLetGo(error: unknown): Promise<boolean> {
    const {signal} = this.#released
    if (!signal.aborted || this.#cancelled.signal.aborted) return false
    return error === signal.reason || (await this.#parts.store.get(Deployments, this.#id))?.stage === 'before-up'
  }

  async #attempt(run: DeploymentInHand): Promise<CarriedOut> {
    const {deployment, log} = run
    if (deployment.attempt > 1) log.line(`the daemon was started anew; attempt ${deployment.attempt}`, {level: 'warn'})
    if (deployment.request.cancelRequestedBy !== null) throw new DeploymentCancelled()
    if (deployment.attempt > mostAttempts) throw new DeploymentFailure('interrupted', `the daemon was stopped ${mostAttempts} times while this went on`)
    try {
      return await (deployment.stage === 'before-up' ? carryOut(this.#parts, run) : resumeSwitch(this.#parts, run))
    } catch (error) {
      if (!(await this.#isCutOff(run, error))) throw error
      return this.#reconcile(run, error)
    }
  }

  /** Whether the server went away while services were being replaced: then nobody knows what is there. */
  async #isCutOff({signals}: DeploymentInHand, error: unknown): Promise<boolean> {
    if (signals.late.aborted || !isUnreachable(error)) return false
    const record = await this.#parts.store.get(Deployments, this.#id)
    return record !== undefined && record.stage !== 'before-up'
  }

  // Asks until the server answers, then goes on. A cancel ends the asking; bringing the release before back then waits for the server.
  async #reconcile(run: DeploymentInHand, first: unknown): Promise<CarriedOut> {
    const {book, log, signals} = run
    log.line(`the server does not answer; this goes on when it does: ${first instanceof Error ? first.message : ''}`, {level: 'warn'})
    log.waitFor('the server to answer')
    for (let waitMs = firstWaitMs; ; waitMs = Math.min(waitMs * 2, longestWaitMs)) {
      await book.patch({status: 'reconciling'})
      await sleep(this.#parts.clock, waitMs, signals.late)
      try {
        return await resumeSwitch(this.#parts, run)
      } catch (error) {
        if (signals.late.aborted || !isUnreachable(error)) throw error
      }
    }
  }

  async #fail(run: DeploymentInHand, error: unknown): Promise<void> {
    const cancelled = this.#cancelled.signal.aborted || error instanceof DeploymentCancelled
    const failure = cancelled ? null : toFailure(error)
    if (failure?.reason === 'internal') this.#parts.log.error('a deployment failed for a reason nobody foresaw', {deployment: this.#id, error: describeError(error)})
    await failDeployment(this.#parts, run, failure)
  }
}

/** A deployment with what writes and ends it. */
export interface DeploymentInHand {
  readonly deployment: DeploymentRecord
  readonly book: DeploymentBook
  readonly log: DeploymentLog
  readonly meter: InterruptionMeter
  readonly signals: {
    /** Ends work that leaves nothing behind: a cancel, or the daemon stops. */
    readonly early: AbortSignal
    /** Ends work on running services: a cancel, or the daemon has to be gone. */
    readonly late: AbortSignal
    /** Ends what makes good: only that the daemon has to be gone. */
    readonly gone: AbortSignal
  }
}
