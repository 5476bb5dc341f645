import {userInfo} from 'node:os'
import {Fault} from '../../src/contract/faults.js'
import type {Clock} from '../clock.js'
import {begun, type CommandChannel} from './channel.js'
import {toDuplex} from './channel-duplex.js'
import {collect} from './collect.js'
import {connectLocally} from './connect-locally.js'
import {durableRunner} from './durable/durable-runner.js'
import type {OpenOptions, Runner} from './runner.js'
import {spawnChannel} from './spawn-channel.js'
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

interface Opened {
  readonly channel: CommandChannel
  /** Goes to stdin before the input of the command. */
  readonly stdin: readonly string[]
}

/** Runs commands on the machine of the daemon, as its user. */
export function localRunner(settings: LocalSettings): Runner {
  const user = userInfo()
  const shell = user.shell ?? '/bin/sh'
  const environment = localEnvironment(settings.surroundings, {name: user.username, home: user.homedir, shell})
  const open = (command: readonly string[], env: Readonly<Record<string, string>>, cwd: string) =>
    spawnChannel(command, {env: {...environment, ...env}, cwd, serverId: settings.serverId})
  const openAs = async (sudo: SudoMode, command: readonly string[], options: OpenOptions): Promise<Opened> => {
    const plan = execPlan({command, env: options.env ?? {}, cwd: options.cwd ?? null, sudo, password: null})
    return {channel: await open(plan.words, {}, user.homedir), stdin: plan.stdin}
  }
  const openWith = async (command: readonly string[], options: OpenOptions): Promise<Opened> => {
    options.signal.throwIfAborted()
    if (options.sudo !== true || user.uid === 0) return {channel: await open(command, options.env ?? {}, options.cwd ?? user.homedir), stdin: []}
    const subject = {serverId: settings.serverId, serverName: 'the local machine', user: user.username, password: null}
    const trial = {signal: options.signal}
    const mode = await findSudoMode(subject, async (each) => {
      const {channel, stdin} = await openAs(each, ['true'], trial)
      return collect(channel, trial, stdin)
    })
    return openAs(mode, command, options)
  }
  return {
    serverId: settings.serverId,
    async exec(command, options) {
      const {channel, stdin} = await openWith(command, options)
      return collect(channel, options, stdin)
    },
    async open(command, options) {
      const {channel, stdin} = await openWith(command, options)
      return toDuplex(channel, stdin, options.signal)
    },
    async channel(command, {terminal, ...options}) {
      if (terminal !== null) throw new Fault('CONFLICT', 'the daemon has no terminal to give to a command of its own machine: run it without one (tty=false, --no-tty)', {details: {reason: 'no_terminal'}})
      return begun(await openWith(command, options))
    },
    connect: (socketPath, {signal}) => connectLocally(socketPath, signal),
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
