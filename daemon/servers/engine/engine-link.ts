import {Fault} from '../../../src/contract/faults.js'
import type {Clock} from '../../clock.js'
import type {Runner} from '../runner.js'
import type {EngineFacts} from './engine.js'
import {isWayLost, toFault, unavailable, type EngineSubject} from './engine-faults.js'
import {reachEngine, type ReachedEngine} from './reach-engine.js'

export interface LinkedServer {
  readonly runner: Runner
  readonly subject: EngineSubject
  /** For commands there that have to do with the engine. */
  readonly env: Readonly<Record<string, string>>
}

export interface LinkParts {
  readonly clock: Clock
  /** Asked each time the engine is looked for, so that an edit of the server counts at once. */
  readonly findServer: () => Promise<LinkedServer>
  /** What a user may do is settled when it signs in: makes the next connection a new one. */
  readonly signInAnew: () => void
}

export interface Link extends ReachedEngine {
  readonly runner: Runner
  readonly subject: EngineSubject
  readonly reachedMs: number
}

const factsMs = 60_000
const reachMs = 45_000

/** The way to the engine of one server: found by the first call, and kept until a call meets no engine there. */
export class EngineLink {
  readonly #parts: LinkParts
  #link: Promise<Link> | undefined
  /** What the promise came to. */
  #found: Link | undefined
  #closing = new AbortController()

  constructor(parts: LinkParts) {
    this.#parts = parts
  }

  async facts(signal: AbortSignal, fresh: boolean): Promise<EngineFacts> {
    const known = this.#link
    const link = known === undefined ? undefined : await within(known, signal).catch(() => undefined)
    signal.throwIfAborted()
    const isOld = link === undefined || fresh || link.reachedMs + factsMs <= this.#parts.clock.now()
    // Calls that are under way keep their connections; the idle ones go by themselves.
    if (isOld && this.#link === known) this.#link = undefined
    return (await this.reach(signal)).facts
  }

  reach(signal: AbortSignal): Promise<Link> {
    signal.throwIfAborted()
    if (this.#link === undefined) {
      const link = this.#look()
      this.#link = link
      link.then((found) => (this.#found = found), () => {
        if (this.#link === link) this.#link = undefined
      })
    }
    return within(this.#link, signal)
  }

  /** Makes a call. Failures become faults; where the way itself failed, it is looked for again by the next call. */
  async with<T>(signal: AbortSignal, call: (link: Link) => Promise<T>): Promise<T> {
    const link = await this.reach(signal)
    try {
      return await call(link)
    } catch (error) {
      throw this.explain(link, error, signal)
    }
  }

  explain(link: Link, error: unknown, signal: AbortSignal): unknown {
    if (signal.aborted) return signal.reason
    const fault = toFault(link.subject, error)
    if (!isWayLost(fault)) return fault
    if (this.#found === link) this.#link = undefined
    link.closeIdle()
    return fault
  }

  /** After an edit of the server, or when the daemon stops: connections close, and calls under way fail. */
  forget(): void {
    this.#link = undefined
    this.#closing.abort(new Fault('SERVER_UNREACHABLE', 'the connections to the server were closed', {details: {code: 'unknown'}}))
    this.#closing = new AbortController()
  }

  async #look(): Promise<Link> {
    const {clock, findServer, signInAnew} = this.#parts
    const closing = this.#closing.signal
    const server = await findServer()
    const {runner, subject} = server
    const late = new AbortController()
    const cancel = clock.after(reachMs, () => late.abort(unavailable(subject, 'not_answering', `it did not answer within ${reachMs / 1000} seconds`)))
    const signal = AbortSignal.any([closing, late.signal])
    try {
      return {...(await reachEngine({...server, knownCompose: this.#found?.place.compose, closing, signal})), runner, subject, reachedMs: clock.now()}
    } catch (error) {
      if (signal.aborted) throw signal.reason
      if (error instanceof Fault && error.details['reason'] === 'permission_denied') signInAnew()
      throw error
    } finally {
      cancel()
    }
  }
}

/** Waits for work that others wait for too: the signal ends the waiting alone. */
function within<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason)
    if (signal.aborted) return onAbort()
    signal.addEventListener('abort', onAbort, {once: true})
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}
