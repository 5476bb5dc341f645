import {spawn} from 'node:child_process'
import {once} from 'node:events'
import type {ChannelEnd, CommandChannel} from '../../../../daemon/servers/channel.js'
import {systemClock} from '../../../../daemon/clock.js'
import {durableRunner} from '../../../../daemon/servers/durable/durable-runner.js'
import type {DurableRunner} from '../../../../daemon/servers/runner.js'

export const posixShells: readonly (readonly [string, readonly string[]])[] = [
  ['dash', ['dash', '-s']],
  ['bash', ['bash', '--posix', '-s']],
  ['busybox', ['busybox', 'sh', '-s']],
]

export interface ShellRunnerWish {
  readonly shell: readonly string[]
  readonly runsFolder: string
  readonly env?: Readonly<Record<string, string>>
  /** The shell that runs the command itself. */
  readonly loginShell?: string
}

/** Durable runs under a shell of choice, each in a session of its own as sshd would start it. */
export function shellRunner({shell, runsFolder, env, loginShell = '/bin/sh'}: ShellRunnerWish): DurableRunner {
  const [file = '', ...args] = shell
  return durableRunner({
    serverId: 'srv_test', serverName: 'test', clock: systemClock, runsFolder, loginShell: false, shell: loginShell,
    async openShell(): Promise<CommandChannel> {
      const child = spawn(file, args, {detached: true, env: {PATH: process.env['PATH'] ?? '', HOME: runsFolder, ...env}, stdio: 'pipe'})
      const ended = once(child, 'close').then(([exitCode, signal]): ChannelEnd => ({exitCode: exitCode as number | null, signal: signal as string | null}))
      child.stdin.on('error', () => undefined)
      const close = () => [child.stdin, child.stdout, child.stderr].forEach((stream) => stream.destroy())
      return {stdin: child.stdin, stdout: child.stdout, stderr: child.stderr, ended, signal: () => undefined,
        resize: () => undefined, close}
    },
  })
}
