import type {Readable, Writable} from 'node:stream'
import type {TerminalSize} from './terminal-size.js'

export interface ChannelEnd {
  readonly exitCode: number | null
  /** Name of the signal, such as SIGTERM. */
  readonly signal: string | null
}

/** A running command and its three streams: a child process here, or an exec channel of an SSH connection. */
export interface CommandChannel {
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  /** The command has ended. Rejects with SERVER_UNREACHABLE where the connection dropped first. Never an unhandled rejection. */
  readonly ended: Promise<ChannelEnd>
  /** Sends a signal to the process group of the command, where there still is one. */
  signal(name: 'TERM' | 'KILL'): void
  /** Tells the size of the window, where there is a terminal. */
  resize(size: TerminalSize): void
  /** Lets go of the streams; the command itself is left alone. */
  close(): void
}

/** Starts a `/bin/sh -s`, which waits for its script on stdin. */
export type OpenShell = (signal: AbortSignal) => Promise<CommandChannel>

/** A command that has got what goes to its stdin before its own input. */
export function begun({channel, stdin}: {readonly channel: CommandChannel; readonly stdin: readonly string[]}): CommandChannel {
  for (const piece of stdin) channel.stdin.write(piece)
  return channel
}
