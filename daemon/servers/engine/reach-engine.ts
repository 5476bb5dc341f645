import {z} from 'zod'
import {apiCalls} from './api/api-calls.js'
import {EngineLost, engineHttp} from './ask-engine.js'
import {cliCalls} from './cli/cli-calls.js'
import {dockerCli, mustRun} from './cli/docker-cli.js'
import type {EngineFacts} from './engine.js'
import {EngineAgent, type OpenEngine} from './engine-agent.js'
import type {EngineCalls} from './engine-calls.js'
import {isWayLost, toFault, unavailable} from './engine-faults.js'
import {findPlace, type EnginePlace, type PlaceSearch} from './engine-place.js'

/** An engine that answered, and how. */
export interface ReachedEngine {
  readonly facts: EngineFacts
  readonly place: EnginePlace
  readonly calls: EngineCalls
  /** Lets go of connections that are kept for the next call. */
  closeIdle(): void
}

export interface ReachServer extends PlaceSearch {
  /** Ends every connection to the engine that was ever opened. */
  readonly closing: AbortSignal
}

const Version = z.object({Version: z.string(), ApiVersion: z.string().optional(), APIVersion: z.string().optional(), Arch: z.string()})
const Info = z.object({NCPU: z.number(), MemTotal: z.number(), DockerRootDir: z.string().default('/'), SecurityOptions: z.array(z.string()).nullish()})

/** Finds the engine of a server and the best way to it that works: its socket, its client as a bridge, its client for single commands. */
export async function reachEngine(server: ReachServer): Promise<ReachedEngine> {
  const {subject, signal} = server
  const place = await findPlace(server)
  const failures: unknown[] = []
  for (const way of waysTo(place)) {
    try {
      return await (way === 'cli' ? reachByCli(server, place) : reachByApi(server, place, way))
    } catch (error) {
      signal.throwIfAborted()
      const fault = toFault(subject, error)
      // Another way does not help where the server itself is away.
      if (!isWayLost(fault) || (fault as {code?: unknown}).code === 'SERVER_UNREACHABLE') throw fault
      failures.push(fault)
    }
  }
  // The client knows best why it got nowhere; where there is none, the socket has to say it.
  throw failures.at(-1) ?? unavailable(subject, 'not_installed', `its socket ${place.socket ?? ''} is for root alone, and there is no program docker that root could speak through`)
}

function waysTo({socket, sudo, hasClient}: EnginePlace): readonly EngineFacts['way'][] {
  return [...(socket !== null && !sudo ? ['socket' as const] : []), ...(hasClient ? ['dial-stdio' as const, 'cli' as const] : [])]
}

async function reachByApi({runner, subject, closing, signal}: ReachServer, place: EnginePlace, way: 'socket' | 'dial-stdio'): Promise<ReachedEngine> {
  const {socket, sudo, env} = place
  const open: OpenEngine = way === 'socket' && socket !== null
    ? (opening) => runner.connect(socket, {signal: opening})
    : (opening) => runner.open(['docker', 'system', 'dial-stdio'], {signal: opening, sudo, env})
  const agent = new EngineAgent(open, closing)
  const http = engineHttp(agent)
  try {
    const [version, info] = await Promise.all([
      http.json({method: 'GET', path: '/version', signal}),
      http.json({method: 'GET', path: '/info', signal}),
    ])
    const calls = apiCalls({http, runner, sudo, serverId: subject.serverId, serverName: subject.name})
    return {facts: toFacts(way, place, version, info), place, calls, closeIdle: () => agent.closeIdle()}
  } catch (error) {
    agent.destroy()
    throw error instanceof z.ZodError ? new EngineLost('what answers is no engine', {cause: error}) : error
  }
}

async function reachByCli({runner, subject, signal}: ReachServer, place: EnginePlace): Promise<ReachedEngine> {
  const parts = {subject, runner, sudo: place.sudo, env: place.env}
  const cli = dockerCli(parts)
  const ask = async (args: readonly string[]): Promise<unknown> => JSON.parse(await mustRun(cli, subject, args, {signal}))
  try {
    const [version, info] = await Promise.all([ask(['version', '--format', '{{json .Server}}']), ask(['info', '--format', '{{json .}}'])])
    return {facts: toFacts('cli', place, version, info), place, calls: cliCalls(parts), closeIdle: () => undefined}
  } catch (error) {
    if (error instanceof z.ZodError || error instanceof SyntaxError) throw unavailable(subject, 'not_answering', 'its client does not say what it is', error)
    throw error
  }
}

function toFacts(way: EngineFacts['way'], {sudo, compose, folder}: EnginePlace, version: unknown, info: unknown): EngineFacts {
  const {Version: name, ApiVersion, APIVersion, Arch} = Version.parse(version)
  const {NCPU, MemTotal, SecurityOptions, DockerRootDir} = Info.parse(info)
  return {
    version: name,
    apiVersion: ApiVersion ?? APIVersion ?? '',
    way,
    rootless: (SecurityOptions ?? []).some((option) => option === 'name=rootless'),
    needsSudo: sudo,
    compose: compose.command,
    architecture: Arch,
    cpuCores: NCPU,
    memoryBytes: MemTotal,
    dataFolder: DockerRootDir,
    folder,
  }
}
