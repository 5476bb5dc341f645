import type {Readable} from 'node:stream'
import {parseRunLine, type RunLine} from './records.js'

// What the scripts say on stderr: lines that begin with our token; after the end record, the last bytes of the output as they are.

const maxNoiseBytes = 4096
const maxLineBytes = 8192

export interface Control {
  /** The last bytes of the file that was followed; empty without an end record. */
  readonly tail: Buffer
  /** What others wrote there, such as the login scripts of the user; for the message when nothing else was said. */
  readonly noise: string
}

/** Reads to the end of the stream and calls `onLine` for each of our lines. */
export async function readControl(stderr: Readable, token: string, onLine: (line: RunLine) => void): Promise<Control> {
  let pending = Buffer.alloc(0)
  let noise = ''
  let ended = false
  const tail: Buffer[] = []
  for await (const piece of stderr) {
    const bytes = Buffer.isBuffer(piece) ? piece : Buffer.from(String(piece))
    if (ended) {
      tail.push(bytes)
      continue
    }
    pending = Buffer.concat([pending, bytes])
    for (;;) {
      const newline = pending.indexOf(10)
      if (newline < 0) break
      const text = pending.subarray(0, newline).toString('utf8')
      pending = pending.subarray(newline + 1)
      const at = text.indexOf(`${token} `)
      if (at < 0) {
        if (noise.length < maxNoiseBytes) noise += `${text}\n`
        continue
      }
      const line = parseRunLine(text.slice(at + token.length + 1))
      onLine(line)
      if (line.kind === 'exit' || line.kind === 'lost') {
        ended = true
        tail.push(pending)
        pending = Buffer.alloc(0)
        break
      }
    }
    if (pending.length > maxLineBytes) pending = pending.subarray(-maxLineBytes)
  }
  return {tail: Buffer.concat(tail), noise: noise + pending.toString('utf8')}
}
