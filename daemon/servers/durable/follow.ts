import type {ChannelEnd, CommandChannel} from '../channel.js'
import type {DurableStream, FollowOptions} from '../runner.js'
import {readControl} from './control.js'
import type {EndRecord, RunLine, StartRecord} from './records.js'

/** What one channel brought: how the run began and ended, as far as it was told, and where its stream stands. */
export interface Followed {
  readonly start: StartRecord | null
  readonly end: EndRecord | null
  readonly never: boolean
  readonly failed: string | null
  readonly position: number
  readonly tail: Buffer
  readonly noise: string
}

export interface FollowChannel {
  readonly channel: CommandChannel
  readonly script: string
  readonly token: string
  readonly stream: DurableStream
  readonly onStart?: (start: StartRecord) => void
}

// A run that is over by then needs no process that follows its output: what it wrote comes with its end.
const liveAfterMs = 40

/** Runs a launch or follow script on a channel and hands on its stream, piece by piece, until the run ends or the channel does. */
export async function followChannel(request: FollowChannel, follow: FollowOptions): Promise<Followed> {
  const {channel, token, stream} = request
  let position = follow.from[stream]
  let start: StartRecord | null = null
  let end: EndRecord | null = null
  let never = false
  let failed: string | null = null

  let live: NodeJS.Timeout | undefined
  // Not before the shell has read all of the script: it would take this for a part of it. Real time, as it is about the cost of processes.
  const askForLive = () => {
    live = setTimeout(() => channel.stdin.write('\n'), liveAfterMs)
  }
  const complete = () => end !== null && position >= sizeOf(end, stream)
  const onLine = (line: RunLine) => {
    if (line.kind === 'started') {
      start = line
      askForLive()
      request.onStart?.(line)
    } else if (line.kind === 'never') never = true
    else if (line.kind === 'failed') failed = line.message
    else if (line.kind === 'exit' || line.kind === 'lost') end = line
    // No need to wait for the far end to close when nothing is missing.
    if (complete() || never || failed !== null) channel.close()
  }
  const onBytes = async (bytes: Buffer) => {
    await follow.onChunk({stream, offset: position, bytes})
    position += bytes.length
    if (complete()) channel.close()
  }

  const abandon = () => channel.close()
  follow.signal.addEventListener('abort', abandon, {once: true})
  try {
    channel.stdin.write(request.script)
    const [control] = await Promise.all([
      untilClosed(readControl(channel.stderr, token, onLine), channel),
      untilClosed(readAfterMarker(channel, token, onBytes), channel),
    ])
    follow.signal.throwIfAborted()
    // Before we let go of it, or a drop would look like our own doing.
    if (end === null && !never && failed === null) await endOf(channel, follow.signal)
    return {start, end, never, failed, position, tail: control?.tail ?? Buffer.alloc(0), noise: control?.noise ?? ''}
  } finally {
    clearTimeout(live)
    follow.signal.removeEventListener('abort', abandon)
    channel.close()
  }
}

export function sizeOf(end: EndRecord, stream: DurableStream): number {
  // Of a lost run only the file that was asked for was measured.
  return stream === 'output' || end.kind === 'lost' ? end.outputBytes : end.stderrBytes
}

/** Passes on what follows the marker line; what login scripts print before it is dropped. */
export async function readAfterMarker(channel: CommandChannel, token: string, onBytes: (bytes: Buffer) => Promise<void>): Promise<void> {
  const marker = Buffer.from(`${token}\n`)
  let before: Buffer | null = Buffer.alloc(0)
  for await (const piece of channel.stdout) {
    let bytes = Buffer.isBuffer(piece) ? piece : Buffer.from(String(piece))
    if (before !== null) {
      before = Buffer.concat([before, bytes])
      const at = before.indexOf(marker)
      if (at < 0) {
        before = before.subarray(-marker.length)
        continue
      }
      bytes = before.subarray(at + marker.length)
      before = null
    }
    if (bytes.length > 0) await onBytes(bytes)
  }
}

/** Reading from a stream that was closed under it ends with an error that says no more than that. */
async function untilClosed<T>(reading: Promise<T>, channel: CommandChannel): Promise<T | undefined> {
  try {
    return await reading
  } catch (error) {
    if (isPrematureClose(error)) return undefined
    channel.close()
    throw error
  }
}

function isPrematureClose(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ERR_STREAM_PREMATURE_CLOSE' || error.code === 'ERR_STREAM_DESTROYED')
}

/** How the channel ended, unless the signal comes first. */
export function endOf(channel: CommandChannel, signal: AbortSignal): Promise<ChannelEnd> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason)
    signal.addEventListener('abort', onAbort, {once: true})
    channel.ended.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}
