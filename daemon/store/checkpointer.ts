import type {Low} from 'lowdb'
import type {CollectionState} from './collection-state.js'
import type {Checkpoint, SegmentHeader} from './journal-format.js'
import type {Journal} from './journal.js'
import type {Snapshot} from './snapshot-adapter.js'
import {describeError, type Log} from '../log.js'

export interface CheckpointerParts {
  readonly states: ReadonlyMap<string, CollectionState>
  /** lowdb, one a collection. */
  readonly snapshots: ReadonlyMap<string, Low<Snapshot>>
  readonly journal: Journal
  readonly release: string | null
  readonly segmentBytes: number
  /** Bytes of the segments before the last. */
  readonly closedBytes: number
  /** Bytes of all snapshots. */
  readonly snapshotBytes: () => number
  readonly log: Log
  readonly durableSequence: () => number
  readonly durableCheckpoint: () => Checkpoint | null
  readonly writeCheckpoint: (checkpoint: Checkpoint) => Promise<void>
}

/** Keeps the journal short: starts new segments, writes snapshots in the background, removes segments that no snapshot needs. */
export class Checkpointer {
  readonly #parts: CheckpointerParts
  #running: Promise<void> | undefined
  /** After a failed rotation the segment may grow this far before the next attempt. */
  #limitBytes: number
  /** Bytes of closed segments that were written since the last snapshots. */
  #closedBytes: number
  #stopped = false

  constructor(parts: CheckpointerParts) {
    this.#parts = parts
    this.#limitBytes = parts.segmentBytes
    this.#closedBytes = parts.closedBytes
  }

  /** Between two batches: never throws, as the batch before is durable whatever happens here. */
  async rotateIfLarge(): Promise<void> {
    const {journal, segmentBytes, log} = this.#parts
    if (journal.sizeBytes < this.#limitBytes) return
    try {
      const closing = journal.sizeBytes
      await this.startSegment()
      this.#closedBytes += closing
      this.#limitBytes = segmentBytes
    } catch (error) {
      log.warn('the store can not start a new journal segment; it goes on with the old one', {error: describeError(error)})
      this.#limitBytes = journal.sizeBytes + segmentBytes / 16
      return
    }
    // Each snapshot writes all of a collection: with a large store, many segments have to pay for it.
    const isDue = this.#closedBytes >= Math.max(segmentBytes, this.#parts.snapshotBytes() / 2)
    if (isDue && !this.#stopped) this.#running ??= this.#inBackground()
  }

  async startSegment(): Promise<void> {
    const {states, journal, release, durableSequence, durableCheckpoint} = this.#parts
    const versions = versionsOf(states)
    const header: Omit<SegmentHeader, 'segment'> = {after: durableSequence(), versions, checkpoint: durableCheckpoint(), release}
    await journal.rotate(header)
  }

  async #inBackground(): Promise<void> {
    try {
      await this.#run(new Set())
    } catch (error) {
      this.#parts.log.warn('the store can not write its snapshots; the journal is kept until it can', {error: describeError(error)})
    } finally {
      this.#running = undefined
    }
  }

  /** Writes these snapshots anew, and those that lag behind, before anything else is written. */
  async rewrite(collections: ReadonlySet<string>): Promise<void> {
    const run = this.#run(collections)
    this.#running = run.finally(() => (this.#running = undefined)).catch(() => undefined)
    await run
  }

  /** Writes what has changed since its snapshot, then removes the segments that are of no use any more. */
  async #run(rewrite: ReadonlySet<string>): Promise<void> {
    const {states, snapshots, journal, writeCheckpoint} = this.#parts
    const closedBytes = this.#closedBytes
    for (const [name, state] of states) {
      const low = snapshots.get(name)
      if (low !== undefined && (state.changedAt > low.data.sequence || rewrite.has(name))) await this.#writeSnapshot(low)
    }
    this.#closedBytes -= closedBytes
    const reached = new Map([...snapshots].map(([name, {data}]) => [name, data.sequence]))
    const first = journal.firstNeeded(reached)
    if (journal.segments[0] === undefined || journal.segments[0].number >= first) return
    const written = [...reached].filter(([, sequence]) => sequence > 0)
    const checkpoint = {first, snapshots: Object.fromEntries(written)}
    await writeCheckpoint(checkpoint)
    await journal.removeBefore(first)
  }

  async #writeSnapshot(low: Low<Snapshot>): Promise<void> {
    const before = low.data.sequence
    low.data.sequence = this.#parts.durableSequence()
    try {
      await low.write()
    } catch (error) {
      low.data.sequence = before
      throw error
    }
  }

  /** Lets what is under way end, and begins nothing more: another process may open the files next. */
  async stop(): Promise<void> {
    this.#stopped = true
    await this.#running
  }
}

export function versionsOf(states: ReadonlyMap<string, CollectionState>): Record<string, number> {
  return Object.fromEntries([...states].map(([name, {version}]) => [name, version]))
}
