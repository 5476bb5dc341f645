/** Tells whoever watches a run that there is more to read: output was stored, or its record changed. It carries no data, so slow readers hold none. */
export class RunFeed {
  readonly #watchers = new Map<string, Set<RunWatcher>>()

  /** Begins to watch; what happens from now on is not missed. */
  watch(runId: string): RunWatcher {
    const watcher = new RunWatcher(() => {
      const others = this.#watchers.get(runId)
      others?.delete(watcher)
      if (others?.size === 0) this.#watchers.delete(runId)
    })
    const watchers = this.#watchers.get(runId) ?? new Set()
    this.#watchers.set(runId, watchers.add(watcher))
    return watcher
  }

  notify(runId: string): void {
    for (const watcher of this.#watchers.get(runId) ?? []) watcher.notify()
  }

  notifyAll(): void {
    for (const watchers of this.#watchers.values()) for (const watcher of watchers) watcher.notify()
  }
}

export class RunWatcher {
  #pending = false
  #wake: (() => void) | undefined
  readonly close: () => void

  constructor(close: () => void) {
    this.close = close
  }

  notify(): void {
    this.#pending = true
    this.#wake?.()
  }

  /** Settles at once if something happened since the last call. Rejects when the signal ends it. */
  async next(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (!this.#pending) await this.#wait(signal)
    this.#pending = false
  }

  #wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (act: () => void) => {
        signal.removeEventListener('abort', onAbort)
        this.#wake = undefined
        act()
      }
      const onAbort = () => settle(() => reject(signal.reason))
      signal.addEventListener('abort', onAbort, {once: true})
      this.#wake = () => settle(resolve)
    })
  }
}
