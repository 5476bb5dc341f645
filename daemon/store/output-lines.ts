import {invalidInput, type Fault} from '../../src/contract/faults.js'
import type {OutputReader} from './output-reader.js'
import type {OutputRecord} from './output-record.js'
import type {OutputLine} from './output.js'
import {decodeChunk} from './utf8-tail.js'

const longestLine = 32_768

interface Piece {
  readonly line: string
  readonly partial: boolean
}

/** The lines of one record. A piece without its newline is partial: more of its source may follow. */
export function* piecesOf({header}: OutputRecord, payload: Buffer): Generator<Piece> {
  const text = decodeChunk(header.carry, payload)
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start)
    const end = newline < 0 ? text.length : newline
    if (end - start > longestLine) {
      const cut = start + cutLength(text, start)
      yield {line: text.slice(start, cut), partial: true}
      start = cut
      continue
    }
    yield {line: text.slice(start, end), partial: newline < 0}
    start = end + 1
  }
}

/** Not between the halves of a surrogate pair. */
function cutLength(text: string, start: number): number {
  const code = text.charCodeAt(start + longestLine - 1)
  return code >= 0xd800 && code <= 0xdbff ? longestLine - 1 : longestLine
}

/** A place between lines: the offset of a record and how many of its lines are before. */
export interface LinePlace {
  readonly offset: number
  readonly skip: number
}

export async function* readLinesFrom(reader: OutputReader, place: LinePlace): AsyncGenerator<OutputLine> {
  let skip = place.skip
  for await (const {record, payload} of reader.forward(place.offset)) {
    const {serverId, level, at} = record.header
    let number = 0
    for (const piece of piecesOf(record, payload)) {
      number++
      if (number <= skip) continue
      yield {cursor: `${record.offset}.${number}`, line: piece.line, partial: piece.partial, serverId, level, at}
    }
    skip = 0
  }
}

/** Where a cursor points; throws VALIDATION_ERROR for one that this output never gave out. */
export async function parseCursor(reader: OutputReader, cursor: string): Promise<LinePlace> {
  const parts = /^(\d{1,15})\.(\d{1,10})$/.exec(cursor)
  if (parts === null) throw notACursor()
  const offset = Number(parts[1])
  const skip = Number(parts[2])
  if (skip === 0 && offset === 0) return {offset, skip}
  const found = await reader.recordAt(offset)
  if (found === undefined) throw notACursor()
  let count = 0
  for (const _ of piecesOf(found.record, found.payload)) count++
  if (skip > count) throw notACursor()
  return {offset, skip}
}

function notACursor(): Fault {
  return invalidInput([{path: '/last-event-id', message: 'is not a position in this output'}])
}

/** Where the last `count` lines begin. */
export async function placeOfTail(reader: OutputReader, count: number): Promise<LinePlace> {
  let missing = count
  if (missing <= 0) return {offset: reader.end, skip: 0}
  for await (const {record, payload} of reader.backward()) {
    let pieces = 0
    for (const _ of piecesOf(record, payload)) pieces++
    if (pieces >= missing) return {offset: record.offset, skip: pieces - missing}
    missing -= pieces
  }
  return {offset: 0, skip: 0}
}
