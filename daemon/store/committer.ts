import {Fault} from '../../src/contract/faults.js'
import type {CollectionState} from './collection-state.js'
import type {Collection, Document} from './collection.js'
import {CommitQueue, type Commit} from './commit-queue.js'
import {diskFault} from './disk.js'
import {encodeLine, type Checkpoint} from './journal-format.js'
import type {Journal} from './journal.js'
import {OpenTransaction} from './open-transaction.js'
import {Overlay} from './overlay.js'
import type {TextPool} from './text-pool.js'
import {describeError, type Log} from '../log.js'
import type {StoreStatus, Transaction} from './store.js'

export interface CommitterParts {
  readonly states: ReadonlyMap<string, CollectionState>
  readonly journal: Journal
  readonly sequence: number
  readonly checkpoint: Checkpoint | null
  readonly texts: TextPool
  readonly log: Log
  readonly afterBatch: () => Promise<void>
}

/** Runs transactions one after another and makes them durable together. */
export class Committer {
  readonly #parts: CommitterParts
  readonly #overlays = new Map<string, Overlay>()
  readonly #queue: CommitQueue
  readonly #listeners = new Set<(changed: ReadonlySet<string>) => void>()
  #tail: Promise<unknown> = Promise.resolve()
  /** The last one given out, and the last one on disk. */
  #sequence: number
  #durable: number
  #durableCheckpoint: Checkpoint | null
  /** Counts failed writes: a transaction that began before one may have read what was lost in it. */
  #failures = 0
  #lastFailure: Fault | undefined
  #status: StoreStatus = {engine: 'file', state: 'ok', message: null}

  constructor(parts: CommitterParts) {
    this.#parts = parts
    this.#sequence = parts.sequence
    this.#durable = parts.sequence
    this.#durableCheckpoint = parts.checkpoint
    for (const [name, state] of parts.states) this.#overlays.set(name, new Overlay(state))
    this.#queue = new CommitQueue({
      append: lines => parts.journal.append(lines),
      onDurable: batch => this.#onDurable(batch),
      onFailed: error => this.#onFailed(error),
      afterBatch: parts.afterBatch,
    })
  }

  get durableSequence(): number {
    return this.#durable
  }

  /** The last one on disk: a segment that begins later has to know it. */
  get durableCheckpoint(): Checkpoint | null {
    return this.#durableCheckpoint
  }

  get status(): StoreStatus {
    return this.#status
  }

  onCommit(listener: (changed: ReadonlySet<string>) => void): () => void {
    const own = (changed: ReadonlySet<string>) => listener(changed)
    this.#listeners.add(own)
    return () => void this.#listeners.delete(own)
  }

  async transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const turn = this.#tail.then(() => this.#run(work))
    this.#tail = turn.catch(() => undefined)
    const {outcome, durable} = await turn
    await durable
    return outcome()
  }

  /** Runs the work and hands its changes on. The next one may run before these are durable; nobody is told before. */
  async #run<T>(work: (transaction: Transaction) => Promise<T>): Promise<{outcome: () => T; durable: Promise<void>}> {
    const failures = this.#failures
    const check = () => {
      if (failures !== this.#failures) throw this.#lastFailure
    }
    const transaction = new OpenTransaction({overlayOf: collection => this.#overlayOf(collection), check, texts: this.#parts.texts})
    const outcome = await settle(() => work(transaction))
    transaction.end()
    if (failures !== this.#failures) {
      // The failure emptied the overlays; what this one wrote since then goes the same way.
      for (const overlay of this.#overlays.values()) overlay.clear()
      throw this.#lastFailure
    }
    if (!outcome.succeeded) {
      transaction.rollBack()
      return {outcome: outcome.get, durable: this.#queue.settled()}
    }
    const changes = transaction.changes()
    if (changes.size === 0) return {outcome: outcome.get, durable: this.#queue.settled()}
    const sequence = ++this.#sequence
    return {outcome: outcome.get, durable: this.#queue.add({line: encodeLine(transaction.toJson(sequence)), sequence, changes, owner: transaction})}
  }

  #overlayOf(collection: Collection): Overlay {
    const overlay = this.#overlays.get(collection.name)
    if (overlay === undefined) throw undeclared(collection)
    return overlay
  }

  /** Puts it into the journal, in order with everything else. */
  async writeCheckpoint(checkpoint: Checkpoint): Promise<void> {
    const sequence = ++this.#sequence
    await this.#queue.add({line: encodeLine(JSON.stringify({sequence, checkpoint})), sequence, changes: new Map(), owner: checkpoint, checkpoint})
  }

  #onDurable(batch: readonly Commit[]): void {
    for (const {changes, sequence, owner, checkpoint} of batch) {
      for (const [name, documents] of changes) {
        this.#parts.states.get(name)?.apply(documents, sequence)
        this.#overlays.get(name)?.settle(documents.keys(), owner)
      }
      this.#parts.journal.note(changes.keys(), sequence)
      this.#durable = sequence
      this.#durableCheckpoint = checkpoint ?? this.#durableCheckpoint
    }
    if (this.#status.state !== 'ok') this.#parts.log.info('the store takes writes again')
    this.#status = {engine: 'file', state: 'ok', message: null}
    for (const {changes} of batch) this.#tell(changes)
  }

  #tell(changes: ReadonlyMap<string, ReadonlyMap<string, Document | null>>): void {
    if (changes.size === 0) return
    const names = new Set(changes.keys())
    for (const listener of this.#listeners) {
      try {
        listener(names)
      } catch (error) {
        // The commit stands whatever a listener makes of it.
        this.#parts.log.error('a listener of the store failed', {error: describeError(error)})
      }
    }
  }

  #onFailed(error: unknown): Fault {
    const fault = diskFault(error, 'writing to the store')
    this.#failures++
    this.#lastFailure = fault
    this.#sequence = this.#durable
    for (const overlay of this.#overlays.values()) overlay.clear()
    this.#status = {engine: 'file', state: fault.code === 'STORE_FULL' ? 'full' : 'failed', message: fault.message}
    this.#parts.log.error(fault.message, {error: describeError(error)})
    return fault
  }

  /** Lets everything that was begun end. */
  async drain(): Promise<void> {
    await this.#tail
    await this.#queue.idle()
  }
}

interface Outcome<T> {
  readonly succeeded: boolean
  readonly get: () => T
}

async function settle<T>(work: () => Promise<T>): Promise<Outcome<T>> {
  try {
    const value = await work()
    return {succeeded: true, get: () => value}
  } catch (error) {
    return {
      succeeded: false,
      get: () => {
        throw error
      },
    }
  }
}

export function undeclared(collection: Collection): Fault {
  return new Fault('INTERNAL', `the collection ${collection.name} was not given to the store when it was opened`)
}
