import type {Duplex} from 'node:stream'
import {Fault} from '../../../src/contract/faults.js'
import type {Clock} from '../../clock.js'
import type {CommandChannel} from '../channel.js'
import type {TerminalSize} from '../terminal-size.js'
import {openConnection, type ConnectSettings, type PresentedKey, type SshConnection} from './open-connection.js'
import {connectionRules, ServerConnections, type ConnectionRules} from './server-connections.js'
import type {SshTarget} from './ssh-target.js'

const failuresToBreak = 2
const breakMs = 30_000

interface Breaker {
  failures: number
  openUntilMs: number
  last: Fault | null
}

export interface PoolParts {
  readonly clock: Clock
  readonly settings: ConnectSettings
  readonly rules?: ConnectionRules
  /** Told of the keys of each new connection, so that a server without a pin gets one. */
  readonly onConnected?: (target: SshTarget, presented: readonly PresentedKey[]) => Promise<void>
}

export interface PoolRequest {
  readonly target: SshTarget
  /** Work that nobody waits for fails at once for a while after repeated failures; what a person asked for is always tried. */
  readonly automatic: boolean
}

/** Keeps connections to servers, by server id. */
export class ConnectionPool {
  readonly #servers = new Map<string, {readonly connections: ServerConnections; readonly version: string}>()
  readonly #breakers = new Map<string, Breaker>()
  readonly #closing = new AbortController()
  readonly #parts: PoolParts

  constructor(parts: PoolParts) {
    this.#parts = parts
  }

  async open(request: PoolRequest, command: string, signal: AbortSignal, terminal: TerminalSize | null = null): Promise<CommandChannel> {
    return this.#connections(request).open({command, signal, terminal})
  }

  /** A connection to a unix socket of the server. */
  async connect(request: PoolRequest, socketPath: string, signal: AbortSignal): Promise<Duplex> {
    return this.#connections(request).connect(socketPath, signal)
  }

  /** Connects apart from the pool and lets go again: what answers, and what stands in the way. */
  async probe(target: SshTarget, signal: AbortSignal, presented: PresentedKey[] = []): Promise<readonly PresentedKey[]> {
    const connection = await openConnection(target, this.#parts.settings, AbortSignal.any([signal, this.#closing.signal]), presented)
    connection.end()
    if (target.serverId !== null) this.#breakers.delete(target.serverId)
    return connection.presented
  }

  /** Forgets a server: after an edit, a delete or another key. */
  drop(serverId: string): void {
    this.#servers.get(serverId)?.connections.drop()
    this.#servers.delete(serverId)
    this.#breakers.delete(serverId)
  }

  /** Lets present connections end with what runs on them; what comes next gets new ones. */
  signInAnew(serverId: string): void {
    this.#servers.get(serverId)?.connections.retire()
  }

  connectionCount(serverId: string): number {
    return this.#servers.get(serverId)?.connections.connectionCount ?? 0
  }

  close(): void {
    this.#closing.abort(new Fault('SERVER_UNREACHABLE', 'the daemon is stopping', {details: {code: 'unknown'}}))
    for (const serverId of [...this.#servers.keys()]) this.drop(serverId)
  }

  #connections({target, automatic}: PoolRequest): ServerConnections {
    this.#closing.signal.throwIfAborted()
    const key = target.serverId ?? target.name
    const breaker = this.#breakers.get(key)
    if (automatic && breaker?.last != null && breaker.openUntilMs > this.#parts.clock.now()) throw breaker.last
    return this.#connectionsTo(key, target)
  }

  #connectionsTo(key: string, target: SshTarget): ServerConnections {
    // A jump host that was edited changes the way without an edit of this server.
    const version = JSON.stringify(target.hops)
    const known = this.#servers.get(key)
    if (known !== undefined && known.version === version) return known.connections
    known?.connections.drop()
    const {clock, rules} = this.#parts
    const connections = new ServerConnections(target, {connect: () => this.#connect(key, target), clock, rules: rules ?? connectionRules})
    this.#servers.set(key, {connections, version})
    return connections
  }

  async #connect(key: string, target: SshTarget): Promise<SshConnection> {
    try {
      const connection = await openConnection(target, this.#parts.settings, this.#closing.signal)
      this.#breakers.delete(key)
      await this.#parts.onConnected?.(target, connection.presented)
      return connection
    } catch (error) {
      if (error instanceof Fault) this.#count(key, error)
      throw error
    }
  }

  #count(key: string, fault: Fault): void {
    const failures = (this.#breakers.get(key)?.failures ?? 0) + 1
    const openUntilMs = failures >= failuresToBreak ? this.#parts.clock.now() + breakMs : 0
    this.#breakers.set(key, {failures, openUntilMs, last: fault})
  }
}
