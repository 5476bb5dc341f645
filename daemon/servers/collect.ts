import {Readable} from 'node:stream'
import type {ChannelEnd, CommandChannel} from './channel.js'
import {feed} from './feed.js'
import type {ExecOptions, ExecResult} from './runner.js'

const defaultMaxBytes = 1_000_000
const killAfterMs = 2000

/** Feeds a command and takes in what it says, bounded; the signal ends it. */
export async function collect(channel: CommandChannel, options: ExecOptions, prefix: readonly (string | Buffer)[] = []): Promise<ExecResult> {
  const broken = new AbortController()
  const signal = options.input instanceof Readable ? AbortSignal.any([options.signal, broken.signal]) : options.signal
  let killer: NodeJS.Timeout | undefined
  const end = () => {
    channel.signal('TERM')
    killer = setTimeout(() => {
      channel.signal('KILL')
      channel.close()
    }, killAfterMs)
  }
  if (signal.aborted) end()
  signal.addEventListener('abort', end, {once: true})
  for (const piece of prefix) channel.stdin.write(piece)
  const letGo = feed(channel.stdin, options.input ?? '', (error) => broken.abort(error))
  try {
    const maxBytes = options.maxOutputBytes ?? defaultMaxBytes
    const [stdout, stderr, ended] = await Promise.all([
      keep(channel, 'stdout', maxBytes, options),
      keep(channel, 'stderr', maxBytes, options),
      channel.ended,
    ] as const)
    signal.throwIfAborted()
    return toResult(ended, stdout, stderr)
  } catch (error) {
    signal.throwIfAborted()
    throw error
  } finally {
    clearTimeout(killer)
    signal.removeEventListener('abort', end)
    letGo()
  }
}

interface Kept {
  readonly text: string
  readonly truncated: boolean
}

async function keep(channel: CommandChannel, stream: 'stdout' | 'stderr', maxBytes: number, options: ExecOptions): Promise<Kept> {
  const pieces: Buffer[] = []
  let left = maxBytes
  let truncated = false
  for await (const piece of channel[stream]) {
    const bytes = Buffer.isBuffer(piece) ? piece : Buffer.from(String(piece))
    if (options.onOutput !== undefined) {
      options.onOutput(stream, bytes)
      continue
    }
    if (bytes.length > left) truncated = true
    if (left > 0) pieces.push(bytes.subarray(0, left))
    left = Math.max(0, left - bytes.length)
  }
  return {text: Buffer.concat(pieces).toString('utf8'), truncated}
}

function toResult(ended: ChannelEnd, stdout: Kept, stderr: Kept): ExecResult {
  return {exitCode: ended.exitCode, signal: ended.signal, stdout: stdout.text, stderr: stderr.text, truncated: stdout.truncated || stderr.truncated}
}
