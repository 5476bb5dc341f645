import {toInstant, type Clock} from '../clock.js'
import {describeError, type Log} from '../log.js'
import type {Store} from '../store/store.js'
import type {FetchedManifest} from './fetch-manifest.js'
import {keepCatalog, readKept, type CatalogCopy} from './kept-catalog.js'
import {emptyManifest, ManifestError, readManifest, type ReadManifest} from './read-manifest.js'
import type {CatalogCheck} from './records.js'
import {TimeoutError, withinDeadline} from './within-deadline.js'

export interface RemoteParts {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly url: URL
  /** Throws a ManifestError where there is nothing to be had. */
  readonly fetch: (url: URL, etag: string | null, signal: AbortSignal) => Promise<FetchedManifest>
  readonly onChange: (manifest: ReadManifest) => void
}

const maxAgeMs = 600_000
const fetchMs = 8000

/** The last good copy of the remote catalog. One fetch at a time; what goes wrong with it changes nothing but what is told of it. */
export class RemoteCatalog {
  readonly #parts: RemoteParts
  readonly #stopping = new AbortController()
  #copy: CatalogCopy | null = null
  /** What of it is stored; a write may have failed. */
  #kept: CatalogCopy | null = null
  #check: CatalogCheck | null = null
  #refreshing: Promise<void> | undefined

  constructor(parts: RemoteParts) {
    this.#parts = parts
  }

  get check(): CatalogCheck | null {
    return this.#check
  }

  /** Takes up what an earlier process kept, read anew by this release. */
  async load(): Promise<void> {
    const {store, url, log, onChange} = this.#parts
    const kept = await readKept(store, url.href)
    this.#check = kept.check
    if (kept.copy === null) return
    const manifest = await readManifest(kept.copy.text).catch((error: unknown) => {
      log.warn('the kept copy of the catalog can not be read', {error: describeError(error)})
      return emptyManifest
    })
    if (manifest.entries.size === 0) return
    this.#copy = kept.copy
    this.#kept = kept.copy
    onChange(manifest)
  }

  // After a restart, too, a failed attempt counts; a clock that was set back does not.
  get isStale(): boolean {
    const ageMs = this.#check === null ? Infinity : this.#parts.clock.now() - Date.parse(this.#check.checkedAt)
    return ageMs >= maxAgeMs || ageMs < 0
  }

  /** Fetches, or joins the fetch that is under way. Never rejects. */
  refresh(): Promise<void> {
    if (this.#stopping.signal.aborted) return Promise.resolve()
    this.#refreshing ??= this.#attempt().finally(() => {
      this.#refreshing = undefined
    })
    return this.#refreshing
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the daemon stops'))
    await this.#refreshing
  }

  async #attempt(): Promise<void> {
    const {clock, fetch, url} = this.#parts
    const {signal} = this.#stopping
    let failure: unknown = null
    try {
      const answer = await withinDeadline({clock, limitMs: fetchMs, signal}, (ending) => fetch(url, this.#copy?.etag ?? null, ending))
      if (answer.kind === 'fetched') await this.#adopt(answer)
    } catch (error) {
      failure = error
    }
    if (signal.aborted) return
    this.#stamp(failure)
    await this.#keep()
  }

  async #adopt({text, etag}: CatalogCopy): Promise<void> {
    if (text !== this.#copy?.text) {
      const manifest = await readManifest(text)
      if (manifest.entries.size === 0) throw new ManifestError('holds no app that this release can use')
      this.#parts.onChange(manifest)
    } else if (etag === this.#copy.etag) return
    this.#copy = {text, etag}
  }

  #stamp(failure: unknown): void {
    const {clock, log, url} = this.#parts
    const now = toInstant(clock.now())
    const before = this.#check
    const message = failure === null ? null : `the source ${failure instanceof ManifestError || failure instanceof TimeoutError ? failure.message : 'can not be read'}`
    if (message !== null && message !== before?.failure?.message) log.warn('the catalog can not be fetched; what is there is served on', {reason: message, error: describeError(failure)})
    if (message === null && before?.failure != null) log.info('the catalog can be fetched again', {failedSince: before.failure.since})
    this.#check = {
      id: 'remote',
      url: url.href,
      fetchedAt: message === null ? now : (before?.fetchedAt ?? null),
      checkedAt: now,
      failure: message === null ? null : {message, since: before?.failure?.since ?? now},
    }
  }

  // What can not be kept is served all the same; the next attempt tries again.
  async #keep(): Promise<void> {
    const {store, log} = this.#parts
    const copy = this.#copy
    if (this.#check === null) return
    try {
      await keepCatalog(store, this.#check, copy === this.#kept ? null : copy)
      this.#kept = copy
    } catch (error) {
      log.warn('the fetched catalog could not be kept', {error: describeError(error)})
    }
  }
}
