import type {Clock} from '../clock.js'

export interface Deadline {
  readonly clock: Clock
  readonly limitMs: number
  /** Ends the work before its time. */
  readonly signal: AbortSignal
}

/** Work that is told to stop when its time is up; then it rejects with a TimeoutError. */
export async function withinDeadline<T>({clock, limitMs, signal}: Deadline, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const late = new AbortController()
  const cancel = clock.after(limitMs, () => late.abort(new TimeoutError(limitMs)))
  try {
    return await work(AbortSignal.any([signal, late.signal]))
  } catch (error) {
    // Whoever is stopped says so in words of its own.
    if (late.signal.aborted && !signal.aborted) throw late.signal.reason
    throw error
  } finally {
    cancel()
  }
}

export class TimeoutError extends Error {
  override readonly name = 'TimeoutError'

  constructor(limitMs: number) {
    super(`did not answer within ${limitMs / 1000} s`)
  }
}
