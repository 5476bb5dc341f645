import type {Clock} from '../../clock.js'
import type {ContainerFacts, Engine, EngineEvent} from '../../servers/engine/engine.js'
import {labelNames} from '../../../src/compose/release.js'
import {Fault} from '../../../src/contract/faults.js'
import {DeploymentFailure} from './deployment-failure.js'
import type {InterruptionMeter} from './interruption-meter.js'
import {askEveryMs, judgeContainer, type Verdict} from './judge-container.js'

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
  /** Told once for each service that is up, with the ports on which it was seen to listen, where that was looked for. */
  readonly onUp: (service: WatchedService, container: ContainerFacts, listening: readonly number[]) => void
  /** Ends the watch. */
  readonly signal: AbortSignal
}

interface SeenRun {
  /** Which run of the container it is. */
  readonly run: string
  readonly since: number
}

/** Watches the containers of services come up, by what the engine tells; it is asked again when something happened, never in a loop. */
export class HealthWatch {
  readonly #parts: HealthWatchParts
  /** By container. */
  readonly #seen = new Map<string, SeenRun>()
  readonly #outOfMemory = new Set<string>()
  readonly #told = new Set<string>()
  /** Ports by container. */
  readonly #listening = new Map<string, readonly number[]>()
  /** Runs that were over before anything was started: Compose starts such a container again, or puts another one in its place. */
  #overBefore: ReadonlySet<string> | undefined
  #isStarted = false
  readonly #end = new AbortController()
  readonly #signal: AbortSignal
  #wake: (() => void) | undefined
  #pending = false
  #broken: unknown
  readonly #pumping: Promise<void>

  /** Listens from now on. */
  constructor(parts: HealthWatchParts) {
    this.#parts = parts
    this.#signal = AbortSignal.any([parts.signal, this.#end.signal])
    this.#pumping = this.#pump()
  }

  /** Settles when all are up; rejects with the first that will not be, or when the connection drops. */
  async untilUp(): Promise<void> {
    // The first look is when the engine has begun to tell.
    let waitMs: number | null = null
    for (;;) {
      this.#signal.throwIfAborted()
      if (!this.#pending) await this.#wait(waitMs)
      if (this.#broken !== undefined) throw this.#broken
      this.#pending = false
      const next = await this.#look()
      if (next === 'done') return
      waitMs = next
    }
  }

  /** Compose has made all containers there will be. */
  started(): void {
    this.#isStarted = true
    this.#notify()
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
      for await (const event of engine.events({[labelNames.project]: projectId}, {signal: this.#signal, onOpen: () => this.#notify()})) this.#take(event)
      // An engine that is stopped ends its answer in good order.
      if (!this.#signal.aborted) throw new Fault('ENGINE_UNAVAILABLE', 'the engine tells of nothing any more; it was stopped')
    } catch (error) {
      if (this.#signal.aborted) return
      this.#broken = error
      this.#notify()
    }
  }

  #take(event: EngineEvent): void {
    this.#parts.meter.take(event)
    if (event.action === 'oom') this.#outOfMemory.add(event.containerId)
    this.#notify()
  }

  // How long until something may be different by itself; null waits for an event.
  async #look(): Promise<number | null | 'done'> {
    const {engine, projectId, services} = this.#parts
    const containers = await engine.containers({[labelNames.project]: projectId}, {signal: this.#signal})
    this.#overBefore ??= new Set(containers.filter(({state}) => state === 'exited' || state === 'dead').map(runOf))
    let waitMs: number | null = null
    let isDone = true
    for (const service of services) {
      const own = containers.filter(({labels}) => labels[labelNames.service] === service.serviceId && labels[labelNames.deployment] === service.changedIn)
      const judged = await Promise.all(own.map(async (container) => ({container, verdict: await this.#judge(service, container)})))
      for (const {container, verdict} of judged) {
        if (verdict.kind === 'failed') throw new DeploymentFailure(verdict.reason, `${service.name} ${verdict.why}`, {service: service.name, details: {containerId: container.id}})
      }
      const waits = judged.flatMap(({verdict}) => (verdict.kind === 'wait' ? [verdict.forMs] : []))
      const [first] = own
      if (waits.length === 0 && (first !== undefined || this.#isStarted)) {
        if (first !== undefined) this.#tell(service, first)
        continue
      }
      isDone = false
      for (const forMs of waits) if (forMs !== null) waitMs = Math.min(waitMs ?? forMs, forMs)
    }
    return isDone ? 'done' : waitMs
  }

  async #judge(service: WatchedService, container: ContainerFacts): Promise<Verdict> {
    if (!service.isNew) return container.state === 'created' ? {kind: 'wait', forMs: null} : {kind: 'up'}
    if (!this.#isStarted && this.#overBefore?.has(runOf(container)) === true) return {kind: 'wait', forMs: null}
    const {engine, settleMs} = this.#parts
    const ranMs = this.#ranMs(container)
    const mayListen = container.state === 'running' && container.health === null && ranMs >= askEveryMs && ranMs < settleMs
    const listening = (mayListen && (await engine.listeningPorts(container, {signal: this.#signal}))) || []
    this.#listening.set(container.id, listening)
    return judgeContainer(container, {mayEnd: service.mayEnd, ranMs, settleMs, listens: listening.length > 0, sawOutOfMemory: this.#outOfMemory.has(container.id)})
  }

  #ranMs(container: ContainerFacts): number {
    const now = this.#parts.clock.now()
    const run = runOf(container)
    const known = this.#seen.get(container.id)
    const since = known?.run === run ? known.since : now
    this.#seen.set(container.id, {run, since})
    return now - since
  }

  #tell(service: WatchedService, container: ContainerFacts): void {
    if (this.#told.has(service.serviceId)) return
    this.#told.add(service.serviceId)
    this.#parts.meter.up(service.serviceId, container)
    this.#parts.onUp(service, container, this.#listening.get(container.id) ?? [])
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

function runOf({id, startedAt, restartCount}: ContainerFacts): string {
  return `${id} ${startedAt ?? ''} ${restartCount}`
}
