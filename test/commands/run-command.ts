import {readFile} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {PassThrough} from 'node:stream'
import {fileURLToPath} from 'node:url'
import {Config} from '@oclif/core/config'
import type {Command} from '@oclif/core/command'
import {withIo, type Io} from '../../src/cli/io.js'

declare global {
  interface ImportMeta {
    glob(pattern: string): Record<string, () => Promise<unknown>>
  }
}

export interface CommandRun {
  readonly stdout: string
  readonly stderr: string
  readonly exitCode: number
}

export interface RunOptions {
  /** The home of the daemon and of the contexts; every test has its own. */
  readonly home: string
  readonly variables?: Readonly<Record<string, string>>
  /** All of stdin; closed after it. */
  readonly stdin?: string | Uint8Array
  readonly terminal?: boolean
  /** What a person types when the prompt shows the text. */
  readonly answers?: Readonly<Record<string, string>>
  /** Width of the terminal. */
  readonly columns?: number
  readonly now?: () => number
  readonly onStart?: (control: Control) => void
  /** Called with everything written so far, after each write. */
  readonly onOutput?: (stdout: string, stderr: string, control: Control) => void
}

export interface Control {
  interrupt(): void
  /** The reader of stdout goes away. */
  closePipe(): void
}

const root = fileURLToPath(new URL('../..', import.meta.url))
const modules = import.meta.glob('../../commands/**/*.{ts,tsx}')

/** Every command, by id with spaces. */
export const commandModules = new Map(
  Object.entries(modules).map(([file, load]) => [file.replace(/^.*\/commands\//, '').replace(/\.tsx?$/, '').replaceAll('/', ' '), load]),
)

type CommandClass = Command.Class & (new (argv: string[], config: Config) => Command)

export async function loadCommand(id: string): Promise<CommandClass> {
  const load = commandModules.get(id)
  if (load === undefined) throw new Error(`no command ${id}`)
  const {default: found} = (await load()) as {default: CommandClass}
  found.id = id.replaceAll(' ', ':')
  return found
}

/** Runs a command in this process as the shell would, with a terminal or without. */
export async function runCommand(argv: readonly string[], options: RunOptions): Promise<CommandRun> {
  if (!options.home.startsWith(tmpdir())) throw new Error('a command under test keeps to a temporary home')
  const id = [3, 2, 1].map((length) => argv.slice(0, length).join(' ')).find((candidate) => commandModules.has(candidate))
  if (id === undefined) throw new Error(`no command ${argv.join(' ')}`)
  const found = await loadCommand(id)
  const result = {stdout: '', stderr: '', exitCode: 0}
  const io = createIo(options, result)
  const config = withIo(await loadConfig(), io)
  await found.run(argv.slice(id.split(' ').length), config)
  return result
}

async function loadConfig(): Promise<Config> {
  const pjson = JSON.parse(await readFile(`${root}/package.json`, 'utf8'))
  const config = new Config({root, isRoot: true, pjson: {...pjson, oclif: {...pjson.oclif, commands: undefined}}, ignoreManifest: true})
  await config.load()
  return config
}

function createIo(options: RunOptions, result: {stdout: string; stderr: string; exitCode: number}): Io {
  const terminal = options.terminal === true
  const stdin = Object.assign(new PassThrough(), {isTTY: terminal, setRawMode: () => undefined})
  if (!terminal) stdin.end(options.stdin ?? '')
  const listeners = new Set<(signal: 'SIGINT') => void>()
  const stdout = writer('stdout')
  const control: Control = {
    interrupt: () => listeners.forEach((listener) => listener('SIGINT')),
    closePipe: () => stdout.emit('error', Object.assign(new Error('write EPIPE'), {code: 'EPIPE'})),
  }
  options.onStart?.(control)
  function writer(name: 'stdout' | 'stderr') {
    const stream = Object.assign(new PassThrough(), {isTTY: terminal, columns: options.columns ?? 100})
    stream.setEncoding('utf8')
    // Listening to data would come a tick late; what is written counts from the moment it is.
    stream.write = (chunk: unknown, ...rest: unknown[]) => {
      result[name] += typeof chunk === 'string' ? chunk : Buffer.from(chunk as Uint8Array).toString('utf8')
      if (name === 'stderr') answerPrompts()
      options.onOutput?.(result.stdout, result.stderr, control)
      const done = rest.find((value): value is () => void => typeof value === 'function')
      if (done !== undefined) setImmediate(done)
      return true
    }
    return stream
  }
  const open = new Map(Object.entries(options.answers ?? {}))
  function answerPrompts() {
    for (const [question, answer] of open) {
      if (!result.stderr.includes(question)) continue
      open.delete(question)
      setImmediate(() => stdin.write(`${answer}\n`))
    }
  }
  return {
    stdin, stdout, stderr: writer('stderr'),
    variables: {HOME: options.home, MOORAGE_HOME: options.home, MOORAGE_CONFIG_DIR: `${options.home}/config`, PATH: process.env['PATH'], ...options.variables},
    isRoot: false, homeFolder: options.home, now: options.now ?? (() => Date.now()),
    setExitCode: (code) => {
      result.exitCode = code
    },
    onResize: () => () => undefined,
    onInterrupt: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
