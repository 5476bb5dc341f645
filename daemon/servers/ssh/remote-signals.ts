import {PassThrough} from 'node:stream'
import type {CommandChannel} from '../channel.js'

const longestNoise = 16_384

/**
 * Signals by a command of their own: sshd passes none on for root. The process says its id in a line with our token, first on stderr,
 * which is taken out; what login scripts print before it stays.
 */
export function withSignals(channel: CommandChannel, token: string, kill: (pid: number, signal: 'TERM' | 'KILL') => Promise<void>): CommandChannel {
  const stderr = new PassThrough()
  const marker = Buffer.from(`${token} `)
  let pid: number | undefined
  let waiting: 'TERM' | 'KILL' | undefined
  let before: Buffer | null = Buffer.alloc(0)

  const send = (signal: 'TERM' | 'KILL') => {
    if (pid === undefined) waiting = signal
    // The connection may be gone, and the process with it.
    else kill(pid, signal).catch(() => undefined)
  }
  const take = (bytes: Buffer): Buffer => {
    if (before === null) return bytes
    before = Buffer.concat([before, bytes])
    const at = before.indexOf(marker)
    const end = at < 0 ? -1 : before.indexOf(10, at)
    if (end < 0 && before.length < longestNoise) return Buffer.alloc(0)
    if (end >= 0) pid = Number(before.subarray(at + marker.length, end).toString())
    const rest = end < 0 ? before : Buffer.concat([before.subarray(0, at), before.subarray(end + 1)])
    before = null
    if (waiting !== undefined) send(waiting)
    return rest
  }

  channel.stderr.on('data', (piece: Buffer) => {
    const bytes = take(piece)
    if (bytes.length > 0 && !stderr.write(bytes)) {
      channel.stderr.pause()
      stderr.once('drain', () => channel.stderr.resume())
    }
  })
  channel.stderr.once('end', () => stderr.end(before ?? undefined))
  channel.stderr.once('close', () => stderr.end())
  return {
    ...channel,
    stderr,
    signal: send,
    close() {
      stderr.destroy()
      channel.close()
    },
  }
}
