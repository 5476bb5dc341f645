import type {Config} from '@oclif/core/config'
import type {Readable} from 'node:stream'
import os from 'node:os'
import {processVariables, type Variables} from '../config/environment.js'

export interface OutputStream {
  readonly isTTY?: boolean
  readonly columns?: number
  readonly rows?: number
  write(text: string | Uint8Array, callback?: (error?: Error | null) => void): boolean
  on(event: 'error', listener: (error: Error) => void): unknown
  removeListener(event: 'error', listener: (error: Error) => void): unknown
  removeAllListeners(event: 'error'): unknown
  once(event: 'drain', listener: () => void): unknown
}

/** Everything a command has of the process it runs in. Tests give their own. */
export interface Io {
  readonly stdin: Readable & {readonly isTTY?: boolean; setRawMode?(on: boolean): unknown}
  readonly stdout: OutputStream
  readonly stderr: OutputStream
  readonly variables: Variables
  readonly isRoot: boolean
  readonly homeFolder: string
  readonly now: () => number
  setExitCode(code: number): void
  /** Tells the command that started this one; undefined where nobody listens. */
  readonly tellStarter?: ((message: object) => void) | undefined
  /** After raw mode was set, and until it is taken back: what is written reaches the terminal as it is. Raw mode alone still begins a new line at its left edge. */
  readonly passOutput?: (() => Promise<void>) | undefined
  /** Calls back when the window of the terminal has another size. The answer stops listening. */
  onResize(listener: () => void): () => void
  /** Calls back on the first interrupt; the second ends the process at once. The answer stops listening. */
  onInterrupt(listener: (signal: 'SIGINT' | 'SIGTERM') => void): () => void
}

const ioKey = Symbol('io')

/** A config that carries the io its commands are to use. */
export function withIo(config: Config, io: Io): Config {
  return Object.assign(config, {[ioKey]: io})
}

export function ioOf(config: object): Io {
  const io: unknown = Reflect.get(config, ioKey)
  return isIo(io) ? io : processIo()
}

function isIo(value: unknown): value is Io {
  return typeof value === 'object' && value !== null && 'onInterrupt' in value
}

function processIo(): Io {
  return {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    variables: processVariables(),
    isRoot: process.getuid?.() === 0,
    homeFolder: os.homedir(),
    now: () => Date.now(),
    setExitCode: (code) => {
      process.exitCode = code
    },
    ...(process.send !== undefined && {tellStarter}),
    passOutput,
    onInterrupt: listenToInterrupts,
    onResize(listener) {
      process.stdout.on('resize', listener)
      return () => process.stdout.removeListener('resize', listener)
    },
  }
}

async function passOutput(): Promise<void> {
  const {spawn} = await import('node:child_process')
  await new Promise<void>((resolve) => {
    // Where there is no such program, full-screen programs look a little off; everything else does not.
    spawn('stty', ['-opost'], {stdio: ['inherit', 'ignore', 'ignore']}).once('error', () => resolve()).once('close', () => resolve())
  })
}

// After the one message nobody listens any more, and an open channel would keep both processes.
function tellStarter(message: object): void {
  process.send?.(message, undefined, undefined, () => {
    if (process.connected) process.disconnect()
  })
}

// A package manager passes on what the terminal has sent already: the same moment counts once.
const sameMomentMs = 500

function listenToInterrupts(listener: (signal: 'SIGINT' | 'SIGTERM') => void): () => void {
  let firstAt: number | undefined
  const hear = (signal: 'SIGINT' | 'SIGTERM') => () => {
    if (firstAt === undefined) {
      firstAt = performance.now()
      listener(signal)
    } else if (performance.now() - firstAt > sameMomentMs) {
      // Without a listener a signal has its usual effect, which is to end the process at once.
      stop()
      process.kill(process.pid, signal)
    }
  }
  const onInt = hear('SIGINT')
  const onTerm = hear('SIGTERM')
  const stop = () => {
    process.removeListener('SIGINT', onInt)
    process.removeListener('SIGTERM', onTerm)
  }
  process.on('SIGINT', onInt)
  process.on('SIGTERM', onTerm)
  return stop
}
