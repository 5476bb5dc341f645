import path from 'node:path'
import {Fault} from '../../../src/contract/faults.js'
import type {Runner} from '../runner.js'
import {unavailable, type EngineSubject} from './engine-faults.js'
import {lookScript, parseSighting, type KnownCompose, type Sighting} from './sighting.js'

/** Where the engine of a server is, and as whom it is spoken to. */
export interface EnginePlace {
  /** Null where only the client of the engine knows the way. */
  readonly socket: string | null
  readonly sudo: boolean
  /** For every command that has to do with the engine. */
  readonly env: Readonly<Record<string, string>>
  readonly hasClient: boolean
  readonly compose: KnownCompose
  readonly folder: string
}

export interface PlaceSearch {
  readonly runner: Runner
  readonly subject: EngineSubject
  /** For every command of the search, and those that come after it. */
  readonly env: Readonly<Record<string, string>>
  /** From the search before. */
  readonly knownCompose?: KnownCompose | undefined
  readonly signal: AbortSignal
}

/** Looks around on a server. Rejects with ENGINE_UNAVAILABLE that says what is missing. */
export async function findPlace(search: PlaceSearch): Promise<EnginePlace> {
  const {subject, env} = search
  const seen = await look(search, false)
  const [socket] = seen.open
  if (seen.elsewhere !== null || socket !== undefined) return toPlace(seen, {socket: socket ?? null, sudo: false, env})
  if (seen.closed.length > 0) return asRoot(search, seen)
  if (!seen.hasClient) throw unavailable(subject, 'not_installed', 'Docker is not installed there')
  throw unavailable(subject, 'not_running', seen.named === null ? 'it is installed but does not run' : `DOCKER_HOST or the context of ${seen.user} names ${seen.named}, which is not there`)
}

async function look({runner, env, knownCompose, signal}: PlaceSearch, sudo: boolean): Promise<Sighting> {
  const {stdout, stderr, exitCode} = await runner.exec(['/bin/sh', '-c', lookScript, 'sh', knownCompose?.stamp ?? ''], {sudo, env, signal})
  const sighting = parseSighting(stdout, knownCompose)
  if (sighting !== undefined) return sighting
  throw new Fault('SERVER_UNREACHABLE', `the server does not run a small shell script: ${stderr.trim().split('\n')[0] || `it ended with ${exitCode ?? 'no exit code'}`}`, {
    details: {code: 'protocol_error', serverId: runner.serverId},
  })
}

async function asRoot(search: PlaceSearch, seen: Sighting): Promise<EnginePlace> {
  const [closed = ''] = seen.closed
  const denied = (cause: unknown) => unavailable(search.subject, 'permission_denied', `${seen.user} may neither use ${closed} nor become root with sudo`, cause)
  if (seen.uid === 0) throw denied(undefined)
  // sudo drops what the login has in its environment; what it names is meant all the same.
  const env = seen.named === null ? search.env : {...search.env, DOCKER_HOST: `unix://${seen.named}`}
  const root = await look({...search, env}, true).catch((error: unknown) => {
    throw error instanceof Fault && error.details['code'] === 'permission_denied' ? denied(error) : error
  })
  return toPlace(root, {socket: root.elsewhere === null ? (root.open[0] ?? closed) : null, sudo: true, env: search.env})
}

function toPlace({uid, home, path: searched, hasClient, compose}: Sighting, {socket, sudo, env}: Pick<EnginePlace, 'socket' | 'sudo' | 'env'>): EnginePlace {
  const folder = uid === 0 ? '/srv/moorage' : path.posix.join(home, 'moorage')
  if (!path.posix.isAbsolute(folder)) throw new Fault('SERVER_UNREACHABLE', 'the login user has no home folder there', {details: {code: 'misconfigured'}})
  return {socket, sudo, hasClient, compose, folder, env: {...env, PATH: searched, ...(socket === null ? {} : {DOCKER_HOST: `unix://${socket}`})}}
}
