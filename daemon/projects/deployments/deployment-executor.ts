import {sleep, type Clock} from '../../clock.js'
import {describeError, type Log} from '../../log.js'
import type {RunFeed} from '../../jobs/run-feed.js'
import type {Store} from '../../store/store.js'
import {Deployments, type DeploymentRecord} from './records.js'

/** One deployment that goes on. */
export interface DeploymentWork {
  /** Settles when the deployment has ended, or was let go. Rejects for a bug only. */
  run(): Promise<void>
  /** Somebody does not want it any more. */
  cancel(): void
  /** The daemon stops: the deployment is left as it is stored, to be taken up by the next start. */
  release(): void
}

export interface DeploymentExecutorParts {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly feed: RunFeed
  readonly begin: (deploymentId: string) => DeploymentWork
}

const takeUpMs = 5_000

/** Carries out the active deployment of every project, and takes them up again after a start. */
export class DeploymentExecutor {
  readonly #parts: DeploymentExecutorParts
  readonly #work = new Map<string, {readonly projectId: string; readonly work: DeploymentWork}>()
  readonly #running = new Set<Promise<void>>()
  readonly #stop = new AbortController()
  #stopListening: (() => void) | undefined
  #looking: Promise<void> | undefined
  #again = false

  constructor(parts: DeploymentExecutorParts) {
    this.#parts = parts
  }

  async start(): Promise<void> {
    const {store, feed} = this.#parts
    this.#stopListening = store.onCommit((changed) => {
      if (changed.has('service_outcomes') || changed.has(Deployments.name)) feed.notifyAll()
      if (changed.has(Deployments.name)) this.#wake()
    })
    this.#wake()
    await this.#looking
  }

  async stop(): Promise<void> {
    this.#stop.abort(new Error('the daemon stops'))
    this.#stopListening?.()
    for (const {work} of this.#work.values()) work.release()
    await this.#looking
    await Promise.all(this.#running)
  }

  #wake(): void {
    this.#again = true
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined
      // What was asked for after the last look has its turn.
      if (this.#again && !this.#stop.signal.aborted) this.#wake()
    })
  }

  async #look(): Promise<void> {
    while (this.#again && !this.#stop.signal.aborted) {
      this.#again = false
      for (const record of await this.#parts.store.find(Deployments, 'open', ['active'])) this.#follow(record)
    }
  }

  #follow({id, projectId, request}: DeploymentRecord): void {
    if (this.#stop.signal.aborted) return
    if (!this.#work.has(id) && !this.#isTidyingUp(projectId)) this.#begin(id, projectId)
    if (request.cancelRequestedBy !== null) this.#work.get(id)?.work.cancel()
  }

  // The one before has ended in the store but still takes from the server what is kept no more, which the next one may be about to use.
  #isTidyingUp(projectId: string): boolean {
    return [...this.#work.values()].some((other) => other.projectId === projectId)
  }

  #begin(id: string, projectId: string): void {
    const work = this.#parts.begin(id)
    this.#work.set(id, {projectId, work})
    const running = this.#watch(id, work).finally(() => {
      this.#running.delete(running)
      this.#work.delete(id)
      // A commit that came while it was ending found it here still.
      this.#wake()
    })
    this.#running.add(running)
  }

  async #watch(id: string, work: DeploymentWork): Promise<void> {
    try {
      await work.run()
    } catch (error) {
      if (this.#stop.signal.aborted) return
      this.#parts.log.error('a deployment could not be carried on and is taken up again', {deployment: id, error: describeError(error)})
      // Stopping ends the wait; there is nothing to report then.
      await sleep(this.#parts.clock, takeUpMs, this.#stop.signal).catch(() => undefined)
    }
  }
}
