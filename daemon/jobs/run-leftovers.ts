import {sleep, type Clock} from '../clock.js'
import {describeError, type Log} from '../log.js'
import type {Runner} from '../servers/runner.js'
import type {Store} from '../store/store.js'
import {RunLeftovers, type RunLeftover} from './records.js'

export interface LeftoverParts {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly runnerFor: (serverId: string) => Runner | Promise<Runner>
  readonly killGraceMs: number
}

const callMs = 60_000
const firstWaitMs = 5_000
const longestWaitMs = 10 * 60_000
const longestKeptMs = 7 * 24 * 3600 * 1000
const atOnce = 16

/** Removes the folders of commands that are over from their servers, however long a server stays away. */
export class LeftoverSweeper {
  readonly #parts: LeftoverParts
  readonly #abort = new AbortController()
  readonly #queue: RunLeftover[] = []
  readonly #working = new Set<Promise<void>>()

  constructor(parts: LeftoverParts) {
    this.#parts = parts
  }

  /** Takes up what an earlier daemon left. */
  async start(): Promise<void> {
    for await (const leftover of this.#parts.store.all(RunLeftovers)) this.sweep(leftover)
  }

  sweep(leftover: RunLeftover): void {
    this.#queue.push(leftover)
    if (this.#working.size < atOnce) this.#work()
  }

  async stop(): Promise<void> {
    this.#queue.length = 0
    this.#abort.abort(new Error('the executor stops'))
    await Promise.all(this.#working)
  }

  #work(): void {
    const worker = this.#drain().finally(() => this.#working.delete(worker))
    this.#working.add(worker)
  }

  async #drain(): Promise<void> {
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      const done = await this.#try(next)
      if (!done && !this.#abort.signal.aborted) this.#later(next, firstWaitMs)
    }
  }

  // A server that is away waits outside the workers, so that it holds up no other.
  #later(leftover: RunLeftover, waitMs: number): void {
    const waiting = sleep(this.#parts.clock, waitMs, this.#abort.signal)
      .then(async () => {
        const done = await this.#try(leftover)
        if (!done) this.#later(leftover, Math.min(waitMs * 2, longestWaitMs))
      })
      .catch(() => undefined)
      .finally(() => this.#working.delete(waiting))
    this.#working.add(waiting)
  }

  async #try(leftover: RunLeftover): Promise<boolean> {
    const {store, log} = this.#parts
    try {
      await this.#remove(leftover)
    } catch (error) {
      if (this.#abort.signal.aborted) return false
      if (!this.#isGivenUp(leftover, error)) return false
      log.warn('a folder of a run stays on its server', {run: leftover.id, server: leftover.serverId, error: describeError(error)})
    }
    try {
      await store.transaction((transaction) => transaction.delete(RunLeftovers, leftover.id))
      return true
    } catch (error) {
      log.warn('a removed folder of a run could not be noted', {run: leftover.id, error: describeError(error)})
      return false
    }
  }

  async #remove(leftover: RunLeftover): Promise<void> {
    const {clock, runnerFor, killGraceMs} = this.#parts
    const deadline = new AbortController()
    const cancel = clock.after(callMs, () => deadline.abort(new Error('the server took too long')))
    const signal = AbortSignal.any([this.#abort.signal, deadline.signal])
    try {
      const {durable} = await runnerFor(leftover.serverId)
      if (leftover.stop) await durable.stop(leftover.id, killGraceMs, signal)
      await durable.remove(leftover.id, signal)
    } finally {
      cancel()
    }
  }

  // A server that was deleted takes its folders along; one that stays away for a week is left alone.
  #isGivenUp(leftover: RunLeftover, error: unknown): boolean {
    const deleted = error instanceof Error && 'code' in error && error.code === 'NOT_FOUND'
    return deleted || this.#parts.clock.now() - Date.parse(leftover.createdAt) > longestKeptMs
  }
}
