import type {z} from 'zod'
import type {LogEntry} from '../../../src/contract/log-entry.js'
import type {LogEvent} from '../../../src/contract/services.js'
import type {Engine, LogLine} from '../../servers/engine/engine.js'

type LogEventInput = z.input<typeof LogEvent>

export interface LogWish {
  readonly engine: Engine
  readonly containerId: string
  readonly serviceName: string
  readonly tail: number | undefined
  readonly since: string | undefined
  readonly signal: AbortSignal
}

/** The last lines there are. */
export async function readLogs({engine, containerId, serviceName, tail, since, signal}: LogWish): Promise<LogEntry[]> {
  if (tail === 0) return []
  const lines: LogEntry[] = []
  const onLine = ({at, text, stream}: LogLine) => void lines.push({timestamp: new Date(at).toISOString(), message: text, level: levelOf(stream), serviceName})
  await engine.logs(containerId, {follow: false, tail, since, signal, onLine})
  return lines
}

// A reader who is slower than the container misses lines and is told how many.
const mostWaiting = 5000

/** The lines of a container as they come, then its end. The engine is let go when the reader is gone. */
export async function* followLogs({engine, containerId, serviceName, tail, since, signal}: LogWish): AsyncGenerator<{readonly data: LogEventInput}> {
  const end = new AbortController()
  const waiting: LogLine[] = []
  let dropped = 0
  let lastAt = ''
  let wake: () => void = () => undefined
  let outcome: {readonly error?: unknown} | undefined
  const reading = engine.logs(containerId, {
    follow: true, tail, since, signal: AbortSignal.any([signal, end.signal]),
    onLine(line) {
      lastAt = line.at
      if (waiting.length < mostWaiting) waiting.push(line)
      else dropped += 1
      wake()
    },
  })
  const settled = reading.then(() => { outcome = {} }, (error: unknown) => { outcome = {error} }).finally(() => wake())
  try {
    for (;;) {
      for (let line = waiting.shift(); line !== undefined; line = waiting.shift()) yield {data: toLogEvent(line, serviceName)}
      if (dropped > 0) {
        yield {data: toLogEvent({stream: 'stderr', at: lastAt, text: `(${dropped} lines were left out, as they came faster than they were read)`}, serviceName)}
        dropped = 0
      }
      if (outcome !== undefined && waiting.length === 0) break
      await new Promise<void>((resolve) => {
        wake = resolve
        if (waiting.length > 0 || outcome !== undefined) resolve()
      })
    }
    if (outcome.error !== undefined && !signal.aborted) throw outcome.error
    if (!signal.aborted) yield {data: {type: 'complete', reason: 'the container ended'}}
  } finally {
    end.abort(new Error('nobody reads the log any more'))
    await settled
  }
}

function toLogEvent({stream, at, text}: LogLine, serviceName: string): LogEventInput {
  const message = `${text}\n`
  return {type: 'log', message, data: Buffer.from(message).toString('base64'), timestamp: at, level: levelOf(stream), serviceName, stream}
}

function levelOf(stream: LogLine['stream']): LogEntry['level'] {
  return stream === 'stderr' ? 'warn' : 'info'
}
