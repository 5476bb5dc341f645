import type {Config} from '@oclif/core/config'
import type {Readable} from 'node:stream'
import type {Variables} from '../config/environment.js'

export interface OutputStream {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string | Uint8Array, callback?: (error?: Error | null) => void): boolean
  on(event: 'error', listener: (error: Error) => void): unknown
  removeListener(event: 'error', listener: (error: Error) => void): unknown
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
    variables: process.env,
    isRoot: process.getuid?.() === 0,
    homeFolder: process.env['HOME'] ?? '/',
    now: () => Date.now(),
    setExitCode: (code) => {
      process.exitCode = code
    },
    onInterrupt: (listener) => {
      // Heard once: without a listener the next signal has its usual effect, which is to end the process.
      const onInt = () => listener('SIGINT')
      const onTerm = () => listener('SIGTERM')
      process.once('SIGINT', onInt)
      process.once('SIGTERM', onTerm)
      return () => {
        process.removeListener('SIGINT', onInt)
        process.removeListener('SIGTERM', onTerm)
      }
    },
  }
}
