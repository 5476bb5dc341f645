import {randomBytes} from 'node:crypto'
import type {Clock} from '../../clock.js'
import {begun} from '../channel.js'
import {toDuplex} from '../channel-duplex.js'
import {collect} from '../collect.js'
import {durableRunner} from '../durable/durable-runner.js'
import {execPlan, execText, killCommand, terminalPlan, type SudoMode} from '../exec-plan.js'
import type {ExecOptions, OpenOptions, Runner} from '../runner.js'
import {findSudoMode} from '../sudo.js'
import type {ConnectionPool} from './connection-pool.js'
import {lastHop, type SshTarget} from './ssh-target.js'
import {withSignals} from './remote-signals.js'

export interface SshRunnerParts {
  readonly serverId: string
  readonly pool: ConnectionPool
  readonly clock: Clock
  /** Asked before each connection, so that an edit counts at once. */
  readonly findTarget: () => Promise<SshTarget>
  readonly automatic: boolean
  /** Named in messages. */
  readonly name: string
}

const killDeadlineMs = 10_000

/** Runs commands on a server over its pooled connections. */
export function sshRunner(parts: SshRunnerParts): Runner {
  const {serverId, pool, automatic} = parts
  let sudoMode: Promise<SudoMode> | undefined

  const start = async (command: readonly string[], options: OpenOptions, target: SshTarget, sudo: SudoMode) => {
    const {password} = lastHop(target).credentials
    const token = `moorage-${randomBytes(9).toString('hex')}`
    const plan = execPlan({command, env: options.env ?? {}, cwd: options.cwd ?? null, sudo, password, token})
    const channel = await pool.open({target, automatic}, execText(plan), options.signal)
    return {channel: withSignals(channel, token, (pid, signal) => kill({pid, signal}, target, sudo)), stdin: plan.stdin}
  }

  const run = async (command: readonly string[], options: ExecOptions, target: SshTarget, sudo: SudoMode) => {
    const {channel, stdin} = await start(command, options, target, sudo)
    return collect(channel, options, stdin)
  }

  const kill = async ({pid, signal}: {pid: number; signal: 'TERM' | 'KILL'}, target: SshTarget, sudo: SudoMode) => {
    const {password} = lastHop(target).credentials
    const plan = execPlan({command: killCommand(pid, signal), env: {}, cwd: null, sudo, password})
    const deadline = AbortSignal.timeout(killDeadlineMs)
    await collect(await pool.open({target, automatic: false}, execText(plan), deadline), {signal: deadline}, plan.stdin)
  }

  const modeOf = (target: SshTarget, signal: AbortSignal): Promise<SudoMode> => {
    const {user, credentials} = lastHop(target)
    sudoMode ??= findSudoMode({serverId, serverName: target.name, user, password: credentials.password}, (mode) => run(['true'], {signal}, target, mode))
    sudoMode.catch(() => (sudoMode = undefined))
    return sudoMode
  }

  return {
    serverId,
    async exec(command, options) {
      options.signal.throwIfAborted()
      const target = await parts.findTarget()
      return run(command, options, target, options.sudo === true ? await modeOf(target, options.signal) : 'none')
    },
    async open(command, options) {
      options.signal.throwIfAborted()
      const target = await parts.findTarget()
      const {channel, stdin} = await start(command, options, target, options.sudo === true ? await modeOf(target, options.signal) : 'none')
      return toDuplex(channel, stdin, options.signal)
    },
    async channel(command, {terminal, ...options}) {
      options.signal.throwIfAborted()
      const target = await parts.findTarget()
      const sudo = options.sudo === true ? await modeOf(target, options.signal) : 'none'
      if (terminal === null) return begun(await start(command, options, target, sudo))
      const plan = terminalPlan({command, env: options.env ?? {}, sudo, password: lastHop(target).credentials.password})
      return begun({channel: await pool.open({target, automatic}, execText(plan), options.signal, terminal), stdin: plan.stdin})
    },
    connect: async (socketPath, {signal}) => pool.connect({target: await parts.findTarget(), automatic}, socketPath, signal),
    durable: durableRunner({
      serverId,
      serverName: parts.name,
      openShell: async (signal) => pool.open({target: await parts.findTarget(), automatic}, 'exec /bin/sh -s', signal),
      clock: parts.clock,
      runsFolder: null,
      loginShell: false,
    }),
  }
}
