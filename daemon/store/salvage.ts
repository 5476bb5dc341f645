import {readFile} from 'node:fs/promises'
import {crc32} from 'node:zlib'
import {Fault} from '../../src/contract/faults.js'
import {CollectionState} from './collection-state.js'
import type {Collection, Document} from './collection.js'
import {isDocument, parseRecord, readLines, SegmentHeader, type JournalRecord} from './journal-format.js'
import {loadStore} from './load-store.js'
import {snapshotFooter, SnapshotHeader} from './snapshot-reader.js'
import {listStoreFiles, type StorePaths} from './store-files.js'
import {Upgrades, type Upgrade} from './upgrades.js'

/** One place of the store that can not be read, and what is lost with it. */
export interface Damage {
  readonly file: string
  readonly offset: number
  readonly bytes: number
  readonly reason: string
}

export interface Salvaged {
  readonly documents: ReadonlyMap<string, Map<string, Document>>
  /** As found, of collections that are not declared. */
  readonly versions: ReadonlyMap<string, number>
  readonly damages: readonly Damage[]
  readonly lostTransactions: number
  readonly lostDocuments: number
  /** Documents of snapshots whose checksum does not match: they read well, and one of them may not be what was written. */
  readonly unverifiedDocuments: number
  readonly readTransactions: number
  /** Bytes of a write that was never answered. */
  readonly tornBytes: number
  readonly lastSequence: number
  readonly lastSegment: number
  readonly segments: readonly number[]
}

/** Reads all that can be read of a store and notes the rest. Changes nothing. */
export async function salvageStore(paths: StorePaths, collections: readonly Collection[]): Promise<Salvaged> {
  return new Salvager(paths, collections).run()
}

class Salvager {
  readonly #declared: ReadonlyMap<string, Collection>
  readonly #upgrades: Upgrades
  readonly #documents = new Map<string, Map<string, Document>>()
  /** Up to where a snapshot speaks for its collection; 0 for one that can not be trusted. */
  readonly #sequences = new Map<string, number>()
  readonly #versions = new Map<string, number>()
  readonly #damages: Damage[] = []
  #lostTransactions = 0
  #lostDocuments = 0
  #unverified = 0
  #readTransactions = 0
  #tornBytes = 0
  #last = 0
  /** Bad lines since the last good one; the gap in the sequence says how many transactions they were. */
  #pending = 0

  constructor(private readonly paths: StorePaths, collections: readonly Collection[]) {
    this.#declared = new Map(collections.map(collection => [collection.name, collection]))
    this.#upgrades = new Upgrades(this.#declared)
  }

  async run(): Promise<Salvaged> {
    const {segments, snapshots} = await listStoreFiles(this.paths)
    for (const name of snapshots) await this.#readSnapshot(name, this.paths.snapshot(name))
    for (const [index, number] of segments.entries()) await this.#readSegment(this.paths.segment(number), index === segments.length - 1, index === 0)
    this.#dropDoubles()
    if (this.#damages.length === 0) await this.#noteMissing()
    return {
      documents: this.#documents,
      versions: this.#versions,
      damages: this.#damages,
      lostTransactions: this.#lostTransactions,
      lostDocuments: this.#lostDocuments,
      unverifiedDocuments: this.#unverified,
      readTransactions: this.#readTransactions,
      tornBytes: this.#tornBytes,
      lastSequence: Math.max(this.#last, ...this.#sequences.values()),
      lastSegment: segments.at(-1) ?? 0,
      segments,
    }
  }

  /** Files that are not there leave no bad line behind; opening the store notices them. */
  async #noteMissing(): Promise<void> {
    try {
      await loadStore(this.paths, [...this.#declared.values()], null)
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== 'STORE_DAMAGED') throw error
      const {file, offset} = error.details
      this.#damages.push({file: String(file), offset: Number(offset), bytes: 0, reason: error.message})
    }
  }

  async #readSnapshot(file: string, path: string): Promise<void> {
    const bytes = await readFile(path)
    const footerFrom = bytes.lastIndexOf(0x0a, bytes.length - 2) + 1
    const body = bytes.subarray(0, footerFrom)
    const lines = splitLines(body)
    const isWhole = bytes.toString('utf8', footerFrom) === snapshotFooter(lines.length - 1, crc32(body))
    const header = SnapshotHeader.safeParse(parseOrUndefined(lines[0]?.text ?? ''))
    const version = header.success ? header.data.version : (this.#declared.get(file)?.version ?? 1)
    // Of a version that is too new: that is no damage, and nothing to repair for this program.
    const upgrade = isWhole ? this.#upgrades.from(file, version, path, header.success ? header.data.release : null) : this.#upgradeOrNone(file, version, path)
    this.#versions.set(file, version)
    const documents = this.#of(file)
    // A file that was cut between two lines ends with a document, else with what is left of its checksum.
    const rest = isWhole ? [] : splitLines(bytes.subarray(footerFrom)).filter(({text}) => isDocument(parseOrUndefined(text)))
    for (const line of [...lines.slice(1), ...rest.map(each => ({...each, offset: footerFrom}))]) this.#keep(documents, parseOrUndefined(line.text), upgrade, {file: path, offset: line.offset, bytes: line.length})
    this.#sequences.set(file, isWhole && header.success ? header.data.sequence : 0)
    if (isWhole) return
    this.#unverified += documents.size
    this.#damages.push({file: path, offset: footerFrom, bytes: bytes.length - footerFrom, reason: 'the checksum of the file does not match'})
  }

  /** A version that a damaged header gives is worth nothing. */
  #upgradeOrNone(name: string, version: number, path: string): Upgrade | undefined {
    try {
      return this.#upgrades.from(name, version, path, null)
    } catch (error) {
      if (error instanceof Fault && error.code === 'STORE_TOO_NEW') return undefined
      throw error
    }
  }

  #keep(documents: Map<string, Document>, value: unknown, upgrade: Upgrade | undefined, place: Omit<Damage, 'reason'>): void {
    try {
      if (!isDocument(value)) throw new Fault('STORE_DAMAGED', 'not a document')
      const document = upgrade === undefined ? value : upgrade(value, place.offset)
      documents.set(document.id, document)
    } catch (error) {
      this.#lostDocuments++
      this.#damages.push({...place, reason: error instanceof Error ? error.message : 'not a document'})
    }
  }

