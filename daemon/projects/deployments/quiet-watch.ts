import type {Clock} from '../../clock.js'

const quietMs = 30_000

/** Says what is waited for, whenever a log has been silent for half a minute. */
export class QuietWatch {
  readonly #clock: Clock
  readonly #say: (line: string) => void
  #waitsFor: (() => string) | undefined
  #since = 0
  #cancel: (() => void) | undefined

  constructor(clock: Clock, say: (line: string) => void) {
    this.#clock = clock
    this.#say = say
  }

  /** From now on this is waited for. */
  begin(waitsFor: () => string): void {
    this.#waitsFor = waitsFor
    this.#since = this.#clock.now()
    this.heard()
  }

  /** Something was said. */
  heard(): void {
    this.#cancel?.()
    const waitsFor = this.#waitsFor
    if (waitsFor === undefined) return
    this.#cancel = this.#clock.after(quietMs, () => {
      // Saying it is heard, which arms the next one.
      this.#say(`still waiting for ${waitsFor()} (${toElapsed(this.#clock.now() - this.#since)})`)
    })
  }

  end(): void {
    this.#waitsFor = undefined
    this.#cancel?.()
  }
}

function toElapsed(elapsedMs: number): string {
  const seconds = Math.round(elapsedMs / 1000)
  return seconds < 120 ? `${seconds} s` : `${Math.floor(seconds / 60)} min`
}
