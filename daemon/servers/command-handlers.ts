import {Fault} from '../../src/contract/faults.js'
import type {serverRoutes} from '../../src/contract/servers.js'
import type {Clock} from '../clock.js'
import type {RecordEvent} from '../events/event-log.js'
import type {Handlers, StreamFrame} from '../http/handlers.js'
import type {Store} from '../store/store.js'
import {allComponents, checkComponent} from './components.js'
import {getServer} from './find-server.js'
import {sampleLoad} from './load-samples.js'
import type {ExecResult, Runner} from './runner.js'
import type {Runners} from './runners.js'
import {shellTextCommand} from './shell-text.js'

export interface CommandParts {
  readonly store: Store
  readonly clock: Clock
  readonly recordEvent: RecordEvent
  readonly runners: Pick<Runners, 'runnerFor'>
}

export type CommandRoutes = Pick<typeof serverRoutes, 'check' | 'exec' | 'monitor'>

const checkMs = 60_000

/** The routes that run something on a server while the caller waits. */
export function createCommandHandlers({store, clock, recordEvent, runners}: CommandParts): Handlers<CommandRoutes> {
  return {
    async check({body}, {principal, signal}) {
      const server = await getServer(store, body.serverId, principal, 'admin')
      const runner = await runners.runnerFor(server.id, 'asked')
      const deadline = AbortSignal.any([signal, AbortSignal.timeout(checkMs)])
      const wanted = new Set(body.components ?? allComponents)
      const components = await Promise.all([...wanted].map((name) => checkComponent(runner, name, deadline)))
      return {
        components,
        ready: components.every(({optional, healthy}) => optional || healthy),
        missing: components.filter(({installed}) => !installed).map(({name}) => name),
      }
    },

    async exec({params, body}, {principal, actor, signal}) {
      const server = await getServer(store, params.id, principal, 'admin')
      const runner = await runners.runnerFor(server.id, 'asked')
      // Written before it runs: a command that takes the machine down is in the audit trail too. Its text may hold a secret and is not.
      await store.transaction((transaction) =>
        recordEvent(transaction, {
          type: 'server.command_run', organizationId: server.organizationId, resourceType: 'server', resourceId: server.id, actor,
          payload: {after: {program: programOf(body.command), sudo: body.sudo, timeoutMs: body.timeoutMs}},
        }),
      )
      return {data: await runShort(runner, clock, body, signal)}
    },

    async monitor({query}, {principal, signal}) {
      const server = await getServer(store, query.serverId, principal, 'read')
      return frames(await runners.runnerFor(server.id, 'asked'), signal)
    },
  }
}

interface ShortCommand {
  readonly command: string
  readonly cwd?: string | undefined
  readonly sudo: boolean
  readonly timeoutMs: number
  readonly maxOutputBytes: number
}

async function runShort(runner: Runner, clock: Clock, wish: ShortCommand, signal: AbortSignal) {
  const {command, env} = shellTextCommand(wish.command)
  const timeout = AbortSignal.timeout(wish.timeoutMs)
  const kept = {stdout: new Kept(wish.maxOutputBytes), stderr: new Kept(wish.maxOutputBytes)}
  const startedMs = clock.now()
  let result: ExecResult | null = null
  try {
    result = await runner.exec(command, {
      env, sudo: wish.sudo, signal: AbortSignal.any([signal, timeout]),
      ...(wish.cwd === undefined ? {} : {cwd: wish.cwd}),
      onOutput: (stream, bytes) => kept[stream].add(bytes),
    })
  } catch (error) {
    if (!timeout.aborted || signal.aborted) throw error
  }
  const {stdout, stderr} = kept
  return {
    exitCode: result?.exitCode ?? null, signal: result?.signal ?? null, timedOut: result === null,
    stdout: stdout.text(), stderr: stderr.text(), truncated: stdout.truncated || stderr.truncated, durationMs: clock.now() - startedMs,
  }
}

/** The first bytes of a stream: what came before a time limit is answered too. */
class Kept {
  truncated = false
  readonly #pieces: Buffer[] = []
  #left: number

  constructor(maxBytes: number) {
    this.#left = maxBytes
  }

  add(bytes: Buffer): void {
    if (bytes.length > this.#left) this.truncated = true
    if (this.#left > 0) this.#pieces.push(bytes.subarray(0, this.#left))
    this.#left = Math.max(0, this.#left - bytes.length)
  }

  text(): string {
    return Buffer.concat(this.#pieces).toString('utf8')
  }
}

function programOf(command: string): string {
  return /^[\w./-]{1,100}/.exec(command.trim())?.[0] ?? ''
}

async function* frames(runner: Runner, signal: AbortSignal): AsyncGenerator<StreamFrame> {
  try {
    for await (const data of sampleLoad(runner, signal)) yield {data}
    if (!signal.aborted) yield errorFrame('the server stopped telling its load')
  } catch (error) {
    if (signal.aborted) return
    if (!(error instanceof Fault)) throw error
    yield errorFrame(error.message)
  }
}

function errorFrame(error: string): StreamFrame {
  const data = {type: 'error' as const, error}
  return {data}
}
