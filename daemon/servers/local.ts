import {spawn} from 'node:child_process'
import {userInfo} from 'node:os'
import {Fault} from '../../src/contract/faults.js'
import type {Clock} from '../clock.js'
import type {ChannelEnd, CommandChannel} from './channel.js'
import {collect} from './collect.js'
import {durableRunner} from './durable/durable-runner.js'
import type {ExecOptions, Runner} from './runner.js'
import {execPlan, type SudoMode} from './exec-plan.js'
import {findSudoMode} from './sudo.js'

export interface LocalSettings {
  readonly serverId: string
  readonly clock: Clock
  /** Where the run folders of this machine lie: an absolute path. */
  readonly runsFolder: string
  /** PATH, LANG and TZ for commands; everything else of the daemon's environment stays with the daemon. */
  readonly surroundings: {readonly PATH?: string | undefined; readonly LANG?: string | undefined; readonly TZ?: string | undefined}
}

/** Runs commands on the machine of the daemon, as its user. */
export function localRunner(settings: LocalSettings): Runner {
  const user = userInfo()
  const shell = user.shell ?? '/bin/sh'
  const environment = localEnvironment(settings.surroundings, {name: user.username, home: user.homedir, shell})
  const open = (command: readonly string[], env: Readonly<Record<string, string>>, cwd: string) =>
    spawnChannel(command, {env: {...environment, ...env}, cwd, serverId: settings.serverId})
  const runAs = async (sudo: SudoMode, command: readonly string[], options: ExecOptions) => {
    const plan = execPlan({command, env: options.env ?? {}, cwd: options.cwd ?? null, sudo, password: null})
    return collect(await open(plan.words, {}, user.homedir), options, plan.stdin)
  }
  return {
    serverId: settings.serverId,
    async exec(command, options) {
      options.signal.throwIfAborted()
      if (options.sudo !== true || user.uid === 0) return collect(await open(command, options.env ?? {}, options.cwd ?? user.homedir), options)
      const subject = {serverId: settings.serverId, serverName: 'the local machine', user: user.username, password: null}
      const mode = await findSudoMode(subject, (each) => runAs(each, ['true'], {signal: options.signal}))
      return runAs(mode, command, options)
    },
    durable: durableRunner({
      serverId: settings.serverId,
      serverName: 'the local machine',
      openShell: (signal) => {
        signal.throwIfAborted()
        return open(['/bin/sh', '-s'], {}, user.homedir)
      },
      clock: settings.clock,
      runsFolder: settings.runsFolder,
      loginShell: true,
      shell,
    }),
  }
}

const defaultPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

function localEnvironment(surroundings: LocalSettings['surroundings'], user: {name: string; home: string; shell: string}): Record<string, string> {
  return {
    PATH: surroundings.PATH ?? defaultPath,
    HOME: user.home,
    USER: user.name,
    LOGNAME: user.name,
    SHELL: user.shell,
    ...(surroundings.LANG === undefined ? {} : {LANG: surroundings.LANG}),
    ...(surroundings.TZ === undefined ? {} : {TZ: surroundings.TZ}),
  }
}

interface SpawnSettings {
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  readonly serverId: string
}

/** Starts a child in a session of its own, so that no signal to the daemon reaches it. */
function spawnChannel(command: readonly string[], settings: SpawnSettings): Promise<CommandChannel> {
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
