import type {Readable} from 'node:stream'
import {definitionLimits} from '../../catalog/json-limits.js'

/** All of a stream, or a little more than a definition may have. */
export async function readAllBytes(stream: Readable, signal: AbortSignal): Promise<Buffer> {
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of stream) {
    signal.throwIfAborted()
    const bytes = Buffer.from(piece as Uint8Array | string)
    pieces.push(bytes)
    size += bytes.length
    if (size > definitionLimits.bytes) break
  }
  return Buffer.concat(pieces)
}
