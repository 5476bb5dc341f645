import path from 'node:path'
import {Fault} from '../../src/contract/faults.js'
import type {Clock} from '../clock.js'
import type {Sealer} from '../store/secrets.js'
import type {Store} from '../store/store.js'
import {localRunner, type LocalSettings} from './local.js'
import {Servers} from './records.js'
import type {Runner} from './runner.js'
import {toTarget} from './server-target.js'
import type {ConnectionPool} from './ssh/connection-pool.js'
import {sshRunner} from './ssh/ssh-runner.js'

export interface RunnersParts {
  readonly store: Store
  readonly clock: Clock
  readonly sealer: Sealer
  readonly pool: ConnectionPool
  readonly home: string
  readonly surroundings: LocalSettings['surroundings']
}

/** Whether somebody waits for it: work that nobody waits for fails at once while a server is known to be away. */
export type Urgency = 'automatic' | 'asked'

/** Gives the runner of a server, whichever way it is reached. */
export class Runners {
  readonly #parts: RunnersParts
  readonly #known = new Map<string, Runner>()

  constructor(parts: RunnersParts) {
    this.#parts = parts
  }

  /** Throws NOT_FOUND where the server is gone. */
  async runnerFor(serverId: string, urgency: Urgency): Promise<Runner> {
    const server = await this.#parts.store.get(Servers, serverId)
    if (server === undefined) throw new Fault('NOT_FOUND', `server ${serverId} is gone`)
    const key = `${urgency} ${serverId}`
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const runner = server.isLocal ? this.#local(serverId) : this.#remote(serverId, server.name ?? server.sshHost, urgency === 'automatic')
    this.#known.set(key, runner)
    return runner
  }

  /** After an edit or a delete: nothing of the old way is kept. */
  drop(serverId: string): void {
    this.#known.delete(`automatic ${serverId}`)
    this.#known.delete(`asked ${serverId}`)
    this.#parts.pool.drop(serverId)
  }

  /** The next command signs in anew; what runs goes on. Groups of a user count from the next sign-in on. */
  signInAnew(serverId: string): void {
    this.#parts.pool.signInAnew(serverId)
  }

  #local(serverId: string): Runner {
    const {clock, home, surroundings} = this.#parts
    return localRunner({serverId, clock, runsFolder: path.join(home, 'runs'), surroundings})
  }

  #remote(serverId: string, name: string, automatic: boolean): Runner {
    const {store, sealer, pool, clock} = this.#parts
    const findTarget = async () => {
      const server = await store.get(Servers, serverId)
      if (server === undefined) throw new Fault('NOT_FOUND', `server ${serverId} is gone`)
      return toTarget(store, sealer, server)
    }
    return sshRunner({serverId, pool, clock, findTarget, automatic, name})
  }
}
