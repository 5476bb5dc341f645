import type {FileHandle} from 'node:fs/promises'
import {basename} from 'node:path'
import {Fault} from '../../src/contract/faults.js'
import {isWhole, parsePrefix, parseTrailer, prefixLength, RecordHeader, trailerLength, type OutputRecord, type RecordBounds} from './output-record.js'

const readAheadBytes = 256 * 1024

/** Reads records of one output file, in either direction, up to a fixed end. */
export class OutputReader {
  #ahead: Buffer = Buffer.alloc(0)
  #aheadFrom = 0

  constructor(private readonly handle: FileHandle, private readonly path: string, readonly end: number) {}

  /** The record at an offset without its payload; undefined where there is none. */
  async headerAt(offset: number): Promise<OutputRecord | undefined> {
    const bounds = await this.#boundsAt(offset)
    if (bounds === undefined) return undefined
    return toRecord(bounds, await this.#read(offset + prefixLength, bounds.headerLength))
  }

  /** The record at an offset, checked; undefined where there is none. */
  async recordAt(offset: number): Promise<{record: OutputRecord; payload: Buffer} | undefined> {
    const bounds = await this.#boundsAt(offset)
    if (bounds === undefined) return undefined
    const bytes = await this.#read(offset, bounds.length)
    if (bytes.length < bounds.length || !isWhole(bytes)) return undefined
    const payloadFrom = prefixLength + bounds.headerLength
    const record = toRecord(bounds, bytes.subarray(prefixLength, payloadFrom))
    return record === undefined ? undefined : {record, payload: bytes.subarray(payloadFrom, payloadFrom + bounds.payloadLength)}
  }

  /** Where the record begins that ends at an offset; undefined where none does. */
  async startBefore(end: number): Promise<number | undefined> {
    if (end < trailerLength) return undefined
    return parseTrailer(await this.#read(end - trailerLength, trailerLength, true), end)
  }

  async *forward(from: number): AsyncGenerator<{record: OutputRecord; payload: Buffer}> {
    for (let offset = from; offset < this.end; ) {
      const found = await this.recordAt(offset)
      if (found === undefined) throw this.damaged(offset)
      yield found
      offset += found.record.length
    }
  }

  async *backward(until = 0): AsyncGenerator<{record: OutputRecord; payload: Buffer}> {
    for (let end = this.end; end > until; ) {
      const start = await this.startBefore(end)
      const found = start === undefined ? undefined : await this.recordAt(start)
      if (start === undefined || found === undefined) throw this.damaged(end)
      yield found
      end = start
    }
  }

  async #boundsAt(offset: number): Promise<RecordBounds | undefined> {
    return parsePrefix(await this.#read(offset, prefixLength), offset, this.end)
  }

  /** With `isBackward` what lies before is read along, else what lies after. */
  async #read(offset: number, length: number, isBackward = false): Promise<Buffer> {
    const from = offset - this.#aheadFrom
    if (from >= 0 && from + length <= this.#ahead.length) return this.#ahead.subarray(from, from + length)
    const start = isBackward ? Math.max(0, Math.min(offset, offset + length - readAheadBytes)) : offset
    const wanted = isBackward ? offset + length - start : Math.max(length, Math.min(readAheadBytes, this.end - offset))
    const buffer = Buffer.allocUnsafe(wanted)
    const {bytesRead} = await this.handle.read(buffer, 0, wanted, start)
    this.#ahead = buffer.subarray(0, bytesRead)
    this.#aheadFrom = start
    return this.#ahead.subarray(offset - start, Math.min(offset - start + length, bytesRead))
  }

  damaged(offset: number): Fault {
    return new Fault('STORE_DAMAGED', `the stored output ${basename(this.path)} is damaged at byte ${offset}`, {details: {file: this.path, offset}})
  }
}

function toRecord(bounds: RecordBounds, json: Buffer): OutputRecord | undefined {
  try {
    return {...bounds, header: RecordHeader.parse(JSON.parse(json.toString()))}
  } catch {
    // Not a record: whoever asked says what that means.
    return undefined
  }
}
