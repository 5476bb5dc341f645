import type {OutputChunk, OutputLevel} from '../store/output.js'
import {slicePiece, type MaskedPiece} from './line-cutter.js'

export const keptTailBytes = 64 * 1024

export interface SourcePiece extends MaskedPiece {
  readonly source: string
  readonly level: OutputLevel
}

export interface ServerOutputOptions {
  readonly serverId: string
  readonly limitBytes: number
  /** Bytes stored already. */
  readonly storedBytes: number
}

/**
 * What is kept of a server's output: the first `limitBytes`, then, when the command ends, a line that says how much is missing and the last 64 KiB.
 * It only sorts; the caller stores what it answers.
 */
export class ServerOutput {
  readonly #serverId: string
  readonly #limitBytes: number
  #storedBytes: number
  #beyondLimit = false
  #midLine = false
  #tail: SourcePiece[] = []
  #tailBytes = 0
  #droppedBytes = 0

  constructor({serverId, limitBytes, storedBytes}: ServerOutputOptions) {
    this.#serverId = serverId
    this.#limitBytes = limitBytes
    this.#storedBytes = storedBytes
  }

  /** Answers what of it is to be stored now. */
  take(pieces: readonly SourcePiece[], at: string): OutputChunk[] {
    return pieces.flatMap((piece) => this.#takeOne(piece, at))
  }

  /** From here on nothing more is stored before the end: the server itself has left something out. */
  passLimit(): void {
    this.#beyondLimit = true
  }

  /** The end of an attempt: what is still to be stored. `missing` counts what the server left out. */
  finish(missing: number, at: string): OutputChunk[] {
    const tail = this.#tail
    const dropped = this.#droppedBytes + missing
    this.#tail = []
    this.#tailBytes = 0
    this.#droppedBytes = 0
    this.#beyondLimit = false
    // Nothing is held here when an earlier follower stored the end already.
    return tail.map((piece, index) => {
      const note = index === 0 && dropped > 0 ? `${this.#midLine ? '\n' : ''}… ${dropped} bytes were not kept …\n` : ''
      return this.#toChunk(piece, at, note)
    })
  }

  /** A line of our own; each `number` of a source is stored once. */
  note(text: string, source: string, number: number, at: string): OutputChunk {
    const bytes = Buffer.from(`${this.#midLine ? '\n' : ''}${text}\n`)
    this.#count(bytes)
    return {serverId: this.#serverId, level: 'info', at, bytes, sourceOffset: number, source}
  }

  #takeOne(piece: SourcePiece, at: string): OutputChunk[] {
    const room = this.#beyondLimit ? 0 : this.#limitBytes - this.#storedBytes
    if (piece.bytes.length <= room) return [this.#toChunk(piece, at, '')]
    this.#beyondLimit = true
    // Where something was masked, no byte of the piece has a place of its own in the source: all of it belongs to the tail.
    const head = piece.exact && room > 0 ? [this.#toChunk({...piece, ...slicePiece(piece, 0, room)}, at, '')] : []
    this.#keep(head.length === 0 ? piece : {...piece, ...slicePiece(piece, room, piece.bytes.length)})
    return head
  }

  #keep(piece: SourcePiece): void {
    this.#tail.push(piece)
    this.#tailBytes += piece.bytes.length
    for (let first = this.#tail[0]; first !== undefined && this.#tailBytes > keptTailBytes; first = this.#tail[0]) {
      const excess = this.#tailBytes - keptTailBytes
      const cut = Math.min(excess, first.bytes.length)
      if (cut === first.bytes.length) this.#tail.shift()
      else this.#tail[0] = {...first, bytes: Buffer.from(first.bytes.subarray(cut))}
      this.#tailBytes -= cut
      this.#droppedBytes += cut
    }
  }

  #toChunk(piece: SourcePiece, at: string, note: string): OutputChunk {
    const bytes = note === '' ? piece.bytes : Buffer.concat([Buffer.from(note), piece.bytes])
    this.#count(bytes)
    return {serverId: this.#serverId, level: piece.level, at, bytes, sourceOffset: piece.sourceOffset, source: piece.source}
  }

  #count(bytes: Buffer): void {
    this.#storedBytes += bytes.length
    if (bytes.length > 0) this.#midLine = bytes.at(-1) !== 0x0a
  }
}
