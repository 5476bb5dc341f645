/** Bytes with secrets masked, and how far the source was taken for them. */
export interface MaskedPiece {
  readonly bytes: Buffer
  /** Offset in the source just after what these bytes stand for. */
  readonly sourceOffset: number
  /** Byte for byte what the source said, so that it may be cut anywhere. */
  readonly exact: boolean
}

const newline = 0x0a

/** Cuts a stream into whole lines, or pieces of `longest` bytes of a line that does not end, each with its place in the source. */
export class LineCutter {
  readonly #longest: number
  #held: MaskedPiece[] = []
  #heldBytes = 0

  constructor(longest: number) {
    this.#longest = longest
  }

  /** Takes more of the stream; answers what is complete by now. */
  take(piece: MaskedPiece): MaskedPiece[] {
    if (!piece.exact) {
      this.#hold(piece)
      return this.#heldBytes >= this.#longest || piece.bytes.at(-1) === newline ? this.flush() : []
    }
    const done: MaskedPiece[] = []
    const end = piece.bytes.lastIndexOf(newline) + 1
    if (end > 0) {
      this.#hold(slicePiece(piece, 0, end))
      done.push(...this.flush())
    }
    let rest = slicePiece(piece, end, piece.bytes.length)
    while (this.#heldBytes + rest.bytes.length >= this.#longest) {
      const length = Math.max(0, this.#longest - this.#heldBytes)
      this.#hold(slicePiece(rest, 0, length))
      done.push(...this.flush())
      rest = slicePiece(rest, length, rest.bytes.length)
    }
    if (rest.bytes.length > 0) this.#hold(rest)
    return done
  }

  /** What is left, whether or not its line is complete. */
  flush(): MaskedPiece[] {
    const held = this.#held
    this.#held = []
    this.#heldBytes = 0
    const last = held.at(-1)
    if (last === undefined) return []
    if (held.length === 1) return [last]
    return [{bytes: Buffer.concat(held.map((piece) => piece.bytes)), sourceOffset: last.sourceOffset, exact: held.every((piece) => piece.exact)}]
  }

  #hold(piece: MaskedPiece): void {
    this.#held.push(piece)
    this.#heldBytes += piece.bytes.length
  }
}

/** Part of a piece that is byte for byte the source. */
export function slicePiece(piece: MaskedPiece, start: number, end: number): MaskedPiece {
  if (start === 0 && end === piece.bytes.length) return piece
  return {bytes: piece.bytes.subarray(start, end), sourceOffset: piece.sourceOffset - (piece.bytes.length - end), exact: true}
}
