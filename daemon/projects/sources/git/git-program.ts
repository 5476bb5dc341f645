import {spawn, type ChildProcessByStdio} from 'node:child_process'
import type {Readable, Writable} from 'node:stream'
import {sourceFault} from '../source-fault.js'

export interface GitSettings {
  readonly program: string
  /** An empty folder in the place of the home of the user. */
  readonly home: string
  /** PATH, and the proxies and certificates that the machine goes out with. */
  readonly surroundings: Readonly<Record<string, string>>
}

export interface GitCall {
  readonly args: readonly string[]
  /** The repository that is worked in. */
  readonly gitDir?: string
  readonly env?: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}

export interface GitEnd {
  readonly exitCode: number | null
  readonly stdout: Buffer
  /** The last of it. */
  readonly stderr: string
}

export interface GitProcess {
  readonly stdin: Writable
  readonly stdout: Readable
  readonly ended: Promise<Omit<GitEnd, 'stdout'>>
  /** Ends it and everything it started. */
  stop(): Promise<void>
}

const killAfterMs = 2000
const longestErrors = 16_384
const mostOutputBytes = 128 * 1024 * 1024

// Nothing that the user of the daemon has set up for himself plays a part, and nothing that a repository brings along is run.
const ownConfig = [
  'core.hooksPath=/dev/null', 'core.fsmonitor=false', 'credential.helper=', 'protocol.version=2', 'gc.auto=0', 'maintenance.auto=false', 'fetch.unpackLimit=1',
  'submodule.recurse=false', 'init.defaultBranch=main', 'http.lowSpeedLimit=1000', 'http.lowSpeedTime=60',
]

/** The git of this machine, always called with an argument list. */
export class GitProgram {
  readonly #settings: GitSettings

  constructor(settings: GitSettings) {
    this.#settings = settings
  }

  /** Runs to its end, which may be a failure. When the signal ends it, every process that it started is gone before this rejects. */
  async run(call: GitCall): Promise<GitEnd> {
    const child = this.start(call)
    child.stdin.end()
    const [stdout, ended] = await Promise.all([collect(child), child.ended])
    call.signal.throwIfAborted()
    return {...ended, stdout}
  }

  start({args, gitDir, env, signal}: GitCall): GitProcess {
    signal.throwIfAborted()
    const {program, home, surroundings} = this.#settings
    const words = [...ownConfig.flatMap((setting) => ['-c', setting]), ...(gitDir === undefined ? [] : [`--git-dir=${gitDir}`]), ...args]
    // In a group of its own, so that what it starts can be ended with it.
    const child = spawn(program, words, {cwd: home, env: {...surroundings, ...ownEnvironment(home), ...env}, detached: true, stdio: ['pipe', 'pipe', 'pipe']})
    // A program that ends early leaves its input unread.
    child.stdin.on('error', () => undefined)
    return watch(child, program, signal)
  }
}

function ownEnvironment(home: string): Record<string, string> {
  return {
    HOME: home, XDG_CONFIG_HOME: home, LC_ALL: 'C', GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_SYSTEM: '/dev/null', GIT_CONFIG_GLOBAL: '/dev/null', GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0', GIT_ALLOW_PROTOCOL: 'none', GIT_PROTOCOL_FROM_USER: '0', GIT_OPTIONAL_LOCKS: '0', GIT_NO_REPLACE_OBJECTS: '1', GIT_SSH_VARIANT: 'ssh',
  }
}

function watch(child: ChildProcessByStdio<Writable, Readable, Readable>, program: string, signal: AbortSignal): GitProcess {
  let stderr = ''
  child.stderr.on('data', (bytes: Buffer) => {
    stderr = (stderr + bytes.toString('utf8')).slice(-longestErrors)
  })
  let killer: NodeJS.Timeout | undefined
  const end = () => {
    signalGroup(child.pid, 'SIGTERM')
    killer ??= setTimeout(() => signalGroup(child.pid, 'SIGKILL'), killAfterMs)
  }
  const ended = new Promise<Omit<GitEnd, 'stdout'>>((resolve, reject) => {
    child.once('error', (error) => reject(notStarted(program, error)))
    child.once('close', (exitCode) => resolve({exitCode, stderr}))
  }).finally(() => {
    clearTimeout(killer)
    signal.removeEventListener('abort', end)
    // What let go of its output may still be there.
    if (killer !== undefined) signalGroup(child.pid, 'SIGKILL')
  })
  // Whoever reads it may hear of its end by its output first.
  ended.catch(() => undefined)
  signal.addEventListener('abort', end, {once: true})
  return {
    stdin: child.stdin,
    stdout: child.stdout,
    ended,
    async stop() {
      end()
      child.stdout.destroy()
      await ended
    },
  }
}

async function collect({stdout, stop}: GitProcess): Promise<Buffer> {
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of stdout as AsyncIterable<Buffer>) {
    size += piece.length
    if (size > mostOutputBytes) {
      await stop()
      throw sourceFault('too-large', 'the repository has more files than can be listed')
    }
    pieces.push(piece)
  }
  return Buffer.concat(pieces, size)
}

function signalGroup(pid: number | undefined, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch {
    // All of it has ended already.
  }
}

function notStarted(program: string, cause: Error) {
  const why = 'code' in cause && cause.code === 'ENOENT' ? 'is not installed' : 'can not be run'
  return sourceFault('program', `git ${why} on the machine of the daemon, so no repository can be fetched`, {details: {program}, suggestions: ['doctor'], cause})
}
