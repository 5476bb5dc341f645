// What the rest of the daemon sees of a server: run something there, now or durably. local.ts and ssh/ are the two kinds.

import type {Duplex} from 'node:stream'
import type {CommandChannel} from './channel.js'
import type {CommandInput} from './feed.js'
import type {TerminalSize} from './terminal-size.js'

export interface ExecOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  /** A stream is read as fast as the command takes it, and destroyed at the end; where it breaks off, the command is ended and its error comes back. */
  readonly input?: CommandInput
  /** As root, through sudo where the login user is not root. */
  readonly sudo?: boolean
  /** Ends the command and rejects with the signal's reason. */
  readonly signal: AbortSignal
  /** Called with each piece as it arrives; then stdout and stderr of the result are empty. */
  readonly onOutput?: (stream: 'stdout' | 'stderr', bytes: Buffer) => void
  /** Bytes kept of each stream; 1,000,000 unless given. The rest is read and dropped. */
  readonly maxOutputBytes?: number
}

/** The signal destroys the stream, also long after it was opened. */
export type OpenOptions = Pick<ExecOptions, 'env' | 'cwd' | 'sudo' | 'signal'>

export interface ExecResult {
  readonly exitCode: number | null
  readonly signal: string | null
  readonly stdout: string
  readonly stderr: string
  readonly truncated: boolean
}

/** A command that outlives the connection and the daemon. */
export interface DurableCommand {
  /** Names the run folder on the server: run id, attempt. Letters, digits, `_`, `-` and `.` only. */
  readonly id: string
  /** Shell text, run by the login user's shell. */
  readonly script: string
  readonly env: Readonly<Record<string, string>>
  readonly timeoutMs: number | null
  /** Between TERM and KILL. */
  readonly killGraceMs: number
  /** Bytes kept from the start of each stream; after them only the last 64 KiB. */
  readonly outputLimitBytes: number
  readonly separateStderr: boolean
}

export type DurableStream = 'output' | 'stderr'

export interface DurableChunk {
  readonly stream: DurableStream
  /** Offset of the first byte in the stream as it is kept on the server. */
  readonly offset: number
  readonly bytes: Buffer
}

export interface DurableEnd {
  /** `lost`: the folder or the process is gone without an exit code, as after a reboot of the server. */
  readonly kind: 'exit' | 'lost'
  readonly exitCode: number | null
  /** Name of the signal that ended it, such as SIGTERM. */
  readonly signal: string | null
  readonly timedOut: boolean
  /** Whether `stop` was asked for. */
  readonly stopped: boolean
  readonly startedAt: string | null
  readonly finishedAt: string | null
  /** Bytes of each stream that were not kept. */
  readonly droppedBytes: Readonly<Record<DurableStream, number>>
}

export interface FollowOptions {
  /** Where to go on; what is before it was taken already. */
  readonly from: Readonly<Record<DurableStream, number>>
  /** Told once when the command is known to be started. */
  readonly onStarted?: (startedAt: string) => void
  /** Awaited before more is read, so that memory stays bounded. */
  readonly onChunk: (chunk: DurableChunk) => Promise<void>
  /** Stops following; the command goes on. */
  readonly signal: AbortSignal
}

export interface DurableRunner {
  /**
   * Starts the command unless its folder is there already, then follows it to its end. Safe to call again after any failure: the
   * folder is the claim, so the command never starts twice. Rejects with SERVER_UNREACHABLE when the server can not be reached or the
   * connection drops; the command is not touched by that.
   */
  run(command: DurableCommand, follow: FollowOptions): Promise<DurableEnd>
  /** Follows a command started earlier. `lost` where there is no such folder. Never starts anything. */
  attach(id: string, follow: FollowOptions): Promise<DurableEnd>
  /** TERM to the whole process group, KILL after the grace. Harmless where it has ended, and where it never began: a later `run` of this id starts nothing. */
  stop(id: string, graceMs: number, signal: AbortSignal): Promise<void>
  /** Deletes the folder. Only after the end is stored. */
  remove(id: string, signal: AbortSignal): Promise<void>
}

export interface Runner {
  readonly serverId: string
  /** An argument list; never a shell text put together from parts. */
  exec(command: readonly string[], options: ExecOptions): Promise<ExecResult>
  /**
   * A command to talk to: its stdin and its stdout as one stream. Where it fails, the stream ends with CommandEnded; where the connection drops, with
   * SERVER_UNREACHABLE.
   */
  open(command: readonly string[], options: OpenOptions): Promise<Duplex>
  /** A command with its streams apart; with a terminal all it says is on stdout. The signal ends the opening alone. */
  channel(command: readonly string[], options: OpenOptions & {readonly terminal: TerminalSize | null}): Promise<CommandChannel>
  /** A connection to a unix socket of the server, as the login user. Rejects with SocketRefused where there is none to be had. */
  connect(socketPath: string, options: {readonly signal: AbortSignal}): Promise<Duplex>
  readonly durable: DurableRunner
}
