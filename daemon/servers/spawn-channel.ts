import {spawn} from 'node:child_process'
import {Fault} from '../../src/contract/faults.js'
import type {ChannelEnd, CommandChannel} from './channel.js'

export interface SpawnSettings {
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  readonly serverId: string
}

/** Starts a child in a session of its own, so that no signal to the daemon reaches it. */
export function spawnChannel(command: readonly string[], settings: SpawnSettings): Promise<CommandChannel> {
  const [file, ...args] = command
  if (file === undefined) throw new Fault('VALIDATION_ERROR', 'the command is empty')
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, {env: settings.env, cwd: settings.cwd, detached: true, stdio: ['pipe', 'pipe', 'pipe']})
    const ended = new Promise<ChannelEnd>((settle) => {
      child.once('close', (exitCode, signal) => settle({exitCode, signal}))
    })
    child.once('error', (error) => reject(notStarted(file, settings, error)))
    child.once('spawn', () => {
      resolve({
        stdin: child.stdin,
        stdout: child.stdout,
        stderr: child.stderr,
        ended,
        signal: (name) => signalGroup(child.pid, `SIG${name}`),
        resize: () => undefined,
        close() {
          // The child lives on if it wants to: a durable run is its own master.
          child.stdin.destroy()
          child.stdout.destroy()
          child.stderr.destroy()
          child.unref()
        },
      })
    })
    child.stdin.on('error', () => undefined)
  })
}

function signalGroup(pid: number | undefined, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch {
    // It has ended already.
  }
}

function notStarted(file: string, settings: SpawnSettings, error: Error): Fault {
  const code = 'code' in error ? error.code : undefined
  const why = code === 'ENOENT' ? 'there is no such program, or no such folder to run it in' : error.message
  return new Fault('SERVER_UNREACHABLE', `can not run ${file} on the local machine: ${why}`, {
    details: {code: 'misconfigured', serverId: settings.serverId},
    cause: error,
  })
}