  async #readSegment(path: string, isLast: boolean, isFirst: boolean): Promise<void> {
    const bytes = await readFile(path)
    let upgrades = new Map<string, Upgrade>()
    for (const line of readLines(bytes)) {
      const isHeader = line.offset === 0
      if (line.bad !== null && isLast && !line.ended && !isHeader) this.#tornBytes += line.length
      else if (line.bad !== null) this.#damages.push({file: path, offset: line.offset, bytes: line.length, reason: line.bad})
      else if (isHeader) upgrades = this.#readHeader(path, line.json, isFirst)
      else this.#readRecord(path, line.json, line.offset, line.length, upgrades)
      if (line.bad !== null && line.ended && !isHeader) this.#pending++
    }
  }

  #readHeader(path: string, json: string, isFirst: boolean): Map<string, Upgrade> {
    const upgrades = new Map<string, Upgrade>()
    const header = SegmentHeader.safeParse(parseOrUndefined(json))
    if (!header.success) return upgrades
    if (isFirst) this.#last = header.data.after
    for (const [name, version] of Object.entries(header.data.versions)) {
      const upgrade = this.#upgrades.from(name, version, path, header.data.release)
      if (upgrade !== undefined) upgrades.set(name, upgrade)
      this.#versions.set(name, version)
    }
    return upgrades
  }

  #readRecord(path: string, json: string, offset: number, bytes: number, upgrades: ReadonlyMap<string, Upgrade>): void {
    const record = parseRecord(json)
    if (record === undefined) {
      this.#damages.push({file: path, offset, bytes, reason: 'not a record of the journal'})
      return
    }
    this.#noteGap(path, offset, record.sequence)
    this.#readTransactions++
    this.#apply(record, upgrades, {file: path, offset, bytes})
  }

  #noteGap(path: string, offset: number, sequence: number): void {
    const missing = Math.max(0, sequence - this.#last - 1)
    this.#lostTransactions += missing
    if (missing > this.#pending) this.#damages.push({file: path, offset, bytes: 0, reason: `${missing} transactions before this one are missing`})
    this.#pending = 0
    this.#last = Math.max(this.#last, sequence)
  }

  #apply(record: JournalRecord, upgrades: ReadonlyMap<string, Upgrade>, place: Omit<Damage, 'reason'>): void {
    for (const [name, change] of Object.entries(record.changes)) {
      if (record.sequence <= (this.#sequences.get(name) ?? 0)) continue
      const documents = this.#of(name)
      for (const id of change.delete) documents.delete(id)
      for (const document of change.put) this.#keep(documents, document, upgrades.get(name), place)
    }
  }

  #of(name: string): Map<string, Document> {
    const known = this.#documents.get(name)
    if (known !== undefined) return known
    const documents = new Map<string, Document>()
    this.#documents.set(name, documents)
    return documents
  }

  /** Where lost transactions leave two documents with one unique key, the one that was stored later stays. */
  #dropDoubles(): void {
    this.#lostTransactions += this.#pending
    for (const [name, documents] of this.#documents) {
      const state = new CollectionState(name, 1, this.#declared.get(name)?.indexes ?? {}, documents)
      for (const [index, {definition}] of state.indexes) {
        if (definition.unique !== true) continue
        for (const bucket of [...state.index(index).crowded()]) this.#dropAllButLast(name, documents, index, bucket)
      }
    }
  }

  #dropAllButLast(name: string, documents: Map<string, Document>, index: string, bucket: readonly Document[]): void {
    const ids = new Set(bucket.map(({id}) => id))
    const inOrder = [...documents.keys()].filter(id => ids.has(id))
    for (const id of inOrder.slice(0, -1)) {
      documents.delete(id)
      this.#lostDocuments++
      this.#damages.push({file: this.paths.snapshot(name), offset: 0, bytes: 0, reason: `${id} has the same ${index} as ${inOrder.at(-1)}`})
    }
  }
}

interface Line {
  readonly offset: number
  readonly length: number
  readonly text: string
}

function splitLines(bytes: Buffer): Line[] {
  const lines: Line[] = []
  for (let offset = 0; offset < bytes.length; ) {
    const newline = bytes.indexOf(0x0a, offset)
    const end = newline < 0 ? bytes.length : newline
    lines.push({offset, length: end + 1 - offset, text: bytes.toString('utf8', offset, end)})
    offset = end + 1
  }
  return lines
}

function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // What it is not, the caller says.
    return undefined
  }
}
