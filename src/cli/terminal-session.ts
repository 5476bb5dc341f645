import type {Channel} from '../client/open-channel.js'
import {Fault, isFaultCode} from '../contract/faults.js'
import type {TerminalControl, TerminalEnd} from '../contract/terminal.js'
import type {Io} from './io.js'
import type {Output} from './output.js'

export type TerminalChannel = Channel<TerminalControl, TerminalEnd>

/** As in `streamBytes` of the contract, which would load its schemas. */
const stderrByte = 2

/** Whether this process has a terminal to give to a command elsewhere. */
export function hasTerminal({stdin, stdout}: Io): boolean {
  return stdin.isTTY === true && stdout.isTTY === true
}

export function windowSize({stdout: {columns, rows}}: Io): {columns?: number; rows?: number} {
  const inBounds = (cells: number | undefined) => (cells !== undefined && cells > 0 ? Math.min(cells, 1000) : undefined)
  const [width, height] = [inBounds(columns), inBounds(rows)]
  return {...(width !== undefined && {columns: width}), ...(height !== undefined && {rows: height})}
}

export interface TerminalParts {
  readonly io: Io
  readonly out: Output
  readonly tty: boolean
}

/** Gives stdin to a command elsewhere and shows what it says, until it ends; answers with its exit code. The terminal is left as it was, whatever happens. */
export async function talkOver(channel: TerminalChannel, parts: TerminalParts): Promise<number | null> {
  const restore = beginTyping(channel, parts)
  try {
    if (isRaw(parts)) await parts.io.passOutput?.()
    for await (const frame of channel.frames) {
      if (frame instanceof Uint8Array) await show(frame, parts)
      else if (frame.type === 'exit') return frame.exitCode
      else throw new Fault(isFaultCode(frame.code) ? frame.code : 'RUN_FAILED', frame.error)
    }
    throw new Fault('UNEXPECTED_RESPONSE', 'the daemon closed the terminal without a word')
  } finally {
    restore()
    channel.close()
  }
}

async function show(frame: Uint8Array, {out, tty}: TerminalParts): Promise<void> {
  if (tty) await out.write(frame)
  else await out.write(frame.subarray(1), frame[0] === stderrByte ? 'stderr' : 'stdout')
}

function isRaw({io, tty}: TerminalParts): boolean {
  return tty && io.stdin.isTTY === true
}

function beginTyping(channel: TerminalChannel, parts: TerminalParts): () => void {
  const {io, tty} = parts
  const {stdin} = io
  if (isRaw(parts)) stdin.setRawMode?.(true)
  let isOver = false
  // Read on only when that is on its way: a command that reads slowly makes this side wait.
  const onData = (bytes: Buffer | string) => {
    stdin.pause()
    void channel.send(Buffer.from(bytes as string)).then(() => (isOver ? undefined : stdin.resume()))
  }
  const onEnd = () => void channel.send({type: 'input-end'})
  stdin.on('data', onData).once('end', onEnd).once('error', onEnd)
  if (stdin.readableEnded) onEnd()
  const stopResizing = tty ? io.onResize(() => {
    const {columns, rows} = windowSize(io)
    if (columns !== undefined && rows !== undefined) void channel.send({type: 'resize', columns, rows})
  }) : undefined
  return () => {
    isOver = true
    stopResizing?.()
    // A late failure of it is nobody's business, but must find a listener.
    stdin.off('data', onData).off('end', onEnd).pause()
    if (isRaw(parts)) stdin.setRawMode?.(false)
  }
}
