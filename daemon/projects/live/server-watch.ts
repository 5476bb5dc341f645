import {labelNames} from '../../../src/compose/release.js'
import {sleep} from '../../clock.js'
import {describeError, type Log} from '../../log.js'
import type {ContainerFacts, EngineEvent, Engines} from '../../servers/engine/engine.js'
import {Deployments} from '../deployments/records.js'
import {Projects} from '../records.js'
import {hear, nothingHeard, type HeardSoFar} from './heard-events.js'
import {judgeHealth} from './judge-health.js'
import {projectContainers} from './find-containers.js'
import {tellHealth, type TellParts} from './tell-health.js'

export interface ServerWatchParts extends TellParts {
  readonly engines: Engines
  readonly log: Log
  readonly waits: WatchWaits
}

export interface WatchWaits {
  /** Between an event and a look at what came of it. */
  readonly lookMs: number
  /** How long a container runs on after an end before that end is forgotten. */
  readonly steadyMs: number
  readonly firstRetryMs: number
  readonly lastRetryMs: number
}

/** Listens to the engine of one server. It is asked only after it told of something, and when the connection is new. */
export class ServerWatch {
  readonly #parts: ServerWatchParts
  readonly #serverId: string | null
  readonly #stop = new AbortController()
  /** By container. */
  readonly #heard = new Map<string, HeardSoFar>()
  readonly #timers = new Map<string, () => void>()
  readonly #working = new Set<Promise<void>>()
  readonly #listening: Promise<void>

  constructor(parts: ServerWatchParts, serverId: string | null) {
    this.#parts = parts
    this.#serverId = serverId
    this.#listening = this.#listen()
  }

  async stop(): Promise<void> {
    this.#stop.abort(new Error('the watch is over'))
    for (const cancel of this.#timers.values()) cancel()
    await this.#listening
    await Promise.all(this.#working)
  }

  /** After a deployment, whose own events count for nothing. A look that is due already is not put off: what never comes to rest is looked at too. */
  lookAt(projectId: string): void {
    const key = `project ${projectId}`
    if (!this.#timers.has(key)) this.#after(key, this.#parts.waits.lookMs, () => this.#look(projectId))
  }

  async #listen(): Promise<void> {
    const {engines, clock, log, waits} = this.#parts
    const {signal} = this.#stop
    for (let waitMs = waits.firstRetryMs; !signal.aborted; waitMs = Math.min(waitMs * 2, waits.lastRetryMs)) {
      try {
        const engine = await engines.engineFor(this.#serverId)
        const onOpen = () => {
          waitMs = waits.firstRetryMs
          this.#after('all', waits.lookMs, () => this.#lookAtAll())
        }
        for await (const event of engine.events({[labelNames.managed]: 'true'}, {signal, onOpen})) this.#take(event)
      } catch (error) {
        if (!signal.aborted) log.info('the events of a server broke off; they are taken up again', {serverId: this.#serverId, error: describeError(error)})
      }
      // Stopping ends the wait; there is nothing to report then.
      await sleep(clock, waitMs, signal).catch(() => undefined)
    }
  }

  #take({action, containerId, labels}: EngineEvent): void {
    const projectId = labels[labelNames.project]
    if (projectId === undefined) return
    if (action === 'destroy') {
      this.#heard.delete(containerId)
      return
    }
    this.#heard.set(containerId, hear(this.#heard.get(containerId) ?? nothingHeard, action))
    if (action === 'start') this.#waitUntilSteady(containerId, projectId)
    this.lookAt(projectId)
  }

  #waitUntilSteady(containerId: string, projectId: string): void {
    this.#after(`steady ${containerId}`, this.#parts.waits.steadyMs, () => this.#forgive(containerId, projectId))
  }

  // It ran on: what was before does not count any more.
  async #forgive(containerId: string, projectId: string): Promise<void> {
    const heard = this.#heard.get(containerId)
    if (heard !== undefined) this.#heard.set(containerId, {...heard, deaths: 0, outOfMemory: false})
    await this.#look(projectId)
  }

  async #lookAtAll(): Promise<void> {
    const {store} = this.#parts
    for await (const project of store.all(Projects)) {
      const active = project.activeDeploymentId === null ? undefined : await store.get(Deployments, project.activeDeploymentId)
      if (active?.serverId === this.#serverId) await this.#look(project.id)
    }
  }

  async #look(projectId: string): Promise<void> {
    const {store, engines} = this.#parts
    const project = await store.get(Projects, projectId)
    const active = project?.activeDeploymentId == null ? undefined : await store.get(Deployments, project.activeDeploymentId)
    if (project === undefined || active === undefined || active.serverId !== this.#serverId || project.disabledAt !== null || project.deletionInProgress) return
    if ((await store.findOne(Deployments, 'slot', [projectId, 'active'])) !== undefined) return
    const containers = await projectContainers(await engines.engineFor(this.#serverId), project, this.#stop.signal)
    for (const container of containers) {
      const serviceId = container.labels[labelNames.service]
      if (serviceId === undefined) continue
      const verdict = judgeHealth(container, this.#heardOf(container, projectId))
      await tellHealth(this.#parts, {projectId, serviceId, containerId: container.id, verdict})
    }
  }

  #heardOf({id, state, restartCount}: ContainerFacts, projectId: string): HeardSoFar {
    const known = this.#heard.get(id)
    // Running on after a signal, it was not told to end.
    const heard = known === undefined ? firstHeard(state, restartCount) : {...known, killed: known.killed && state !== 'running'}
    if (known === undefined && heard.deaths > 0) this.#waitUntilSteady(id, projectId)
    this.#heard.set(id, heard)
    return heard
  }

  #after(key: string, delayMs: number, work: () => Promise<void>): void {
    this.#timers.get(key)?.()
    if (this.#stop.signal.aborted) return
    this.#timers.set(key, this.#parts.clock.after(delayMs, () => {
      this.#timers.delete(key)
      const working = work().catch((error: unknown) => {
        if (!this.#stop.signal.aborted) this.#parts.log.info('services could not be looked at', {serverId: this.#serverId, error: describeError(error)})
      }).finally(() => this.#working.delete(working))
      this.#working.add(working)
    }))
  }
}

// Nobody listened before. One that the engine has started again may be about to end once more: that it runs now says little.
function firstHeard(state: ContainerFacts['state'], restartCount: number): HeardSoFar {
  return state === 'running' && restartCount > 0 ? {...nothingHeard, deaths: 1} : nothingHeard
}
