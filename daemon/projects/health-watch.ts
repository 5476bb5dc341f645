import {Deployments} from './deployments/records.js'
import {ServerWatch, type ServerWatchParts, type WatchWaits} from './live/server-watch.js'
import {Projects} from './records.js'

export interface HealthWatchParts extends Omit<ServerWatchParts, 'waits'> {
  readonly waits?: Partial<WatchWaits>
}

const defaultWaits: WatchWaits = {lookMs: 2_000, steadyMs: 30_000, firstRetryMs: 1_000, lastRetryMs: 120_000}

/** Watches the services of all projects that are served: one stream of events a server, opened with the first of them. */
export class ServicesWatch {
  readonly #parts: ServerWatchParts
  readonly #servers = new Map<string | null, ServerWatch>()
  #going = new Set<string>()
  #stopListening: (() => void) | undefined
  #looking: Promise<void> | undefined
  #again = false
  #stopped = false

  constructor(parts: HealthWatchParts) {
    this.#parts = {...parts, waits: {...defaultWaits, ...parts.waits}}
  }

  /** Returns at once: which servers are meant is looked up afterwards. */
  start(): void {
    this.#stopListening = this.#parts.store.onCommit((changed) => {
      if (changed.has(Projects.name) || changed.has(Deployments.name)) this.#wake()
    })
    this.#wake()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#stopListening?.()
    await this.#looking
    await Promise.all([...this.#servers.values()].map((watch) => watch.stop()))
    this.#servers.clear()
  }

  #wake(): void {
    this.#again = true
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined
      // What was asked for after the last look has its turn.
      if (this.#again && !this.#stopped) this.#wake()
    })
  }

  async #look(): Promise<void> {
    while (this.#again && !this.#stopped) {
      this.#again = false
      const projects = await this.#served()
      const wanted = new Set(projects.values())
      for (const serverId of wanted) if (!this.#servers.has(serverId)) this.#servers.set(serverId, new ServerWatch(this.#parts, serverId))
      for (const [serverId, watch] of this.#servers) {
        if (wanted.has(serverId)) continue
        this.#servers.delete(serverId)
        await watch.stop()
      }
      await this.#afterDeployments(projects)
    }
  }

  // Projects that are served, with their servers.
  async #served(): Promise<Map<string, string | null>> {
    const {store} = this.#parts
    const found = new Map<string, string | null>()
    for await (const {id, activeDeploymentId, disabledAt} of store.all(Projects)) {
      const active = activeDeploymentId === null || disabledAt !== null ? undefined : await store.get(Deployments, activeDeploymentId)
      if (active !== undefined) found.set(id, active.serverId)
    }
    return found
  }

  async #afterDeployments(projects: ReadonlyMap<string, string | null>): Promise<void> {
    const going = new Set((await this.#parts.store.find(Deployments, 'open', ['active'])).map(({projectId}) => projectId))
    for (const projectId of this.#going) {
      const serverId = projects.get(projectId)
      if (!going.has(projectId) && serverId !== undefined) this.#servers.get(serverId)?.lookAt(projectId)
    }
    this.#going = going
  }
}
