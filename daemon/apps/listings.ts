import type {Catalog, Curated} from './catalog.js'
import type {CustomApp, CustomAppReader} from './custom-apps.js'
import type {CatalogItem} from './judge.js'
import {toEntry} from './list-entry.js'
import {toListed, type Listed} from './search.js'

interface CustomList {
  readonly curated: Curated
  readonly listed: readonly Listed[]
}

/** The lists that requests search in: built when the catalog or the uploads change, not for each request. */
export class Listings {
  readonly #catalog: Pick<Catalog, 'current'>
  readonly #customApps: CustomAppReader
  // Kept for as long as what they were made of is.
  readonly #curated = new WeakMap<Curated, readonly Listed[]>()
  readonly #custom = new WeakMap<readonly CustomApp[], CustomList>()

  constructor(catalog: Pick<Catalog, 'current'>, customApps: CustomAppReader) {
    this.#catalog = catalog
    this.#customApps = customApps
  }

  /** What anybody may see. */
  async ofAnybody(): Promise<readonly Listed[]> {
    return this.#listCurated(await this.#catalog.current())
  }

  /** Curated apps, then those that the organization uploaded. */
  async of(organizationId: string): Promise<readonly Listed[]> {
    const curated = await this.#catalog.current()
    const uploads = await this.#customApps.of(organizationId)
    const listed = this.#listCurated(curated)
    return uploads.length === 0 ? listed : this.#withCustom(curated, uploads)
  }

  #listCurated(curated: Curated): readonly Listed[] {
    const known = this.#curated.get(curated)
    if (known !== undefined) return known
    const listed = curated.items.filter(isShown).map((item) => toListed(toEntry(item, false)))
    this.#curated.set(curated, listed)
    return listed
  }

  #withCustom(curated: Curated, uploads: readonly CustomApp[]): readonly Listed[] {
    const known = this.#custom.get(uploads)
    if (known?.curated === curated) return known.listed
    // A curated app wins, even where it came later.
    const shown = uploads.flatMap(({item}) => (item === null || curated.hasId(item.definition.id) ? [] : [toListed(toEntry(item, true))]))
    const listed = [...this.#listCurated(curated), ...shown]
    this.#custom.set(uploads, {curated, listed})
    return listed
  }
}

function isShown({definition}: CatalogItem): boolean {
  return definition.unlisted !== true
}
