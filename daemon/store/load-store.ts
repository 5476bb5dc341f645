import {Low} from 'lowdb'
import {CollectionState} from './collection-state.js'
import type {Collection} from './collection.js'
import type {Checkpoint, JournalRecord, SegmentHeader} from './journal-format.js'
import {readSegment, type SegmentContent} from './journal-reader.js'
import type {Segment} from './journal.js'
import {SnapshotAdapter, type Snapshot} from './snapshot-adapter.js'
import {damaged, listStoreFiles, type StorePaths} from './store-files.js'
import {Upgrades, type Upgrade} from './upgrades.js'

export interface LoadedStore {
  readonly states: ReadonlyMap<string, CollectionState>
  readonly snapshots: ReadonlyMap<string, Low<Snapshot>>
  readonly segments: Segment[]
  readonly lastHeader: SegmentHeader | null
  readonly goodBytes: number
  readonly tornBytes: number
  readonly checkpoint: Checkpoint | null
  readonly sequence: number
  /** Collections that held documents of an older version. */
  readonly upgraded: ReadonlySet<string>
  readonly replayedTransactions: number
}

/** Reads snapshots and journal into memory. Changes nothing on disk. */
export async function loadStore(paths: StorePaths, collections: readonly Collection[], release: string | null): Promise<LoadedStore> {
  return new StoreLoader(paths, collections, release).load()
}

class StoreLoader {
  readonly #declared: ReadonlyMap<string, Collection>
  readonly #upgrades: Upgrades
  readonly #snapshots = new Map<string, Low<Snapshot>>()
  /** Versions as they are in memory; of collections that this program does not declare, as found. */
  readonly #versions = new Map<string, number>()
  readonly #changedAt = new Map<string, number>()
  readonly #segments: Segment[] = []
  #checkpoint: Checkpoint | null = null
  #replayed = 0

  constructor(private readonly paths: StorePaths, collections: readonly Collection[], private readonly release: string | null) {
    this.#declared = new Map(collections.map(collection => [collection.name, collection]))
    this.#upgrades = new Upgrades(this.#declared)
    for (const {name, version} of collections) this.#versions.set(name, version)
  }

  async load(): Promise<LoadedStore> {
    const files = await listStoreFiles(this.paths)
    for (const name of new Set([...files.snapshots, ...this.#declared.keys()])) await this.#loadSnapshot(name)
    const last = await this.#replay(files.segments)
    this.#verifyCheckpoint(files.segments, files.snapshots)
    const sequence = last?.lastSequence ?? 0
    this.#verifyEnd(sequence, files.segments)
    return {
      states: this.#buildStates(),
      snapshots: this.#snapshots,
      segments: this.#segments,
      lastHeader: last?.header ?? null,
      goodBytes: last?.goodBytes ?? 0,
      tornBytes: last?.tornBytes ?? 0,
      checkpoint: this.#checkpoint,
      sequence,
      upgraded: this.#upgrades.met,
      replayedTransactions: this.#replayed,
    }
  }

  async #loadSnapshot(name: string): Promise<void> {
    const adapter = this.#adapter(name)
    const low = new Low<Snapshot>(adapter, {sequence: 0, documents: new Map()})
    await low.read()
    if (!this.#declared.has(name) && adapter.foundVersion !== null) this.#versions.set(name, adapter.foundVersion)
    this.#snapshots.set(name, low)
  }

  #adapter(name: string): SnapshotAdapter {
    return new SnapshotAdapter({
      path: this.paths.snapshot(name),
      collection: name,
      version: () => this.#versions.get(name) ?? 1,
      release: this.release,
      upgradeFrom: (version, release) => this.#upgrades.from(name, version, this.paths.snapshot(name), release),
    })
  }

  async #replay(numbers: readonly number[]): Promise<SegmentContent | undefined> {
    let content: SegmentContent | undefined
    for (const number of numbers) {
      const path = this.paths.segment(number)
      const before = content
      const segment: Segment = {number, lastOf: new Map()}
      let upgrades = new Map<string, Upgrade>()
      content = await readSegment({
        path,
        number,
        isLast: number === numbers.at(-1),
        onHeader: header => {
          if (before !== undefined && header.after !== before.lastSequence) {
            throw damaged(path, 0, `transaction ${before.lastSequence + 1} is missing: a segment before this one is not there`)
          }
          upgrades = this.#upgradesOf(path, header)
          this.#checkpoint = header.checkpoint ?? this.#checkpoint
        },
        onRecord: (record, offset) => this.#apply(record, segment, upgrades, offset),
      })
      this.#segments.push(segment)
    }
    return content
  }

  #upgradesOf(path: string, header: SegmentHeader): Map<string, Upgrade> {
    const upgrades = new Map<string, Upgrade>()
    for (const [name, version] of Object.entries(header.versions)) {
      const upgrade = this.#upgrades.from(name, version, path, header.release)
      if (upgrade !== undefined) upgrades.set(name, upgrade)
      if (!this.#declared.has(name)) this.#versions.set(name, version)
    }
    return upgrades
  }

  #apply(record: JournalRecord, segment: Segment, upgrades: Map<string, Upgrade>, offset: number): void {
    this.#checkpoint = record.checkpoint ?? this.#checkpoint
    for (const [name, change] of Object.entries(record.changes)) {
      segment.lastOf.set(name, record.sequence)
      const snapshot = this.#snapshotOf(name)
      if (record.sequence <= snapshot.sequence) continue
      const upgrade = upgrades.get(name)
      for (const id of change.delete) snapshot.documents.delete(id)
      for (const document of change.put) snapshot.documents.set(document.id, upgrade === undefined ? document : upgrade(document, offset))
      this.#changedAt.set(name, record.sequence)
    }
    this.#replayed++
  }

