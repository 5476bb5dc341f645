import {crc32} from 'node:zlib'
import {z} from 'zod'
import type {Document} from './collection.js'
import {hex, isDocument} from './journal-format.js'
import {damaged} from './store-files.js'
import type {TextPool} from './text-pool.js'
import type {Upgrade} from './upgrades.js'

export const SnapshotHeader = z.object({collection: z.string(), version: z.int(), sequence: z.int(), release: z.string().nullable().default(null)})
export type SnapshotHeader = z.output<typeof SnapshotHeader>

/** The last line of a snapshot: how many documents are before it, and the checksum of all bytes before it. */
export function snapshotFooter(count: number, sum: number): string {
  return `${JSON.stringify({count, crc32: hex(sum)})}\n`
}

export interface SnapshotSource {
  readonly path: string
  readonly collection: string
  readonly texts: TextPool
  readonly upgradeFrom: (version: number, release: string | null) => Upgrade | undefined
}

export interface SnapshotContent {
  readonly header: SnapshotHeader
  readonly documents: Map<string, Document>
  readonly sizeBytes: number
}

const newline = 0x0a

/** Takes a snapshot in pieces: the first line is the header, the last the checksum, each between them a document. */
export class SnapshotReader {
  #header: SnapshotHeader | undefined
  #upgrade: Upgrade | undefined
  /** A version that can not be read; thrown only when the checksum says that the header is what was written. */
  #refusal: unknown
  readonly #documents = new Map<string, Document>()
  /** The last whole line, as only more bytes show that it is not the checksum, and what follows it. */
  #rest: Buffer = Buffer.alloc(0)
  /** Offset of the first byte of the rest. */
  #offset = 0
  #sum = 0
  #count = 0

  constructor(private readonly source: SnapshotSource) {}

  take(chunk: Buffer): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    const last = bytes.lastIndexOf(newline)
    const end = last <= 0 ? 0 : bytes.lastIndexOf(newline, last - 1) + 1
    this.#lines(bytes.subarray(0, end))
    this.#rest = bytes.subarray(end)
  }

  end(): SnapshotContent {
    const footer = this.#rest.toString()
    if (this.#header === undefined || !footer.endsWith('\n')) throw this.#damaged('the file is cut off', this.#offset)
    if (footer !== snapshotFooter(this.#count, this.#sum)) throw this.#damaged('the checksum of the file does not match', this.#offset)
    if (this.#refusal !== undefined) throw this.#refusal
    return {header: this.#header, documents: this.#documents, sizeBytes: this.#offset + this.#rest.length}
  }

  #lines(bytes: Buffer): void {
    if (bytes.length === 0) return
    const start = this.#header === undefined ? this.#readHeader(bytes) : 0
    if (start < bytes.length) this.#readDocuments(bytes, start)
    this.#sum = crc32(bytes, this.#sum)
    this.#offset += bytes.length
  }

  #readHeader(bytes: Buffer): number {
    const end = bytes.indexOf(newline)
    const parsed = SnapshotHeader.safeParse(parseOrUndefined(bytes.toString('utf8', 0, end)))
    if (!parsed.success || parsed.data.collection !== this.source.collection) throw this.#damaged('not the header of a snapshot', 0)
    this.#header = parsed.data
    try {
      this.#upgrade = this.source.upgradeFrom(parsed.data.version, parsed.data.release)
    } catch (refusal) {
      this.#refusal = refusal
    }
    return end + 1
  }

  /** One parse for many lines: a call for each takes half as long again. */
  #readDocuments(bytes: Buffer, start: number): void {
    const lines = bytes.toString('utf8', start, bytes.length - 1)
    const values = parseOrUndefined(`[${lines.replaceAll('\n', ',')}]`)
    if (!Array.isArray(values)) throw this.#damaged('the line is not JSON', this.#offset + start + firstBadLine(lines))
    this.#count += values.length
    if (this.#refusal !== undefined) return
    for (const value of values) this.#keep(value, this.#offset + start)
  }

  #keep(value: unknown, offset: number): void {
    if (!isDocument(value)) throw this.#damaged('a line is not a document', offset)
    const document = this.#upgrade === undefined ? value : this.#upgrade(value, offset)
    this.source.texts.share(document)
    this.#documents.set(document.id, document)
  }

  #damaged(reason: string, offset: number) {
    return damaged(this.source.path, offset, reason)
  }
}

function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The caller says which line it was.
    return undefined
  }
}

function firstBadLine(lines: string): number {
  let offset = 0
  for (const line of lines.split('\n')) {
    if (parseOrUndefined(line) === undefined) break
    offset += Buffer.byteLength(line) + 1
  }
  return offset
}
