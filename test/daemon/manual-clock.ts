import type {Clock} from '../../daemon/clock.js'

interface Timer {
  readonly atMs: number
  readonly order: number
  readonly callback: () => void
}

/** Time that stands still until a test moves it. Timers run on its own steady time; the wall clock can be moved apart from them. */
export class ManualClock implements Clock {
  #steadyMs = 0
  #wallOffsetMs: number
  #order = 0
  readonly #timers = new Set<Timer>()

  constructor(startMs: number | string) {
    this.#wallOffsetMs = typeof startMs === 'number' ? startMs : Date.parse(startMs)
  }

  get timers(): number {
    return this.#timers.size
  }

  now(): number {
    return this.#steadyMs + this.#wallOffsetMs
  }

  after(delayMs: number, callback: () => void): () => void {
    const timer = {atMs: this.#steadyMs + Math.max(0, delayMs), order: this.#order++, callback}
    this.#timers.add(timer)
    return () => this.#timers.delete(timer)
  }

  /** Lets time pass; timers run in their order, each at its own instant, those they set too. */
  advance(ms: number): void {
    const untilMs = this.#steadyMs + ms
    for (let timer = this.#firstUntil(untilMs); timer !== undefined; timer = this.#firstUntil(untilMs)) {
      this.#timers.delete(timer)
      this.#steadyMs = Math.max(this.#steadyMs, timer.atMs)
      timer.callback()
    }
    this.#steadyMs = untilMs
  }

  /** Moves the wall clock without letting time pass. */
  jump(ms: number): void {
    this.#wallOffsetMs += ms
  }

  /** Lets the next timer run now, before its time, as a timer that is a little early does. */
  fireEarly(): void {
    const timer = this.#firstUntil(Infinity)
    if (timer === undefined) return
    this.#timers.delete(timer)
    timer.callback()
  }

  #firstUntil(untilMs: number): Timer | undefined {
    let first: Timer | undefined
    for (const timer of this.#timers) {
      if (timer.atMs > untilMs) continue
      if (first === undefined || timer.atMs < first.atMs || (timer.atMs === first.atMs && timer.order < first.order)) first = timer
    }
    return first
  }
}
