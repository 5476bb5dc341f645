import {Fault} from '../../src/contract/faults.js'
import {sleep, toInstant, type Clock} from '../clock.js'
import type {RecordEvent} from '../events/event-log.js'
import type {Actor} from '../events/record.js'
import {describeError, type Log} from '../log.js'
import type {Runner} from '../servers/runner.js'
import type {OutputStore} from '../store/output.js'
import type {Store, Transaction} from '../store/store.js'
import type {Billing} from './billing.js'
import {defaultFollowLimits, type FollowLimits} from './follow-command.js'
import type {JobLinks} from './job-links.js'
import {RunPlans, Runs, type RunRecord} from './records.js'
import type {RunFeed} from './run-feed.js'
import {RunFollower, type OpenSecrets, type RunFollowerParts} from './run-follower.js'
import {LeftoverSweeper} from './run-leftovers.js'
import {findCancelReason} from './run-outcome.js'
import type {RequestRun} from './run-request.js'
import {defaultRunLimits, RunSlots, type RunLimits} from './run-slots.js'
import type {SystemJobRunner} from './system-job-runner.js'

const takeUpMs = 5_000

export interface RunExecutorParts {
  readonly store: Store
  readonly outputs: OutputStore
  readonly clock: Clock
  readonly log: Log
  readonly feed: RunFeed
  readonly links: JobLinks
  readonly systemJobs: SystemJobRunner
  readonly billing: Billing
  readonly recordEvent: RecordEvent
  readonly requestRun: RequestRun
  readonly triggersEnabled: () => boolean
  readonly runnerFor: (serverId: string) => Runner | Promise<Runner>
  readonly openSecrets: OpenSecrets
  readonly limits?: Partial<RunLimits & FollowLimits>
}

export interface RunExecutor {
  /** Finds every active run and goes on with it; settles before anything new may be triggered. */
  start(): Promise<void>
  /** Lets go of all runs; their commands go on. */
  stop(): Promise<void>
  /** Looks for runs to start or cancel. Commits do it by themselves. */
  wake(): void
  /** Asks for the end of a run; answers it as it stands. Throws RUN_FINISHED where it has ended. */
  cancel(runId: string, actor: Actor): Promise<RunRecord>
}

export function createRunExecutor(parts: RunExecutorParts): RunExecutor {
  return new Executor(parts)
}

class Executor implements RunExecutor {
  readonly #parts: RunFollowerParts
  readonly #systemJobs: SystemJobRunner
  readonly #followers = new Map<string, RunFollower>()
  readonly #working = new Set<Promise<void>>()
  #stopListening: (() => void) | undefined
  #looking: Promise<void> | undefined
  #again = false
  readonly #stop = new AbortController()

  constructor(parts: RunExecutorParts) {
    this.#systemJobs = parts.systemJobs
    const followLimits = {...defaultFollowLimits, ...parts.limits}
    const slots = new RunSlots({...defaultRunLimits, ...parts.limits})
    this.#parts = {...parts, followLimits, slots, leftovers: new LeftoverSweeper({...parts, killGraceMs: followLimits.killGraceMs})}
  }

  async start(): Promise<void> {
    const {store, feed, leftovers} = this.#parts
    this.#stopListening = store.onCommit((changed) => {
      if (!changed.has(Runs.name)) return
      feed.notifyAll()
      this.wake()
    })
    await this.#endSystemRuns()
    for (const run of await this.#findActive()) if (run.kind === 'custom') this.#follow(run, true)
    await leftovers.start()
  }

  async stop(): Promise<void> {
    this.#stop.abort(new Error('the executor stops'))
    this.#stopListening?.()
    for (const follower of this.#followers.values()) follower.release()
    await this.#looking
    await this.#systemJobs.stop()
    await Promise.all(this.#working)
    await this.#parts.leftovers.stop()
  }

  wake(): void {
    this.#again = true
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined
      // What was asked for after the last look has its turn.
      if (this.#again && !this.#stop.signal.aborted) this.wake()
    })
  }

  async cancel(runId: string, actor: Actor): Promise<RunRecord> {
    return this.#parts.store.transaction((transaction) => requestCancel(transaction, runId, actor))
  }

  async #look(): Promise<void> {
    while (this.#again && !this.#stop.signal.aborted) {
      this.#again = false
      for (const run of await this.#findActive()) {
        if (run.kind === 'system') {
          this.#executeSystemJob(run)
          continue
        }
        const follower = this.#followers.get(run.id) ?? this.#follow(run, false)
        const reason = findCancelReason(run)
        if (reason !== null) follower?.cancel(reason)
      }
    }
  }

  #findActive(): Promise<RunRecord[]> {
    return this.#parts.store.find(Runs, 'activity', [true])
  }

  // Its failure is in the run and in the log already; whoever asked by hand hears it from the same promise.
  #executeSystemJob(run: RunRecord): void {
    this.#systemJobs.execute(run).catch(() => undefined)
  }

  #follow(run: RunRecord, recovered: boolean): RunFollower | undefined {
    if (this.#stop.signal.aborted) return undefined
    const follower = new RunFollower(this.#parts, run.id, recovered)
    this.#followers.set(run.id, follower)
    const work = this.#watch(follower, run.id).finally(() => {
      this.#working.delete(work)
      this.#followers.delete(run.id)
    })
    this.#working.add(work)
    return follower
  }

  async #watch(follower: RunFollower, runId: string): Promise<void> {
    try {
      await follower.follow()
    } catch (error) {
      if (this.#stop.signal.aborted) return
      this.#parts.log.error('a run could not be followed and is taken up again', {run: runId, error: describeError(error)})
      // Stopping ends the wait; there is nothing to report then.
      await sleep(this.#parts.clock, takeUpMs, this.#stop.signal).catch(() => undefined)
      if (this.#stop.signal.aborted) return
      const next = new RunFollower(this.#parts, runId, true)
      this.#followers.set(runId, next)
      await this.#watch(next, runId)
    }
  }

  // System jobs live in this process and end with it.
  async #endSystemRuns(): Promise<void> {
    const {store, clock} = this.#parts
    const active = (await this.#findActive()).filter((run) => run.kind === 'system')
    if (active.length === 0) return
    const now = toInstant(clock.now())
    await store.transaction(async (transaction) => {
      for (const run of active) {
        const error = 'the daemon stopped while this was running'
        await transaction.put(Runs, {...run, status: 'failed', endReason: 'interrupted', active: false, finishedAt: now, error})
      }
    })
  }
}

async function requestCancel(transaction: Transaction, runId: string, actor: Actor): Promise<RunRecord> {
  const run = await transaction.get(Runs, runId)
  if (run === undefined) throw new Fault('NOT_FOUND', 'not found')
  if (!run.active) throw new Fault('RUN_FINISHED', `run ${runId} has ended already: ${run.status}`, {details: {status: run.status}})
  if (run.kind === 'system') throw new Fault('CONFLICT', `run ${runId} belongs to a system job, which can not be cancelled`)
  if (findCancelReason(run) === 'user') return run
  const cancelled = {...run, cancelRequestedBy: actor.userId ?? 'system'}
  await transaction.put(Runs, cancelled)
  const plan = await transaction.get(RunPlans, runId)
  if (plan !== undefined) await transaction.put(RunPlans, {...plan, cancelActor: {...actor}})
  return cancelled
}
