import {toInstant, type Clock} from '../clock.js'
import type {Store} from '../store/store.js'
import {Tokens, type TokenRecord} from './records.js'

interface Use {
  at: number
  count: number
}

/**
 * Last use and use count of tokens: kept in memory and written at most once a minute, so that no request waits for it.
 * A crash loses at most the last minute of it.
 */
export class TokenUse {
  readonly #store: Store
  readonly #clock: Clock
  readonly #pending = new Map<string, Use>()
  #cancelTimer: (() => void) | undefined

  constructor(store: Store, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  record(tokenId: string): void {
    const use = this.#pending.get(tokenId)
    if (use === undefined) this.#pending.set(tokenId, {at: this.#clock.now(), count: 1})
    else {
      use.at = this.#clock.now()
      use.count += 1
    }
    // Failing to note a use must not fail anything else; the next minute tries again with what is left.
    this.#cancelTimer ??= this.#clock.after(60_000, () => void this.flush().catch(() => undefined))
  }

  /** A token with the uses that are not written yet. */
  current(token: TokenRecord): TokenRecord {
    const use = this.#pending.get(token.id)
    return use === undefined ? token : {...token, lastUsedAt: toInstant(use.at), useCount: token.useCount + use.count}
  }

  async flush(): Promise<void> {
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
    const uses = [...this.#pending].map(([id, {count}]) => ({id, count}))
    if (uses.length === 0) return
    await this.#store.transaction(async (transaction) => {
      for (const {id} of uses) {
        const token = await transaction.get(Tokens, id)
        if (token !== undefined) await transaction.put(Tokens, this.current(token))
      }
    })
    for (const {id, count} of uses) this.#settle(id, count)
  }

  // Uses that came in while the write was on its way stay for the next one.
  #settle(id: string, written: number): void {
    const use = this.#pending.get(id)
    if (use === undefined) return
    use.count -= written
    if (use.count <= 0) this.#pending.delete(id)
  }
}
