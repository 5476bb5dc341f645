import {crc32} from 'node:zlib'
import {z} from 'zod'
import type {Document} from './collection.js'

// One line a record: crc32 of the JSON in hex, a space, the JSON. JSON text never holds a raw newline or NUL.

const newline = 0x0a
const space = 0x20
const prefixLength = 9

/** Which segments and snapshots must be there from here on. */
export const Checkpoint = z.object({first: z.int(), snapshots: z.record(z.string(), z.int())})
export type Checkpoint = z.output<typeof Checkpoint>

/** The first line of a segment. */
export const SegmentHeader = z.object({
  segment: z.int(),
  /** The last sequence before this segment. */
  after: z.int(),
  /** Versions of the documents in it, by collection. */
  versions: z.record(z.string(), z.int()),
  checkpoint: Checkpoint.nullable(),
  /** The release that wrote it. */
  release: z.string().nullable(),
})
export type SegmentHeader = z.output<typeof SegmentHeader>

export interface CollectionChanges {
  readonly put: readonly Document[]
  readonly delete: readonly string[]
}

export interface JournalRecord {
  readonly sequence: number
  readonly changes: Readonly<Record<string, CollectionChanges>>
  readonly checkpoint: Checkpoint | null
}

export function encodeLine(json: string): string {
  return `${hex(crc32(json))} ${json}\n`
}

export function hex(crc: number): string {
  return crc.toString(16).padStart(8, '0')
}

/** `bad` says what is wrong with the line; `ended` whether its newline is there. */
export interface JournalLine {
  readonly offset: number
  readonly length: number
  readonly json: string
  readonly bad: string | null
  readonly ended: boolean
}

export function* readLines(bytes: Buffer): Generator<JournalLine> {
  for (let offset = 0; offset < bytes.length; ) {
    const found = bytes.indexOf(newline, offset)
    const ended = found >= 0
    const end = ended ? found : bytes.length
    yield readLine(bytes, offset, end, ended)
    offset = end + 1
  }
}

function readLine(bytes: Buffer, offset: number, end: number, ended: boolean): JournalLine {
  const line = {offset, length: end - offset + (ended ? 1 : 0), ended}
  if (!ended) return {...line, json: '', bad: 'the line is cut off'}
  if (end - offset < prefixLength || bytes[offset + prefixLength - 1] !== space) return {...line, json: '', bad: 'not a line of the journal'}
  const text = bytes.subarray(offset + prefixLength, end)
  const sum = bytes.toString('latin1', offset, offset + prefixLength - 1)
  if (sum !== hex(crc32(text))) return {...line, json: '', bad: 'the checksum does not match'}
  return {...line, json: text.toString(), bad: null}
}

/** The checksum vouches for the content, so only the shape is looked at: documents are not parsed again. */
export function parseRecord(json: string): JournalRecord | undefined {
  const value: unknown = JSON.parse(json)
  if (!isObject(value) || typeof value['sequence'] !== 'number') return undefined
  const checkpoint = Checkpoint.nullable().safeParse(value['checkpoint'] ?? null)
  const changes: unknown = value['changes'] ?? {}
  if (!checkpoint.success || !isObject(changes)) return undefined
  const parsed: Record<string, CollectionChanges> = {}
  for (const [name, change] of Object.entries(changes)) {
    if (!isObject(change)) return undefined
    const put: unknown = change['put'] ?? []
    const gone: unknown = change['delete'] ?? []
    if (!isDocuments(put) || !isIds(gone)) return undefined
    parsed[name] = {put, delete: gone}
  }
  return {sequence: value['sequence'], changes: parsed, checkpoint: checkpoint.data}
}

export function isDocument(value: unknown): value is Document {
  return isObject(value) && typeof value['id'] === 'string'
}

const isDocuments = (value: unknown): value is Document[] => Array.isArray(value) && value.every(isDocument)
const isIds = (value: unknown): value is string[] => Array.isArray(value) && value.every(id => typeof id === 'string')

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
