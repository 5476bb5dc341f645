import {sleep, type Clock} from '../clock.js'
import {describeError, type Log} from '../log.js'
import type {Store, Transaction} from '../store/store.js'
import type {DomainEvent} from './record.js'
import {EventPositions, Events} from './records.js'

export interface EventReaderOptions {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  /** Names the position that is kept. */
  readonly name: string
  /** What an event does, in the transaction that also moves the position: exactly once. */
  readonly handle: (transaction: Transaction, event: DomainEvent) => Promise<void>
}

const batchSize = 64
const retryMs = 5_000

/** Hands every event to one reader, in order; after a crash it goes on from where it was. */
export class EventReader {
  readonly #options: EventReaderOptions
  readonly #abort = new AbortController()
  #running: Promise<void> | undefined
  #again = false
  #stopListening: (() => void) | undefined

  constructor(options: EventReaderOptions) {
    this.#options = options
  }

  start(): void {
    this.#stopListening ??= this.#options.store.onCommit((changed) => {
      if (changed.has(Events.name)) this.#wake()
    })
    this.#wake()
  }

  async stop(): Promise<void> {
    this.#stopListening?.()
    this.#abort.abort(new Error('the reader stops'))
    await this.#running
  }

  #wake(): void {
    this.#again = true
    this.#running ??= this.#drain().finally(() => {
      this.#running = undefined
      // What was asked for after the last look has its turn.
      if (this.#again && !this.#abort.signal.aborted) this.#wake()
    })
  }

  async #drain(): Promise<void> {
    while (this.#again && !this.#abort.signal.aborted) {
      this.#again = false
      try {
        while (!this.#abort.signal.aborted && (await this.#batch())) continue
      } catch (error) {
        this.#options.log.error('an event reader failed and tries again', {reader: this.#options.name, error: describeError(error)})
        this.#again = true
        // Stopping ends the wait; there is nothing to report then.
        await sleep(this.#options.clock, retryMs, this.#abort.signal).catch(() => undefined)
      }
    }
  }

  // Answers whether there may be more.
  async #batch(): Promise<boolean> {
    const {store, name, handle} = this.#options
    const from = (await store.get(EventPositions, name))?.position ?? 0
    const after = {order: from, id: '\uffff'}
    const {items} = await store.page(Events, 'position', ['all'], {limit: batchSize, after, descending: false})
    const last = items.at(-1)
    if (last === undefined) return false
    await store.transaction(async (transaction) => {
      for (const event of items) await handle(transaction, event)
      const position = {id: name, position: last.position}
      if ((await transaction.get(EventPositions, name)) === undefined) await transaction.insert(EventPositions, position)
      else await transaction.put(EventPositions, position)
    })
    return items.length === batchSize
  }
}
