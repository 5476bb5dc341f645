import type {Fault} from '../contract/faults.js'

export interface WaitOptions<Event> {
  readonly signal: AbortSignal
  /** How long to wait; as long as it takes unless given. */
  readonly timeoutMs: number | undefined
  /** Lines of output to begin with; all unless given. */
  readonly tail?: number
  readonly onEvent?: (event: Event) => Promise<void> | void
  readonly onReconnect?: () => void
}

interface Awaited<Event, Thing> {
  readonly follow: (options: {readonly signal: AbortSignal; readonly tail?: number; readonly onReconnect?: () => void}) => AsyncIterable<Event>
  readonly show: (signal: AbortSignal) => Promise<Thing>
  readonly stoppedWaiting: (timeoutMs: number) => Fault
}

/** Follows what goes on at the daemon to its end and answers with the thing itself, which has the last word on how it ended. */
export async function waitForEnd<Event, Thing>({follow, show, stoppedWaiting}: Awaited<Event, Thing>, options: WaitOptions<Event>): Promise<Thing> {
  const {timeoutMs, tail, onReconnect} = options
  const limit = new AbortController()
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => limit.abort(stoppedWaiting(timeoutMs)), timeoutMs)
  const signal = AbortSignal.any([options.signal, limit.signal])
  try {
    for await (const event of follow({signal, ...(tail !== undefined && {tail}), ...(onReconnect && {onReconnect})})) await options.onEvent?.(event)
    return await show(signal)
  } catch (error) {
    if (signal.aborted) throw signal.reason
    throw error
  } finally {
    clearTimeout(timer)
  }
}
