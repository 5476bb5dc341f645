import {readFile} from 'node:fs/promises'
import {parseRecord, readLines, SegmentHeader, type JournalLine, type JournalRecord} from './journal-format.js'
import {damaged} from './store-files.js'

export interface SegmentContent {
  readonly header: SegmentHeader
  /** Bytes that are good; what is past them is a torn end. */
  readonly goodBytes: number
  readonly tornBytes: number
  readonly lastSequence: number
}

export interface SegmentReading {
  readonly path: string
  readonly number: number
  /** Only the last segment may end in the middle of a line: the others were closed. */
  readonly isLast: boolean
  /** Told the header before any record. */
  readonly onHeader: (header: SegmentHeader) => void
  readonly onRecord: (record: JournalRecord, offset: number) => void
}

/** Reads one segment strictly: a torn end of the last one is reported, everything else that is wrong throws STORE_DAMAGED. */
export async function readSegment(reading: SegmentReading): Promise<SegmentContent> {
  const bytes = await readFile(reading.path)
  let header: SegmentHeader | undefined
  let sequence = 0
  for (const line of readLines(bytes)) {
    if (header === undefined) {
      header = readHeader(reading, line)
      sequence = header.after
      reading.onHeader(header)
      continue
    }
    if (line.bad !== null) {
      // A write that a crash interrupted has no end, or NULs where a loss of power left blocks unwritten. A whole line with a wrong
      // checksum is neither: it was written once and has changed since.
      if (!reading.isLast || line.ended) throw damaged(reading.path, line.offset, line.bad)
      return {header, goodBytes: line.offset, tornBytes: bytes.length - line.offset, lastSequence: sequence}
    }
    const record = readRecord(reading.path, line, sequence + 1)
    reading.onRecord(record, line.offset)
    sequence = record.sequence
  }
  if (header === undefined) throw damaged(reading.path, 0, 'the file is empty')
  return {header, goodBytes: bytes.length, tornBytes: 0, lastSequence: sequence}
}

function readHeader({path, number}: SegmentReading, line: JournalLine): SegmentHeader {
  if (line.bad !== null) throw damaged(path, line.offset, line.bad)
  const header = SegmentHeader.safeParse(JSON.parse(line.json))
  if (!header.success || header.data.segment !== number) throw damaged(path, line.offset, `not the header of segment ${number}`)
  return header.data
}

function readRecord(path: string, line: JournalLine, expected: number): JournalRecord {
  const record = parseRecord(line.json)
  if (record === undefined) throw damaged(path, line.offset, 'not a record of the journal')
  if (record.sequence !== expected) throw damaged(path, line.offset, `transaction ${expected} is missing, ${record.sequence} follows`)
  return record
}

