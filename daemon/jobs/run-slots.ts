export interface RunLimits {
  /** Commands at once, on all servers. */
  readonly total: number
  /** Commands at once on one server. */
  readonly perServer: number
}

export const defaultRunLimits: RunLimits = {total: 200, perServer: 8}

interface Waiting {
  readonly serverId: string
  readonly start: () => void
}

/** Who comes first is served first, but a busy server holds up nobody who waits for another. */
export class RunSlots {
  readonly #limits: RunLimits
  readonly #held = new Map<string, number>()
  readonly #waiting = new Set<Waiting>()
  #total = 0

  constructor(limits: RunLimits) {
    this.#limits = limits
  }

  /** Waits for a slot; the answer gives it back. */
  async acquire(serverId: string, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted()
    if (this.#isFree(serverId)) return this.take(serverId)
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        this.#waiting.delete(waiting)
        reject(signal.reason)
      }
      const waiting: Waiting = {
        serverId,
        start: () => {
          signal.removeEventListener('abort', onAbort)
          resolve(this.take(serverId))
        },
      }
      signal.addEventListener('abort', onAbort, {once: true})
      this.#waiting.add(waiting)
    })
  }

  /** Takes a slot whether or not one is free: for commands that are running already. */
  take(serverId: string): () => void {
    this.#add(serverId, 1)
    let held = true
    return () => {
      if (!held) return
      held = false
      this.#add(serverId, -1)
      this.#serve()
    }
  }

  #add(serverId: string, change: number): void {
    const held = (this.#held.get(serverId) ?? 0) + change
    if (held === 0) this.#held.delete(serverId)
    else this.#held.set(serverId, held)
    this.#total += change
  }

  #isFree(serverId: string): boolean {
    return this.#total < this.#limits.total && (this.#held.get(serverId) ?? 0) < this.#limits.perServer
  }

  #serve(): void {
    for (const waiting of this.#waiting) {
      if (this.#total >= this.#limits.total) return
      if (!this.#isFree(waiting.serverId)) continue
      this.#waiting.delete(waiting)
      waiting.start()
    }
  }
}
