import http from 'node:http'
import type {Duplex} from 'node:stream'

/** Opens one connection to the engine; the signal closes it, also later. */
export type OpenEngine = (signal: AbortSignal) => Promise<Duplex>

export interface AgentRules {
  readonly idleMs: number
  readonly mostIdle: number
  readonly openMs: number
}

const agentRules: AgentRules = {idleMs: 10_000, mostIdle: 4, openMs: 30_000}

/** Gives node:http connections to an engine that is reached by other means than an address, and keeps a few of them for the next calls. */
export class EngineAgent extends http.Agent {
  readonly #open: OpenEngine
  readonly #rules: AgentRules
  readonly #closing: AbortSignal
  readonly #idle = new WeakMap<Duplex, NodeJS.Timeout>()

  /** `closing` ends every connection, those in use too. */
  constructor(open: OpenEngine, closing: AbortSignal, rules: AgentRules = agentRules) {
    super({keepAlive: true, maxFreeSockets: rules.mostIdle})
    this.#open = open
    this.#closing = closing
    this.#rules = rules
  }

  // No option of the request matters: there is one place to go to.
  override createConnection(_options: unknown, callback?: (error: Error | null, stream: Duplex) => void): undefined {
    const answer = callback as unknown as (error: Error | null, stream?: Duplex) => void
    this.#connect().then(
      (stream) => answer(null, stream),
      (error: unknown) => answer(error instanceof Error ? error : new Error('no connection', {cause: error})),
    )
    return undefined
  }

  override keepSocketAlive(stream: Duplex): boolean {
    super.keepSocketAlive(stream)
    if (!this.#idle.has(stream)) stream.once('close', () => clearTimeout(this.#idle.get(stream)))
    const timer = setTimeout(() => stream.destroy(), this.#rules.idleMs)
    timer.unref()
    this.#idle.set(stream, timer)
    return true
  }

  override reuseSocket(stream: Duplex, request: http.ClientRequest): void {
    super.reuseSocket(stream, request)
    clearTimeout(this.#idle.get(stream))
  }

  /** Ends the connections that nobody uses. */
  closeIdle(): void {
    for (const streams of Object.values(this.freeSockets)) for (const stream of streams ?? []) stream.destroy()
  }

  async #connect(): Promise<Duplex> {
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(new Error(`the engine was not reached within ${this.#rules.openMs / 1000} seconds`)), this.#rules.openMs)
    try {
      return await this.#open(AbortSignal.any([this.#closing, late.signal]))
    } finally {
      clearTimeout(timer)
    }
  }
}
