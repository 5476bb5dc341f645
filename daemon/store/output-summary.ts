import type {OutputReader} from './output-reader.js'
import type {OutputRecord} from './output-record.js'
import {decodeChunk} from './utf8-tail.js'

// Control characters but TAB, LF and ESC (colours stay); CR goes too, as terminals would overwrite the line.
const controls = /[\0-\x08\x0b-\x1a\x1c-\x1f\x7f]/g

interface Part {
  readonly from: string
  readonly text: string
}

/** The first and the last characters of an output, with a line between that says how many of its bytes were left out. */
export async function summarize(reader: OutputReader, characters: number, totalBytes: number): Promise<string> {
  const head = await collect(reader.forward(0), 2 * characters)
  const start = join(head)
  if (start.length <= 2 * characters) return start
  const tail = await collect(reader.backward(), characters)
  const first = firstCharacters(start, characters)
  const last = lastCharacters(join(tail.reverse()), characters)
  const leftOut = totalBytes - Buffer.byteLength(first) - Buffer.byteLength(last)
  return `${first}${first === '' || first.endsWith('\n') ? '' : '\n'}... ${leftOut} bytes left out ...\n${last}`
}

/** Records as cleaned text until there is more than `characters`. */
async function collect(records: AsyncIterable<{record: OutputRecord; payload: Buffer}>, characters: number): Promise<Part[]> {
  const parts: Part[] = []
  let length = 0
  for await (const {record, payload} of records) {
    const {serverId, source, carry} = record.header
    const text = decodeChunk(carry, payload).replace(controls, '')
    if (text === '') continue
    parts.push({from: JSON.stringify([serverId, source]), text})
    length += text.length
    if (length > characters) break
  }
  return parts
}

/** One text; where another source comes in before a line has ended, it begins a line. */
function join(parts: readonly Part[]): string {
  let text = ''
  let from = ''
  for (const part of parts) {
    if (text !== '' && part.from !== from && !text.endsWith('\n')) text += '\n'
    text += part.text
    from = part.from
  }
  return text
}

/** Half a surrogate pair is no character. */
function firstCharacters(text: string, count: number): string {
  const cut = text.slice(0, count)
  return /[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut
}

function lastCharacters(text: string, count: number): string {
  const cut = count === 0 ? '' : text.slice(-count)
  return /^[\udc00-\udfff]/.test(cut) ? cut.slice(1) : cut
}
