import {createReadStream} from 'node:fs'
import {setImmediate} from 'node:timers/promises'
import {crc32} from 'node:zlib'
import type {Adapter} from 'lowdb'
import {z} from 'zod'
import type {Document} from './collection.js'
import {replaceFile, systemCode} from './disk.js'
import {hex, isDocument} from './journal-format.js'
import {damaged} from './store-files.js'
import type {Upgrade} from './upgrades.js'

/** What lowdb keeps of one collection. `documents` is the live map: writing goes on while it is copied out. */
export interface Snapshot {
  sequence: number
  readonly documents: Map<string, Document>
}

const SnapshotHeader = z.object({collection: z.string(), version: z.int(), sequence: z.int(), release: z.string().nullable().default(null)})
type SnapshotHeader = z.output<typeof SnapshotHeader>

export interface SnapshotOptions {
  readonly path: string
  readonly collection: string
  /** Asked when a snapshot is written. */
  readonly version: () => number
  readonly release: string | null
  /** How to bring documents of a version to the present one. */
  readonly upgradeFrom: (version: number, release: string | null) => Upgrade | undefined
}

const sliceLength = 256 * 1024

/**
 * lowdb's file adapter neither syncs nor keeps the mode, and makes one text of everything. This one writes a document a line between a
 * header and a checksum, in slices that yield.
 *
 * A snapshot may hold changes made after its `sequence`: documents are replaced while it is written. Replay goes over them again, in
 * order, and whole documents are all a change consists of, so the result is the same.
 */
export class SnapshotAdapter implements Adapter<Snapshot> {
  /** The version found by `read`. */
  foundVersion: number | null = null

  constructor(private readonly options: SnapshotOptions) {}

  async read(): Promise<Snapshot | null> {
    const reader = new SnapshotReader(this.options)
    try {
      for await (const chunk of createReadStream(this.options.path, {highWaterMark: 1024 * 1024})) reader.take(chunk as Buffer)
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return null
      throw error
    }
    const {header, documents} = reader.end()
    this.foundVersion = header.version
    return {sequence: header.sequence, documents}
  }

  async write({sequence, documents}: Snapshot): Promise<void> {
    const {path, collection, version, release} = this.options
    await replaceFile(path, async append => {
      let sum = 0
      let count = 0
      let slice = `${JSON.stringify({collection, version: version(), sequence, release})}\n`
      const flush = async () => {
        const bytes = Buffer.from(slice)
        slice = ''
        sum = crc32(bytes, sum)
        await append(bytes)
        await setImmediate()
      }
      // The ids as of now: what is inserted later is in the journal, and must not keep this loop alive.
      for (const id of [...documents.keys()]) {
        const document = documents.get(id)
        if (document === undefined) continue
        count++
        slice += `${JSON.stringify(document)}\n`
        if (slice.length >= sliceLength) await flush()
      }
      await flush()
      await append(Buffer.from(footer(count, sum)))
    })
  }
}

function footer(count: number, sum: number): string {
  return `${JSON.stringify({count, crc32: hex(sum)})}\n`
}

const newline = 0x0a

/** Takes a snapshot in pieces; every line but the last is a document, the last is the checksum of all before it. */
class SnapshotReader {
  #header: SnapshotHeader | undefined
  #upgrade: Upgrade | undefined
  /** A version that can not be read; thrown only when the checksum says that the header is what was written. */
  #refusal: unknown
  readonly #documents = new Map<string, Document>()
  #rest: Buffer = Buffer.alloc(0)
  /** Offset of the first byte of the rest. */
  #offset = 0
  #sum = 0
  /** The line before the present one; only the next shows that it was not the last. */
  #held: Buffer | undefined
  #count = 0

  constructor(private readonly options: SnapshotOptions) {}

  take(chunk: Buffer): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    let start = 0
    for (let end = bytes.indexOf(newline); end >= 0; end = bytes.indexOf(newline, start)) {
      this.#line(bytes.subarray(start, end + 1))
      start = end + 1
    }
    this.#rest = bytes.subarray(start)
  }

  end(): {header: SnapshotHeader; documents: Map<string, Document>} {
    if (this.#rest.length > 0) throw this.#damaged('the file is cut off', this.#offset + (this.#held?.length ?? 0))
    if (this.#header === undefined || this.#held === undefined) throw this.#damaged('the file is cut off')
    if (this.#held.toString() !== footer(this.#count, this.#sum)) throw this.#damaged('the checksum of the file does not match')
    if (this.#refusal !== undefined) throw this.#refusal
    return {header: this.#header, documents: this.#documents}
  }

  #line(line: Buffer): void {
    if (this.#held !== undefined) this.#document(this.#held)
    this.#held = undefined
    if (this.#header === undefined) this.#readHeader(line)
    else this.#held = line
  }

  #readHeader(line: Buffer): void {
    const parsed = SnapshotHeader.safeParse(this.#json(line))
    if (!parsed.success || parsed.data.collection !== this.options.collection) throw this.#damaged('not the header of a snapshot')
    this.#header = parsed.data
    try {
      this.#upgrade = this.options.upgradeFrom(parsed.data.version, parsed.data.release)
    } catch (refusal) {
      this.#refusal = refusal
    }
    this.#passed(line)
  }

  #document(line: Buffer): void {
    this.#count++
    if (this.#refusal === undefined) this.#keep(line)
    this.#passed(line)
  }

  #keep(line: Buffer): void {
    const value = this.#json(line)
    if (!isDocument(value)) throw this.#damaged('not a document')
    const document = this.#upgrade === undefined ? value : this.#upgrade(value, this.#offset)
    this.#documents.set(document.id, document)
  }

  #json(line: Buffer): unknown {
    try {
      return JSON.parse(line.toString('utf8', 0, line.length - 1))
    } catch (error) {
      throw this.#damaged('the line is not JSON', this.#offset, error)
    }
  }

  #passed(line: Buffer): void {
    this.#sum = crc32(line, this.#sum)
    this.#offset += line.length
  }

  #damaged(reason: string, offset = this.#offset, cause?: unknown) {
    return damaged(this.options.path, offset, reason, cause)
  }
}
