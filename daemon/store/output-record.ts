import {crc32} from 'node:zlib'
import {z} from 'zod'
import type {OutputChunk} from './output.js'

// A record: magic, length of the header, length of the payload; header as JSON; payload; then length of the record, its checksum and
// the magic again, so that a file can be walked from both ends.

const magic = 0x4d4f5231
export const prefixLength = 12
export const trailerLength = 12
/** A length beyond this is damage, not a record. */
const longestHeader = 4 * 1024 * 1024

export const OutputSource = z.object({
  serverId: z.string().nullable(),
  source: z.string(),
  /** Where it stands at its source. */
  offset: z.number(),
  /** Bytes stored of it. */
  sizeBytes: z.number(),
  /** Bytes of a character that the next chunk goes on with, in hex. */
  carry: z.string(),
})
export type OutputSource = z.output<typeof OutputSource>

export const RecordHeader = z.object({
  serverId: z.string().nullable(),
  level: z.enum(['info', 'warn', 'error']),
  at: z.string(),
  source: z.string(),
  sourceOffset: z.number(),
  /** What the chunk before it of the same source left of a character, in hex. */
  carry: z.string(),
  /** Once in a while, how all sources stand after this record, so that opening need not read everything. */
  sources: z.array(OutputSource).optional(),
})
export type RecordHeader = z.output<typeof RecordHeader>

export interface RecordBounds {
  readonly offset: number
  readonly headerLength: number
  readonly payloadLength: number
  readonly length: number
}

export interface OutputRecord extends RecordBounds {
  readonly header: RecordHeader
}

export function encodeRecord(header: RecordHeader, payload: Buffer): Buffer {
  const json = Buffer.from(JSON.stringify(header))
  const length = prefixLength + json.length + payload.length + trailerLength
  const record = Buffer.allocUnsafe(length)
  record.writeUInt32BE(magic, 0)
  record.writeUInt32BE(json.length, 4)
  record.writeUInt32BE(payload.length, 8)
  json.copy(record, prefixLength)
  payload.copy(record, prefixLength + json.length)
  record.writeUInt32BE(length, length - 12)
  record.writeUInt32BE(crc32(record.subarray(0, length - trailerLength)), length - 8)
  record.writeUInt32BE(magic, length - 4)
  return record
}

/** Reads the prefix of a record at an offset; undefined where it is not one, or does not end before `end`. */
export function parsePrefix(prefix: Buffer, offset: number, end: number): RecordBounds | undefined {
  if (prefix.length < prefixLength || prefix.readUInt32BE(0) !== magic) return undefined
  const headerLength = prefix.readUInt32BE(4)
  const payloadLength = prefix.readUInt32BE(8)
  const length = prefixLength + headerLength + payloadLength + trailerLength
  return headerLength > longestHeader || offset + length > end ? undefined : {offset, headerLength, payloadLength, length}
}

/** Where the record begins whose trailer this is, ending at `end`; undefined where it is none. */
export function parseTrailer(trailer: Buffer, end: number): number | undefined {
  if (trailer.length < trailerLength || trailer.readUInt32BE(8) !== magic) return undefined
  const length = trailer.readUInt32BE(0)
  return length < prefixLength + trailerLength || length > end ? undefined : end - length
}

export function isWhole(record: Buffer): boolean {
  const {length} = record
  return (
    record.readUInt32BE(length - 12) === length &&
    record.readUInt32BE(length - 8) === crc32(record.subarray(0, length - trailerLength)) &&
    record.readUInt32BE(length - 4) === magic
  )
}

export function toHeader(chunk: OutputChunk, carry: string, sources: OutputSource[] | undefined): RecordHeader {
  const {serverId, level, at, source, sourceOffset} = chunk
  return {serverId, level, at, source, sourceOffset, carry, ...(sources === undefined ? {} : {sources})}
}
