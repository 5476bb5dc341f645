import {withoutQuery} from '../../src/client/transport-fault.js'
import type {CatalogSource} from '../../src/contract/apps.js'
import {describeError} from '../log.js'
import type {CatalogItem} from './judge.js'
import {emptyManifest, readManifest, type ReadManifest} from './read-manifest.js'
import {RemoteCatalog, type RemoteParts} from './remote-catalog.js'
import {resolveCatalog} from './resolve-catalog.js'

export interface CatalogParts extends Omit<RemoteParts, 'url' | 'onChange'> {
  /** The release that definitions are held against. */
  readonly engine: string
  readonly readBundled: () => Promise<string>
  /** Where the remote catalog is; null where there is none. */
  readonly url: URL | null
}

/** The curated apps at one moment. */
export interface Curated {
  readonly items: readonly CatalogItem[]
  find(id: string): CatalogItem | undefined
  /** Whether an app has this id, upper and lower case being one. */
  hasId(id: string): boolean
  /** That id as the app writes it. */
  idLike(id: string): string | undefined
}

const mostSkipped = 100

/** The bundled apps and those of the remote source. Reading never waits for the network: what is there is served while one fetch is under way. */
export class Catalog {
  readonly #parts: CatalogParts
  readonly #remote: RemoteCatalog | null
  #loading: Promise<void> | undefined
  #bundled: ReadManifest = emptyManifest
  #fetched: ReadManifest | null = null
  #curated: Curated = toCurated([])

  constructor(parts: CatalogParts) {
    this.#parts = parts
    this.#remote = parts.url === null ? null : new RemoteCatalog({...parts, url: parts.url, onChange: (manifest) => this.#adopt(manifest)})
  }

  /** What is there now; a stale copy is fetched anew meanwhile. */
  async current(): Promise<Curated> {
    await this.#load()
    if (this.#remote?.isStale === true) void this.#remote.refresh()
    return this.#curated
  }

  async source(): Promise<CatalogSource> {
    await this.current()
    return this.#describe()
  }

  /** Waits for a fetch. A source that can not be read is told of and no failure. */
  async refresh(): Promise<CatalogSource> {
    await this.#load()
    await this.#remote?.refresh()
    return this.#describe()
  }

  async stop(): Promise<void> {
    await this.#remote?.stop()
  }

  // Nothing is read before somebody asks. What could not be read is tried again.
  #load(): Promise<void> {
    this.#loading ??= this.#readEverything().catch((error: unknown) => {
      this.#loading = undefined
      throw error
    })
    return this.#loading
  }

  async #readEverything(): Promise<void> {
    this.#bundled = await this.#readBundled()
    this.#resolve()
    await this.#remote?.load()
  }

  async #readBundled(): Promise<ReadManifest> {
    const {log, readBundled} = this.#parts
    try {
      const manifest = await readManifest(await readBundled())
      this.#warnOfSkipped('bundled', manifest)
      return manifest
    } catch (error) {
      log.warn('the bundled catalog can not be read', {error: describeError(error)})
      return emptyManifest
    }
  }

  #adopt(manifest: ReadManifest): void {
    this.#warnOfSkipped('remote', manifest)
    this.#fetched = manifest
    this.#resolve()
  }

  #resolve(): void {
    this.#curated = toCurated(resolveCatalog(this.#bundled, this.#fetched ?? emptyManifest, this.#parts.engine))
  }

  #warnOfSkipped(catalog: 'bundled' | 'remote', {skipped}: ReadManifest): void {
    const [first] = skipped
    if (first === undefined) return
    this.#parts.log.warn('definitions that this release can not use are left out', {catalog, count: skipped.length, first: `${first.id ?? 'without id'}: ${first.reason}`})
  }

  #describe(): CatalogSource {
    const {url} = this.#parts
    const check = this.#remote?.check ?? null
    const skipped = [...this.#bundled.skipped, ...(this.#fetched?.skipped ?? [])]
    return {
      origin: this.#fetched === null ? 'bundled' : 'remote',
      url: url === null ? null : withoutQuery(url),
      apps: this.#curated.items.length,
      fetchedAt: this.#fetched === null ? null : (check?.fetchedAt ?? null),
      checkedAt: check?.checkedAt ?? null,
      failure: check?.failure ?? null,
      skipped: skipped.slice(0, mostSkipped).map(({id, reason}) => ({id, reason})),
    }
  }
}

function toCurated(items: readonly CatalogItem[]): Curated {
  const byId = new Map(items.map((item) => [item.definition.id, item]))
  const ids = new Map([...byId.keys()].map((id) => [toIdKey(id), id]))
  return {items, find: (id) => byId.get(id), hasId: (id) => ids.has(toIdKey(id)), idLike: (id) => ids.get(toIdKey(id))}
}

/** Ids that differ only in case are one. */
export function toIdKey(id: string): string {
  return id.toLowerCase()
}
