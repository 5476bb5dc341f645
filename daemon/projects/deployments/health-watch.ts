import type {Clock} from '../../clock.js'
import type {ContainerFacts, Engine, EngineEvent} from '../../servers/engine/engine.js'
import {labelNames} from '../../../src/compose/release.js'
import {DeploymentFailure} from './deployment-failure.js'
import type {InterruptionMeter} from './interruption-meter.js'
import {judgeContainer, type Verdict} from './judge-container.js'

export interface WatchedService {
  readonly serviceId: string
  readonly name: string
  /** The deployment whose mark its container bears. */
  readonly changedIn: string
  readonly mayEnd: boolean
  /** Whether it is made anew. One that is left alone only has to be there: how it fares is no matter of this release. */
  readonly isNew: boolean
}

export interface HealthWatchParts {
  readonly engine: Engine
  readonly clock: Clock
  readonly projectId: string
  readonly services: readonly WatchedService[]
  readonly settleMs: number
  /** Hears what the engine tells, too. */
  readonly meter: InterruptionMeter
  /** Told once for each service that is up. */
  readonly onUp: (service: WatchedService, container: ContainerFacts) => void
  /** Ends the watch. */
  readonly signal: AbortSignal
}

interface Seen {
  up: boolean
  containerId: string | undefined
  /** Of the run that is watched: which one it is and when it was seen first. */
  run: string | undefined
  since: number
  outOfMemory: boolean
}

/** Watches the containers of services come up, by what the engine tells; it is asked again when something happened, never in a loop. */
export class HealthWatch {
  readonly #parts: HealthWatchParts
  readonly #seen = new Map<string, Seen>()
  readonly #end = new AbortController()
  readonly #signal: AbortSignal
  #wake: (() => void) | undefined
  #pending = true
  #broken: unknown
  readonly #pumping: Promise<void>

  /** Listens from now on. */
  constructor(parts: HealthWatchParts) {
    this.#parts = parts
    this.#signal = AbortSignal.any([parts.signal, this.#end.signal])
    for (const {serviceId} of parts.services) this.#seen.set(serviceId, {up: false, containerId: undefined, run: undefined, since: 0, outOfMemory: false})
    this.#pumping = this.#pump()
  }

  /** Settles when all are up; rejects with the first that will not be, or when the connection drops. */
  async untilUp(): Promise<void> {
    for (;;) {
      this.#signal.throwIfAborted()
      if (this.#broken !== undefined) throw this.#broken
      this.#pending = false
      const waitMs = await this.#look()
      if (waitMs === 'done') return
      if (!this.#pending) await this.#wait(waitMs)
    }
  }

  /** The service that will not be up, if one can be told by now: Compose often knows less. */
  async findFailed(): Promise<DeploymentFailure | undefined> {
    try {
      await this.#look()
      return undefined
    } catch (error) {
      return error instanceof DeploymentFailure ? error : undefined
    }
  }

  /** Ends listening. */
  async close(): Promise<void> {
    this.#end.abort(new Error('the watch is over'))
    await this.#pumping
  }

  async #pump(): Promise<void> {
    const {engine, projectId} = this.#parts
    try {
      for await (const event of engine.events({[labelNames.project]: projectId}, {signal: this.#signal})) this.#take(event)
    } catch (error) {
      if (this.#signal.aborted) return
      this.#broken = error
      this.#notify()
    }
  }

  #take(event: EngineEvent): void {
    this.#parts.meter.take(event)
    const seen = this.#seen.get(event.labels[labelNames.service] ?? '')
    if (seen !== undefined && event.action === 'oom' && event.labels[labelNames.deployment] === this.#markOf(event)) seen.outOfMemory = true
    this.#notify()
  }

  #markOf(event: EngineEvent): string | undefined {
    return this.#parts.services.find(({serviceId}) => serviceId === event.labels[labelNames.service])?.changedIn
  }

  // How long until something may be different by itself; null waits for an event.
  async #look(): Promise<number | null | 'done'> {
    const {engine, projectId, services} = this.#parts
    const containers = await engine.containers({[labelNames.project]: projectId}, {signal: this.#signal})
    let waitMs: number | null = null
    let isDone = true
    for (const service of services) {
      const verdict = this.#judge(service, containers)
      if (verdict.kind === 'failed') throw new DeploymentFailure(verdict.reason, `${service.name} ${verdict.why}`, {service: service.name, details: {containerId: this.#seen.get(service.serviceId)?.containerId}})
      if (verdict.kind === 'up') continue
      isDone = false
      if (verdict.forMs !== null) waitMs = Math.min(waitMs ?? verdict.forMs, verdict.forMs)
    }
    return isDone ? 'done' : waitMs
  }

  #judge(service: WatchedService, containers: readonly ContainerFacts[]): Verdict {
    const seen = this.#seen.get(service.serviceId)
    const container = containers.find(({labels}) => labels[labelNames.service] === service.serviceId && labels[labelNames.deployment] === service.changedIn)
    if (seen === undefined || container === undefined || (!service.isNew && container.state === 'created')) return {kind: 'wait', forMs: null}
    const now = this.#parts.clock.now()
    const run = `${container.id} ${container.startedAt ?? ''} ${container.restartCount}`
    if (seen.run !== run) Object.assign(seen, {run, since: now, containerId: container.id})
    const expected = {mayEnd: service.mayEnd, ranMs: now - seen.since, settleMs: this.#parts.settleMs, sawOutOfMemory: seen.outOfMemory}
    const verdict: Verdict = service.isNew ? judgeContainer(container, expected) : {kind: 'up'}
    if (verdict.kind === 'up' && !seen.up) {
      seen.up = true
      this.#parts.meter.up(service.serviceId, container)
      this.#parts.onUp(service, container)
    }
    return verdict
  }

  #notify(): void {
    this.#pending = true
    this.#wake?.()
  }

  #wait(waitMs: number | null): Promise<void> {
    return new Promise((resolve) => {
      const cancel = waitMs === null ? undefined : this.#parts.clock.after(waitMs, () => settle())
      const settle = () => {
        cancel?.()
        this.#signal.removeEventListener('abort', settle)
        this.#wake = undefined
        resolve()
      }
      this.#signal.addEventListener('abort', settle, {once: true})
      this.#wake = settle
    })
  }
}
