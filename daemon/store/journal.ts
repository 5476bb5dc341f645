import {close, open} from 'node:fs'
import {rm} from 'node:fs/promises'
import {promisify} from 'node:util'
import {cutFile, replaceFile, syncData, syncFolder, writeAll} from './disk.js'
import {encodeLine, type SegmentHeader} from './journal-format.js'
import type {StorePaths} from './store-files.js'

const openFile = promisify(open)
const closeFile = promisify(close)

/** One segment as the journal knows it: its number and the last sequence in it of each collection. */
export interface Segment {
  readonly number: number
  readonly lastOf: Map<string, number>
}

/** The append-only side of the journal: the last segment is open for writing. */
export class Journal {
  #fd: number | undefined
  #goodBytes = 0
  /** Bytes past the good ones may be in the file; they go before anything is written. */
  #needsCut = false

  private constructor(private readonly paths: StorePaths, readonly segments: Segment[]) {}

  /** Opens the last segment and cuts what a crash left after `goodBytes`. */
  static async open(paths: StorePaths, segments: Segment[], goodBytes: number, isTorn: boolean): Promise<Journal> {
    const journal = new Journal(paths, segments)
    const last = segments.at(-1)
    if (last !== undefined) await journal.#openLast(last.number, goodBytes, isTorn)
    return journal
  }

  async #openLast(number: number, goodBytes: number, isTorn: boolean): Promise<void> {
    this.#fd = await openFile(this.paths.segment(number), 'r+')
    this.#goodBytes = goodBytes
    if (isTorn) return cutFile(this.#fd, goodBytes)
    // A killed process may have written what it did not sync: it was read back now, so it counts, and has to stay.
    await syncData(this.#fd)
  }

  get sizeBytes(): number {
    return this.#goodBytes
  }

  get last(): Segment | undefined {
    return this.segments.at(-1)
  }

  /** Appends and syncs. When it throws, nothing of it is in the journal, now or after a crash, before the next append has succeeded. */
  async append(lines: string): Promise<void> {
    const fd = this.#descriptor()
    const bytes = Buffer.from(lines)
    if (this.#needsCut) await this.#cut(fd)
    this.#needsCut = true
    try {
      await writeAll(fd, bytes, this.#goodBytes)
      await syncData(fd)
    } catch (error) {
      // The write's error is the one to tell; a cut that fails as well is tried again before the next write.
      await this.#cut(fd).catch(() => undefined)
      throw error
    }
    this.#needsCut = false
    this.#goodBytes += bytes.length
  }

  async #cut(fd: number): Promise<void> {
    await cutFile(fd, this.#goodBytes)
    this.#needsCut = false
  }

  /** Makes a new segment the one that is written to. When it throws, the old one still is. */
  async rotate(header: Omit<SegmentHeader, 'segment'>): Promise<void> {
    // A closed segment may not end in the middle of a line.
    if (this.#needsCut && this.#fd !== undefined) await this.#cut(this.#fd)
    const number = (this.last?.number ?? 0) + 1
    const path = this.paths.segment(number)
    const line = Buffer.from(encodeLine(JSON.stringify({segment: number, ...header})))
    await replaceFile(path, append => append(line))
    const fd = await openFile(path, 'r+')
    const old = this.#fd
    this.#fd = fd
    this.#goodBytes = line.length
    this.#needsCut = false
    this.segments.push({number, lastOf: new Map()})
    if (old !== undefined) await closeFile(old)
  }

  /** Notes what the last segment now holds, for `removable`. */
  note(collections: Iterable<string>, sequence: number): void {
    for (const name of collections) this.last?.lastOf.set(name, sequence)
  }

  /** The first segment that must stay, given how far the snapshots are. */
  firstNeeded(snapshots: ReadonlyMap<string, number>): number {
    const isPast = ({lastOf}: Segment) => [...lastOf].every(([name, sequence]) => (snapshots.get(name) ?? 0) >= sequence)
    const closed = this.segments.slice(0, -1)
    return (closed.find(segment => !isPast(segment)) ?? this.last)?.number ?? 1
  }

  async removeBefore(first: number): Promise<void> {
    let segment = this.segments[0]
    while (segment !== undefined && segment.number < first) {
      await rm(this.paths.segment(segment.number), {force: true})
      this.segments.shift()
      segment = this.segments[0]
    }
    await syncFolder(this.paths.folder)
  }

  #descriptor(): number {
    if (this.#fd === undefined) throw new Error('the journal has no open segment')
    return this.#fd
  }

  async close(): Promise<void> {
    const fd = this.#fd
    this.#fd = undefined
    if (fd === undefined) return
    // What is past the good bytes was answered as failed.
    if (this.#needsCut) await this.#cut(fd).catch(() => undefined)
    await closeFile(fd)
  }
}

