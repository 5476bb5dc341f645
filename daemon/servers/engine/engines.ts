import {Fault} from '../../../src/contract/faults.js'
import type {Clock} from '../../clock.js'
import type {StoreReader} from '../../store/store.js'
import {findLocalServer} from '../find-server.js'
import {Servers} from '../records.js'
import type {Runners} from '../runners.js'
import type {Engine, Engines} from './engine.js'
import {EngineLink} from './engine-link.js'
import {serverEngine} from './server-engine.js'

export interface EnginesParts {
  readonly store: StoreReader
  readonly clock: Clock
  readonly runners: Pick<Runners, 'runnerFor' | 'signInAnew'>
  /** DOCKER_HOST of the daemon: the engine of its machine. */
  readonly dockerHost?: string | undefined
}

export interface OpenEngines extends Engines {
  /** After an edit or a delete of a server: its engine is looked for anew. */
  drop(serverId: string): void
  close(): void
}

/** Gives the engine of each server; all who ask for one share what is known of it. */
export function createEngines({store, clock, runners, dockerHost}: EnginesParts): OpenEngines {
  const known = new Map<string, {readonly link: EngineLink; readonly engine: Engine}>()
  const localEnv: Readonly<Record<string, string>> = dockerHost === undefined || dockerHost === '' ? {} : {DOCKER_HOST: dockerHost}
  const findServer = async (serverId: string) => {
    const server = await store.get(Servers, serverId)
    if (server === undefined) throw new Fault('NOT_FOUND', `server ${serverId} is gone`)
    const name = server.isLocal ? 'the local machine' : (server.name ?? server.sshHost)
    return {runner: await runners.runnerFor(serverId, 'asked'), subject: {serverId, name}, env: server.isLocal ? localEnv : {}}
  }
  return {
    async engineFor(wished) {
      const serverId = wished ?? (await findLocalServer(store))?.id
      if (serverId === undefined) throw new Fault('NOT_FOUND', 'there is no local server')
      await findServer(serverId)
      const found = known.get(serverId)
      if (found !== undefined) return found.engine
      const link = new EngineLink({clock, findServer: () => findServer(serverId), signInAnew: () => runners.signInAnew(serverId)})
      const engine = serverEngine(serverId, link)
      known.set(serverId, {link, engine})
      return engine
    },
    drop: (serverId) => known.get(serverId)?.link.forget(),
    close() {
      for (const {link} of known.values()) link.forget()
    },
  }
}
