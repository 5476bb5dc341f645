import type {EndReason} from '../../src/contract/run.js'
import type {OutputStore} from '../store/output.js'
import type {JobLinks} from './job-links.js'
import {createStreamMaskers} from './mask-stream.js'
import {RunPlans, Runs, type RunPlan, type RunRecord} from './records.js'
import {RunBook, type RunBookParts} from './run-book.js'
import {findCancelReason} from './run-outcome.js'
import {RunOutput} from './run-output.js'
import {ServerRun, type ServerRunParts} from './server-run.js'
import {untilStored} from './until-stored.js'

/** Opens the sealed secrets of a job; throws where one can not be read. */
export type OpenSecrets = (plan: Pick<RunPlan, 'jobId' | 'secrets'>) => Readonly<Record<string, string>>

export interface RunFollowerParts extends RunBookParts, ServerRunParts {
  readonly outputs: OutputStore
  readonly links: JobLinks
  readonly openSecrets: OpenSecrets
}

/** One active run, from where its record stands to its end. */
export class RunFollower {
  readonly #parts: RunFollowerParts
  readonly #runId: string
  readonly #recovered: boolean
  readonly #release = new AbortController()
  readonly #cancel = new AbortController()
  readonly #book: RunBook
  #cancelReason: EndReason = 'user'
  #output: Promise<RunOutput> | undefined
  #secrets: Readonly<Record<string, string>> | undefined

  constructor(parts: RunFollowerParts, runId: string, recovered: boolean) {
    this.#parts = parts
    this.#runId = runId
    this.#recovered = recovered
    this.#book = new RunBook(parts, runId, this.#release.signal)
  }

  /** Lets go; the commands go on. */
  release(): void {
    this.#release.abort(new Error('the executor stops'))
  }

  cancel(reason: EndReason): void {
    if (this.#cancel.signal.aborted) return
    this.#cancelReason = reason
    this.#cancel.abort(new Error('the run is cancelled'))
  }

  /** Settles when the run has ended and is stored; rejects when it was let go. */
  async follow(): Promise<void> {
    const run = await this.#parts.store.get(Runs, this.#runId)
    if (run?.active !== true) return
    const cancelReason = findCancelReason(run)
    if (cancelReason !== null) this.cancel(cancelReason)
    const plan = await this.#parts.store.get(RunPlans, run.id)
    try {
      const refusal = this.#findRefusal(plan)
      if (plan === undefined || refusal !== null) await this.#refuse(refusal)
      else await this.#onServers(run, plan)
    } finally {
      if (this.#output !== undefined) await this.#parts.outputs.release(this.#runId)
    }
  }

  #findRefusal(plan: RunPlan | undefined): RunPlan['refusal'] {
    if (plan === undefined) return {endReason: 'interrupted', error: 'what it was to run is not known any more'}
    if (plan.refusal !== null) return plan.refusal
    try {
      this.#secrets = this.#parts.openSecrets(plan)
      return null
    } catch {
      // The cause names a key, which is nobody's business here; the log of the daemon says more at its start.
      return {endReason: 'interrupted', error: 'a secret of the job can not be read with the key of this instance; set it again'}
    }
  }

  async #refuse(refusal: RunPlan['refusal']): Promise<void> {
    const {endReason, error} = refusal ?? {endReason: 'interrupted' as const, error: null}
    await this.#book.end({outputBytes: 0, dependents: [], outcome: {status: 'failed', endReason, exitCode: null, error}})
  }

  async #onServers(run: RunRecord, plan: RunPlan): Promise<void> {
    const open = run.serverIds.map((_, index) => index).filter((index) => run.servers[index]?.status !== 'skipped' && run.servers[index]?.finishedAt === null)
    // One server's fault stops no other; the first that was let go is reported when all have stopped writing.
    const results = await Promise.allSettled(open.map((index) => this.#toServerRun(run, plan, index).run()))
    for (const result of results) if (result.status === 'rejected') throw result.reason
  }

  #toServerRun(run: RunRecord, plan: RunPlan, index: number): ServerRun {
    return new ServerRun(this.#parts, {
      run,
      index,
      serverId: run.serverIds[index] ?? '',
      plan,
      progress: run.progress?.[index] ?? {attempt: 1, launch: 1, started: false, retryAt: null},
      recovered: this.#recovered,
      book: this.#book,
      secrets: () => this.#secrets ?? {},
      openOutput: () => this.#openOutput(plan),
      outputBytes: () => this.#countOutput(plan),
      dependents: () => this.#parts.links.dependentsOf(run.jobKey),
      cancel: this.#cancel.signal,
      cancelReason: () => this.#cancelReason,
      release: this.#release.signal,
    })
  }

  // A run that never began has no output to open.
  async #countOutput(plan: RunPlan): Promise<number> {
    if (this.#output === undefined && !this.#recovered) return 0
    return (await this.#openOutput(plan)).sizeBytes()
  }

  #openOutput(plan: RunPlan): Promise<RunOutput> {
    this.#output ??= this.#open(plan).catch((error: unknown) => {
      this.#output = undefined
      throw error
    })
    return this.#output
  }

  async #open(plan: RunPlan): Promise<RunOutput> {
    const {outputs, clock, log: logger, feed} = this.#parts
    const log = await untilStored({clock, log: logger}, this.#release.signal, () => outputs.open(this.#runId))
    return new RunOutput({
      runId: this.#runId,
      log,
      clock,
      logger,
      limitBytes: plan.outputLimitBytes,
      separateStderr: plan.separateStderr,
      createMasker: createStreamMaskers(Object.values(this.#secrets ?? {})),
      onStored: () => feed.notify(this.#runId),
      signal: this.#release.signal,
    })
  }
}
