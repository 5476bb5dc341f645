import {buildAutomaton, type PatternAutomaton} from './pattern-automaton.js'

export interface Masked {
  /** What is safe to show. */
  readonly bytes: Buffer
  /** How many bytes of the source it stands for. Masking can begin anew after them and gives the same. */
  readonly consumed: number
}

/** Masks secrets in a stream of bytes, whatever its pieces. */
export interface Masker {
  /** Takes a piece; keeps back only what may be the start of a secret or inside of overlapping ones. */
  push(bytes: Uint8Array): Masked
  /** Gives out what was kept back: the stream has ended here. */
  flush(): Masked
}

export const maskText = '***'

/** `secrets` are masked as they are given; `secretForms` makes the encoded forms of one. Overlapping ones become one mask. */
export function createMasker(secrets: readonly Uint8Array[]): Masker {
  return new StreamMasker(buildAutomaton(secrets))
}

export function createMaskerOf(automaton: PatternAutomaton): Masker {
  return new StreamMasker(automaton)
}

/** A stretch of the source that is covered by secrets that overlap. */
interface Run {
  start: number
  end: number
}

const mask = Buffer.from(maskText)
const nothing = Buffer.alloc(0)

class StreamMasker implements Masker {
  #state = 0
  /** Offsets in the source: what was given out, what is held begins, what was read. */
  #consumed = 0
  #heldFrom = 0
  #position = 0
  /** Bytes from `heldFrom`; those between `consumed` and it lie in the first run and need not be kept. */
  #held: Uint8Array = nothing
  #runs: Run[] = []

  constructor(private readonly automaton: PatternAutomaton) {}

  push(bytes: Uint8Array): Masked {
    if (bytes.length === 0) return {bytes: nothing, consumed: 0}
    const held = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes])
    this.#scan(bytes)
    return this.#release(held, this.#position - this.automaton.depthOf(this.#state))
  }

  flush(): Masked {
    const masked = this.#release(this.#held, this.#position)
    this.#state = 0
    return masked
  }

  #scan(bytes: Uint8Array): void {
    const {automaton} = this
    let state = this.#state
    let position = this.#position
    for (let index = 0; index < bytes.length; index++) {
      state = automaton.next(state, bytes[index] ?? 0)
      position++
      if (state === 0) continue
      const length = automaton.matchOf(state)
      if (length > 0) this.#cover(position - length, position)
    }
    this.#state = state
    this.#position = position
  }

  #cover(from: number, end: number): void {
    const newest = this.#runs.at(-1)
    if (newest !== undefined && newest.start <= from && newest.end > from) {
      newest.end = end
      return
    }
    let start = from
    for (let last = this.#runs.at(-1); last !== undefined && last.end > start; last = this.#runs.at(-1)) {
      start = Math.min(start, last.start)
      this.#runs.pop()
    }
    this.#runs.push({start, end})
  }

  /** Nothing before `safe` can become part of a secret any more. */
  #release(held: Uint8Array, safe: number): Masked {
    const parts: Uint8Array[] = []
    let from = this.#heldFrom
    let run = this.#runs[0]
    while (run !== undefined && run.end <= safe) {
      parts.push(this.#slice(held, from, run.start), mask)
      from = run.end
      this.#runs.shift()
      run = this.#runs[0]
    }
    // Inside a run is no place to begin anew: the rest of it would not be known again.
    const isInside = run !== undefined && run.start < safe
    const until = run !== undefined && isInside ? run.start : safe
    parts.push(this.#slice(held, from, until))
    const consumed = until - this.#consumed
    const keepFrom = isInside ? Math.min(safe, run?.end ?? safe) : until
    this.#held = keepFrom >= this.#position ? nothing : Buffer.from(this.#slice(held, keepFrom, this.#position))
    this.#heldFrom = keepFrom
    this.#consumed = until
    return {bytes: parts.length === 1 ? Buffer.from(parts[0] ?? nothing) : Buffer.concat(parts), consumed}
  }

  /** Part of what is held, by offsets in the source. */
  #slice(held: Uint8Array, start: number, end: number): Uint8Array {
    const from = Math.max(start - this.#heldFrom, 0)
    return held.subarray(from, Math.max(end - this.#heldFrom, from))
  }
}
