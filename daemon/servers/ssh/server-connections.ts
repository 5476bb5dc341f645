import type {Duplex} from 'node:stream'
import type {Client} from 'ssh2'
import type {Clock} from '../../clock.js'
import type {CommandChannel} from '../channel.js'
import {ChannelRefused, openChannel, StaleConnection, type ChannelWish} from './open-channel.js'
import type {SshConnection} from './open-connection.js'
import {openForward} from './open-forward.js'
import type {SshTarget} from './ssh-target.js'

export interface ConnectionRules {
  /** Commands at once on one connection; lowered where the far side takes fewer. sshd takes 10 unless told otherwise. */
  readonly maxChannels: number
  readonly maxConnections: number
  readonly idleMs: number
}

export const connectionRules: ConnectionRules = {maxChannels: 10, maxConnections: 8, idleMs: 5 * 60_000}

interface Slot {
  readonly connection: SshConnection
  channels: number
  bound: number
  closing: boolean
  cancelIdle: (() => void) | null
}

interface Waiter {
  readonly resolve: (slot: Slot) => void
  readonly reject: (error: unknown) => void
}

/** The connections of one server: one as long as it holds all channels, more when those run out, then a queue. */
export class ServerConnections {
  readonly #slots = new Set<Slot>()
  readonly #waiting: Waiter[] = []
  readonly #connect: () => Promise<SshConnection>
  readonly #clock: Clock
  readonly #rules: ConnectionRules
  readonly #subject: {readonly serverId: string | null; readonly name: string}
  #connecting = false
  #dropped = false

  constructor(target: SshTarget, parts: {connect: () => Promise<SshConnection>; clock: Clock; rules: ConnectionRules}) {
    this.#subject = {serverId: target.serverId, name: target.name}
    this.#connect = parts.connect
    this.#clock = parts.clock
    this.#rules = parts.rules
  }

  get connectionCount(): number {
    return this.#slots.size
  }

  get inUse(): boolean {
    return this.#waiting.length > 0 || this.#connecting || [...this.#slots].some((slot) => slot.channels > 0)
  }

  /** Starts a command once there is room for it. Only what surely never started is tried again. */
  open(wish: ChannelWish): Promise<CommandChannel> {
    return this.#withSlot(wish.signal, async (client) => {
      const channel = await openChannel(client, wish, this.#subject)
      return {opened: channel, over: channel.ended}
    })
  }

  /** Connects to a unix socket of the server; it takes a channel like a command does. */
  connect(socketPath: string, signal: AbortSignal): Promise<Duplex> {
    return this.#withSlot(signal, (client) => openForward(client, socketPath, this.#subject, signal))
  }

  async #withSlot<T>(signal: AbortSignal, open: (client: Client) => Promise<{opened: T; over: Promise<unknown>}>): Promise<T> {
    for (let stale = 0; ; ) {
      const slot = await this.#lease(signal)
      try {
        const {opened, over} = await open(slot.connection.client)
        void over.catch(() => undefined).finally(() => this.#release(slot))
        return opened
      } catch (error) {
        const others = slot.channels - 1
        this.#release(slot)
        if (error instanceof ChannelRefused && others > 0) slot.bound = Math.min(slot.bound, others)
        else if (error instanceof StaleConnection && stale++ === 0) this.#forget(slot)
        else throw error
      }
    }
  }

  /** Ends every connection; commands that are still followed see it drop. */
  drop(): void {
    this.#dropped = true
    for (const slot of [...this.#slots]) this.#forget(slot)
  }

  /** Gives no more channels of the present connections; each ends with its last one. */
  retire(): void {
    for (const slot of [...this.#slots]) {
      slot.closing = true
      if (slot.channels === 0) this.#forget(slot)
    }
  }

  async #lease(signal: AbortSignal): Promise<Slot> {
    signal.throwIfAborted()
    const free = this.#free()
    if (free !== undefined && this.#waiting.length === 0) return this.#take(free)
    return new Promise((resolve, reject) => {
      const leave = () => {
        const at = this.#waiting.indexOf(waiter)
        if (at >= 0) this.#waiting.splice(at, 1)
        reject(signal.reason)
      }
      const waiter: Waiter = {
        resolve: (slot) => {
          signal.removeEventListener('abort', leave)
          resolve(slot)
        },
        reject: (error) => {
          signal.removeEventListener('abort', leave)
          reject(error)
        },
      }
      signal.addEventListener('abort', leave, {once: true})
      this.#waiting.push(waiter)
      this.#serve()
    })
  }

  #free(): Slot | undefined {
    return [...this.#slots].find((slot) => !slot.closing && slot.channels < slot.bound)
  }

  #take(slot: Slot): Slot {
    slot.channels++
    slot.cancelIdle?.()
    slot.cancelIdle = null
    return slot
  }

  // Gives free channels to those who wait, and opens one more connection at a time while some are left over.
  #serve(): void {
    for (;;) {
      const [waiter] = this.#waiting
      if (waiter === undefined) return
      const free = this.#free()
      if (free === undefined) break
      this.#waiting.shift()
      waiter.resolve(this.#take(free))
    }
    if (this.#connecting || this.#slots.size >= this.#rules.maxConnections) return
    this.#connecting = true
    this.#connect().then(
      (connection) => {
        this.#connecting = false
        const slot = this.#add(connection)
        this.#serve()
        // Those it was opened for may have been served meanwhile.
        this.#rest(slot)
      },
      (error: unknown) => {
        this.#connecting = false
        // With a connection in hand the others can wait for their turn on it.
        if (this.#slots.size === 0) for (const waiter of this.#waiting.splice(0)) waiter.reject(error)
      },
    )
  }

  #add(connection: SshConnection): Slot {
    const slot: Slot = {connection, channels: 0, bound: this.#rules.maxChannels, closing: false, cancelIdle: null}
    this.#slots.add(slot)
    void connection.closed.then(() => this.#forget(slot))
    if (this.#dropped) this.#forget(slot)
    return slot
  }

  #release(slot: Slot): void {
    slot.channels--
    if (slot.closing && slot.channels === 0) this.#forget(slot)
    this.#rest(slot)
    this.#serve()
  }

  // A connection that nobody uses goes after a while.
  #rest(slot: Slot): void {
    if (slot.channels > 0 || slot.cancelIdle !== null || !this.#slots.has(slot)) return
    slot.cancelIdle = this.#clock.after(this.#rules.idleMs, () => this.#forget(slot))
  }

  #forget(slot: Slot): void {
    slot.closing = true
    slot.cancelIdle?.()
    slot.cancelIdle = null
    if (!this.#slots.delete(slot)) return
    slot.connection.end()
    this.#serve()
  }
}
