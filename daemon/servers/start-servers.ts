import os from 'node:os'
import type {Clock} from '../clock.js'
import type {serverRoutes} from '../../src/contract/servers.js'
import type {RecordEvent} from '../events/event-log.js'
import type {Handlers} from '../http/handlers.js'
import type {Environment, DaemonSettings} from '../settings.js'
import type {Sealer} from '../store/secrets.js'
import type {Store} from '../store/store.js'
import {createCommandHandlers} from './command-handlers.js'
import {createEngines} from './engine/engines.js'
import {createServerHandlers, type ServerParts} from './handlers.js'
import {pinFirstKey} from './pin-first-key.js'
import {Runners} from './runners.js'
import {ConnectionPool} from './ssh/connection-pool.js'
import {keyRoots} from './ssh/key-file.js'
import {createWorkspaceHandlers} from './workspace-handlers.js'

export interface ServersStart {
  readonly store: Store
  readonly clock: Clock
  readonly sealer: Sealer
  readonly recordEvent: RecordEvent
  readonly settings: Pick<DaemonSettings, 'home' | 'sshKeyRoots'>
  /** PATH, LANG, TZ, SSH_AUTH_SOCK and DOCKER_HOST of the daemon; nothing else of its environment is used. */
  readonly environment: Environment
  readonly useOf: ServerParts['useOf']
}

/** Puts the servers area together: its routes, and the runners that other areas run commands with. */
export function startServers(start: ServersStart) {
  const {store, clock, sealer, recordEvent, settings, environment, useOf} = start
  const keyFolders = keyRoots({userHome: os.homedir(), moorageHome: settings.home, configured: settings.sshKeyRoots})
  const pool = new ConnectionPool({
    clock,
    settings: {keyFolders, agentSocket: environment['SSH_AUTH_SOCK']},
    onConnected: (target, presented) => pinFirstKey(store, target, presented),
  })
  const surroundings = {PATH: environment['PATH'], LANG: environment['LANG'], TZ: environment['TZ']}
  const runners = new Runners({store, clock, sealer, pool, home: settings.home, surroundings})
  const engines = createEngines({store, clock, runners, dockerHost: environment['DOCKER_HOST']})
  const prober = {
    probe: pool.probe.bind(pool),
    drop(serverId: string) {
      engines.drop(serverId)
      runners.drop(serverId)
    },
  }
  return {
    runners,
    engines,
    handlers: {
      ...createServerHandlers({store, clock, sealer, recordEvent, pool: prober, useOf}),
      ...createCommandHandlers({store, clock, recordEvent, runners}),
      ...createWorkspaceHandlers({store, clock, recordEvent}),
    } satisfies Handlers<typeof serverRoutes>,
    stop() {
      engines.close()
      pool.close()
    },
  }
}
