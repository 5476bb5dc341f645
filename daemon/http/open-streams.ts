import type {Clock} from '../clock.js'
import {holdsScope} from '../access/decide.js'
import type {Principal} from '../access/principal.js'
import {currentPrincipal, onCredentialChange} from '../access/watch-credentials.js'
import {Fault} from '../../src/contract/faults.js'
import type {RouteSpec} from '../../src/contract/route.js'
import type {Store} from '../store/store.js'

interface OpenStream {
  readonly principal: Principal
  readonly route: RouteSpec
  readonly end: (reason: Error) => void
}

/** Streams that are open: each ends when its token is revoked, expires or loses the permission, and all when the daemon stops. */
export class OpenStreams {
  readonly #store: Store
  readonly #clock: Clock
  readonly #streams = new Set<OpenStream>()
  readonly #stopListening: () => void

  constructor(store: Store, clock: Clock) {
    this.#store = store
    this.#clock = clock
    this.#stopListening = onCredentialChange(store, () => void this.#recheck())
  }

  /** Answers a function to call when the stream is over. */
  add(stream: OpenStream): () => void {
    this.#streams.add(stream)
    const {expiresAt} = stream.principal
    const cancel =
      expiresAt === null ? undefined : this.#clock.after(Date.parse(expiresAt) - this.#clock.now(), () => stream.end(new Fault('INVALID_TOKEN', 'the token expired')))
    return () => {
      cancel?.()
      this.#streams.delete(stream)
    }
  }

  async #recheck(): Promise<void> {
    for (const stream of this.#streams) {
      const now = await currentPrincipal(this.#store, this.#clock, stream.principal)
      if (now === undefined || !holdsScope(now, stream.route.scope, false)) stream.end(new Fault('INVALID_TOKEN', 'the token was revoked'))
    }
  }

  close(): void {
    this.#stopListening()
    for (const stream of this.#streams) stream.end(new Fault('DAEMON_NOT_RUNNING', 'the daemon stops'))
  }
}
