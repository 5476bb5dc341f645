import {Fault} from '../contract/faults.js'
import type {CallOptions, EventStream, PingEvent} from './client.js'
import {backOffMs, wait, type Wait} from './wait.js'

export interface FollowOptions<T> {
  /** Opens one connection. */
  readonly open: (options: CallOptions) => Promise<EventStream<T>>
  /** The frame after which there is nothing more. */
  readonly isLast: (event: T) => boolean
  /**
   * Asked when a connection ended before the last frame: the last frame, if what is followed has ended anyway and the stream still
   * does not say so on the next try.
   */
  readonly readEnd?: () => Promise<T | undefined>
  readonly signal: AbortSignal
  /** Told before each new connection. */
  readonly onReconnect?: (attempt: number) => void
  /** Silence after which a connection counts as dead; the daemon pings every 25 s. */
  readonly silenceMs?: number
  readonly wait?: Wait
  readonly random?: () => number
}

const defaultSilenceMs = 70_000

/** The events of a stream to its last frame, over as many connections as it takes; none is lost or given twice. */
export async function* followStream<T extends {readonly type: string}>(options: FollowOptions<T>): AsyncGenerator<T> {
  let lastEventId = ''
  for (let attempt = 0; ; attempt += 1) {
    if (attempt > 0) {
      await (options.wait ?? wait)(backOffMs(attempt - 1, options.random ?? Math.random), options.signal)
      options.onReconnect?.(attempt)
    }
    try {
      for await (const {id, data} of oneConnection(options, lastEventId)) {
        // Only what is new counts as progress: every connection begins with a snapshot.
        if (id !== '' && id !== lastEventId) {
          lastEventId = id
          attempt = 0
        }
        yield data
        if (options.isLast(data)) return
      }
    } catch (error) {
      throwUnlessPassing(error, options.signal)
    }
    const end = attempt > 0 ? await tryReadEnd(options) : undefined
    if (end !== undefined) {
      yield end
      return
    }
  }
}

async function tryReadEnd<T>({readEnd, signal}: FollowOptions<T>): Promise<T | undefined> {
  try {
    return await readEnd?.()
  } catch (error) {
    throwUnlessPassing(error, signal)
    return undefined
  }
}

async function* oneConnection<T extends {readonly type: string}>(
  {open, signal, silenceMs = defaultSilenceMs}: FollowOptions<T>,
  lastEventId: string,
): AsyncGenerator<{readonly id: string; readonly data: T}> {
  const silence = new AbortController()
  const onSilence = () => silence.abort(new Fault('DAEMON_NOT_RUNNING', `the stream was silent for ${silenceMs / 1000} s`))
  let timer = setTimeout(onSilence, silenceMs)
  try {
    const joined = AbortSignal.any([signal, silence.signal])
    const events = await open({signal: joined, ...(lastEventId !== '' && {lastEventId})})
    for await (const {id, data} of events) {
      clearTimeout(timer)
      timer = setTimeout(onSilence, silenceMs)
      if (!isPing(data)) yield {id, data}
    }
  } finally {
    clearTimeout(timer)
  }
}

function isPing(data: {readonly type: string}): data is PingEvent {
  return data.type === 'ping'
}

function throwUnlessPassing(error: unknown, signal: AbortSignal): void {
  if (signal.aborted) throw signal.reason
  if (!mayPass(error)) throw error
}

// A lost connection, a restart or a limit passes; a refusal does not.
function mayPass(error: unknown): boolean {
  if (!(error instanceof Fault)) return false
  return error.code === 'DAEMON_NOT_RUNNING' || error.code === 'RATE_LIMITED' || error.status >= 500
}
