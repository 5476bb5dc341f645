import {setImmediate} from 'node:timers/promises'
import type {Document} from './collection.js'
import type {Checkpoint} from './journal-format.js'

/** A transaction on its way to disk. */
export interface Commit {
  readonly line: string
  readonly sequence: number
  readonly changes: ReadonlyMap<string, ReadonlyMap<string, Document | null>>
  /** Owns its writes in the overlays. */
  readonly owner: object
  readonly checkpoint?: Checkpoint
}

export interface CommitTarget {
  append(lines: string): Promise<void>
  /** Called in one turn with all that became durable, before anybody who waits is told. */
  onDurable(batch: readonly Commit[]): void
  /** Nothing that is waiting will become durable. Answers what those who wait are told. */
  onFailed(error: unknown): Error
  /** Between two batches. */
  afterBatch(): Promise<void>
}

interface Waiting extends Commit {
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

// A batch is one write; very large ones would hold their text twice in memory.
const batchLength = 4 * 1024 * 1024

/** Shares one sync among all transactions that commit while the one before is under way. */
export class CommitQueue {
  #waiting: Waiting[] = []
  #running: Promise<void> | undefined
  #last: Promise<void> = Promise.resolve()

  constructor(private readonly target: CommitTarget) {}

  /** Settles when the commit is durable, or will not be. */
  add(commit: Commit): Promise<void> {
    this.#last = new Promise((resolve, reject) => this.#waiting.push({...commit, resolve, reject}))
    // Whoever waits hears of a failure; this branch only keeps it from counting as unhandled.
    this.#last.catch(() => undefined)
    this.#running ??= this.#run()
    return this.#last
  }

  /** Settles like the commit that was added last. */
  settled(): Promise<void> {
    return this.#running === undefined ? Promise.resolve() : this.#last
  }

  /** Settles when nothing is under way any more; never rejects. */
  async idle(): Promise<void> {
    while (this.#running !== undefined) await this.#running
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      // Those who arrive in the same turn of the loop come along.
      await setImmediate()
      await this.#flush(this.#take())
      await this.target.afterBatch()
    }
    this.#running = undefined
  }

  #take(): Waiting[] {
    let length = 0
    let count = 0
    for (const {line} of this.#waiting) {
      length += line.length
      if (count > 0 && length > batchLength) break
      count++
    }
    return this.#waiting.splice(0, count)
  }

  async #flush(batch: Waiting[]): Promise<void> {
    try {
      let lines = ''
      for (const {line} of batch) lines += line
      await this.target.append(lines)
    } catch (error) {
      // Later ones may have read what these wrote.
      const failed = [...batch, ...this.#waiting]
      this.#waiting = []
      const told = this.target.onFailed(error)
      for (const {reject} of failed) reject(told)
      return
    }
    this.target.onDurable(batch)
    for (const {resolve} of batch) resolve()
  }
}