  #snapshotOf(name: string): Snapshot {
    const known = this.#snapshots.get(name)
    if (known !== undefined) return known.data
    const low = new Low<Snapshot>(this.#adapter(name), {sequence: 0, documents: new Map()})
    this.#snapshots.set(name, low)
    return low.data
  }

  /** A snapshot or segment that was there at the last checkpoint and is not any more is a loss like any other. */
  #verifyCheckpoint(segments: readonly number[], snapshots: readonly string[]): void {
    const {first, snapshots: expected} = this.#checkpoint ?? {first: 1, snapshots: {}}
    const missing = Object.entries(expected).find(([name, sequence]) => (this.#snapshots.get(name)?.data.sequence ?? 0) < sequence)
    if (missing !== undefined) throw damaged(this.paths.snapshot(missing[0]), 0, `the snapshot that holds transactions up to ${missing[1]} is not there`)
    const [oldest] = segments
    if (oldest === undefined ? snapshots.length > 0 : oldest > first) throw damaged(this.paths.segment(first), 0, 'the segment is not there')
  }

  /** Sequences that a snapshot holds must not be given out again: replay would skip them. */
  #verifyEnd(sequence: number, segments: readonly number[]): void {
    for (const [name, {data}] of this.#snapshots) {
      if (data.sequence <= sequence) continue
      throw damaged(this.paths.segment(segments.at(-1) ?? 1), 0, `it ends at transaction ${sequence}, the snapshot of ${name} holds ${data.sequence}`)
    }
  }

  #buildStates(): Map<string, CollectionState> {
    const states = new Map<string, CollectionState>()
    for (const [name, {data}] of this.#snapshots) {
      const state = new CollectionState(name, this.#versions.get(name) ?? 1, this.#declared.get(name)?.indexes ?? {}, data.documents)
      state.changedAt = this.#changedAt.get(name) ?? 0
      this.#refuseDoubles(state)
      states.set(name, state)
    }
    return states
  }

  #refuseDoubles(state: CollectionState): void {
    for (const [name, index] of state.indexes) {
      if (index.definition.unique !== true) continue
      for (const documents of index.crowded()) {
        const ids = documents.map(({id}) => id).join(' and ')
        throw damaged(this.paths.snapshot(state.name), 0, `${ids} have the same ${name}`)
      }
    }
  }
}
