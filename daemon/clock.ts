/** Time as the daemon sees it. Passed in everywhere, so that tests decide what time it is. */
export interface Clock {
  /** Milliseconds since the epoch, as the wall clock says. */
  now(): number
  /** Calls back once after `delayMs`; the answer cancels it. Delays may be longer than one timer can hold. */
  after(delayMs: number, callback: () => void): () => void
}

// setTimeout wraps around past 2^31-1 ms and then fires at once.
const longestTimerMs = 24 * 24 * 3600 * 1000

export const systemClock: Clock = {
  now: () => Date.now(),
  after(delayMs, callback) {
    let timer: NodeJS.Timeout
    const arm = (leftMs: number) => {
      const stepMs = Math.min(Math.max(leftMs, 0), longestTimerMs)
      timer = setTimeout(() => (leftMs > stepMs ? arm(leftMs - stepMs) : callback()), stepMs)
    }
    arm(delayMs)
    return () => clearTimeout(timer)
  },
}

/** An instant as it goes over the wire. */
export function toInstant(epochMs: number): string {
  return new Date(epochMs).toISOString()
}

/** Waits, unless the signal ends it first; then it throws the signal's reason. */
export function sleep(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const onAbort = () => {
      cancel()
      reject(signal.reason)
    }
    const cancel = clock.after(delayMs, () => {
      signal.removeEventListener('abort', onAbort)
      resolve()
    })
    signal.addEventListener('abort', onAbort, {once: true})
  })
}
