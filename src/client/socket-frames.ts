import {randomBytes} from 'node:crypto'

// Frames of a WebSocket (RFC 6455, 5.2) as a client sends and reads them. Ours instead of a library's: those for browsers neither wait for
// a slow reader nor tell why a daemon refused.

export const opcodes = {continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10} as const

export interface Message {
  readonly opcode: number
  readonly payload: Buffer
}

const longestMessage = 16 * 1024 * 1024

/** A whole message in one frame, masked as a client has to. */
export function encodeFrame(opcode: number, payload: Uint8Array): Buffer {
  const {length} = payload
  const mask = randomBytes(4)
  const sizeBytes = length < 126 ? 0 : length < 65_536 ? 2 : 8
  const frame = Buffer.allocUnsafe(2 + sizeBytes + 4 + length)
  frame[0] = 0x80 | opcode
  frame[1] = 0x80 | (sizeBytes === 0 ? length : sizeBytes === 2 ? 126 : 127)
  if (sizeBytes === 2) frame.writeUInt16BE(length, 2)
  if (sizeBytes === 8) frame.writeBigUInt64BE(BigInt(length), 2)
  mask.copy(frame, 2 + sizeBytes)
  const start = 6 + sizeBytes
  for (let at = 0; at < length; at++) frame[start + at] = (payload[at] ?? 0) ^ (mask[at & 3] ?? 0)
  return frame
}

/** Makes whole messages of bytes, however they are cut. Throws where they are no frames of a server. */
export class MessageReader {
  #left: Buffer = Buffer.alloc(0)
  #opcode = 0
  #parts: Buffer[] = []

  push(bytes: Buffer): Message[] {
    this.#left = this.#left.length === 0 ? bytes : Buffer.concat([this.#left, bytes])
    const messages: Message[] = []
    for (let frame = this.#next(); frame !== undefined; frame = this.#next()) {
      const {opcode, isLast, payload} = frame
      if (opcode >= opcodes.close) {
        // These may come between the parts of another.
        messages.push({opcode, payload})
        continue
      }
      if (opcode !== opcodes.continuation) this.#opcode = opcode
      this.#parts.push(payload)
      if (this.#parts.reduce((sum, part) => sum + part.length, 0) > longestMessage) throw new Error('a message is too long')
      if (isLast) messages.push({opcode: this.#opcode, payload: Buffer.concat(this.#parts.splice(0))})
    }
    return messages
  }

  #next(): (Message & {readonly isLast: boolean}) | undefined {
    const [first, second] = this.#left
    if (first === undefined || second === undefined) return undefined
    if ((first & 0x70) !== 0 || (second & 0x80) !== 0) throw new Error('these are no frames of a server')
    const short = second & 0x7f
    const sizeBytes = short < 126 ? 0 : short === 126 ? 2 : 8
    const start = 2 + sizeBytes
    if (this.#left.length < start) return undefined
    const length = sizeBytes === 0 ? short : sizeBytes === 2 ? this.#left.readUInt16BE(2) : Number(this.#left.readBigUInt64BE(2))
    if (length > longestMessage) throw new Error('a message is too long')
    if (this.#left.length < start + length) return undefined
    const payload = this.#left.subarray(start, start + length)
    this.#left = this.#left.subarray(start + length)
    return {opcode: first & 0x0f, isLast: (first & 0x80) !== 0, payload}
  }
}
