import type {LogLine} from './engine.js'
import {outputFrames} from './output-frames.js'
import {textLines} from './text-lines.js'

// The engine cuts lines of containers into pieces of this many bytes, each with its own time.
const pieceBytes = 16_384
const longestLine = 256 * 1024
const timePattern = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)) /

type Stream = LogLine['stream']

interface Pending {
  at: string
  pieces: Buffer[]
  bytes: number
}

/** Makes lines of what the engine sends for a container without a terminal: frames that each hold a time and a line, or a piece of one. */
export class LogFrames {
  readonly #onLine: (line: LogLine) => void
  readonly #pending = new Map<Stream, Pending>()
  readonly take: (piece: Buffer) => void

  constructor(onLine: (line: LogLine) => void) {
    this.#onLine = onLine
    this.take = outputFrames((stream, frame) => this.#takeFrame(stream, frame))
  }

  end(): void {
    for (const stream of this.#pending.keys()) this.#give(stream)
  }

  #takeFrame(stream: Stream, frame: Buffer): void {
    const {at, text} = splitTime(frame)
    const pending = this.#pending.get(stream) ?? {at, pieces: [], bytes: 0}
    const isWhole = text.at(-1) === 10
    const piece = isWhole ? text.subarray(0, -1) : text
    pending.pieces.push(Buffer.from(piece))
    pending.bytes += piece.length
    this.#pending.set(stream, pending)
    if (isWhole || pending.bytes > longestLine) this.#give(stream)
  }

  #give(stream: Stream): void {
    const pending = this.#pending.get(stream)
    this.#pending.delete(stream)
    if (pending !== undefined) this.#onLine({stream, at: pending.at, text: Buffer.concat(pending.pieces).toString('utf8').replace(/\r$/, '')})
  }
}

function splitTime(frame: Buffer): {at: string; text: Buffer} {
  const found = timePattern.exec(frame.subarray(0, 48).toString('latin1'))
  return {at: found?.[1] ?? '', text: found === null ? frame : frame.subarray(found[0].length)}
}

/** Makes lines of text with a time before each: the output of a container with a terminal, or of `docker logs`. */
export function timedLines(stream: Stream, onLine: (line: LogLine) => void): {take(piece: Buffer): void; end(): void} {
  let lastAt = ''
  return textLines((line) => {
    const found = timePattern.exec(line)
    if (found === null) return onLine({stream, at: lastAt, text: line})
    lastAt = found[1] ?? ''
    onLine({stream, at: lastAt, text: joinPieces(line.slice(found[0].length))})
  }, {keepEmpty: true})
}

// A line longer than a piece holds the times of its further pieces, at places that are known where it is plain ASCII.
function joinPieces(text: string): string {
  if (text.length <= pieceBytes) return text
  const found = timePattern.exec(text.slice(pieceBytes, pieceBytes + 48))
  return found === null ? text : text.slice(0, pieceBytes) + joinPieces(text.slice(pieceBytes + found[0].length))
}
