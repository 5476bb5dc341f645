/** Waits, unless the signal ends it first; then it throws the signal's reason. */
export function wait(delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const onAbort = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', onAbort)
      resolve()
    }, delayMs)
    signal.addEventListener('abort', onAbort, {once: true})
  })
}

export type Wait = typeof wait

/** Doubles from `firstMs` to `longestMs`; up to half of it is random, so that many clients do not come back at once. */
export function backOffMs(attempt: number, random: () => number, firstMs = 200, longestMs = 10_000): number {
  const fullMs = Math.min(firstMs * 2 ** attempt, longestMs)
  return fullMs / 2 + (fullMs / 2) * random()
}
