import type {Collection, Document} from '../store/collection.js'
import type {Store, Transaction} from '../store/store.js'
import {CatalogChecks, CatalogCopies, type CatalogCheck} from './records.js'

export interface CatalogCopy {
  readonly etag: string | null
  /** The manifest as it came. */
  readonly text: string
}

export interface KeptCatalog {
  readonly copy: CatalogCopy | null
  readonly check: CatalogCheck | null
}

/** What was last fetched from an address, and how the last attempt went. Of another address nothing counts. */
export async function readKept(store: Store, url: string): Promise<KeptCatalog> {
  const [copy, check] = await Promise.all([store.get(CatalogCopies, 'remote'), store.get(CatalogChecks, 'remote')])
  return {copy: copy?.url === url ? copy : null, check: check?.url === url ? check : null}
}

/** Keeps the attempt, and the copy where there is a new one. */
export async function keepCatalog(store: Store, check: CatalogCheck, copy: CatalogCopy | null): Promise<void> {
  await store.transaction(async (transaction) => {
    if (copy !== null) await write(transaction, CatalogCopies, {id: 'remote', url: check.url, etag: copy.etag, text: copy.text})
    await write(transaction, CatalogChecks, check)
  })
}

async function write<T extends Document>(transaction: Transaction, collection: Collection<T>, document: T): Promise<void> {
  const isThere = (await transaction.get(collection, document.id)) !== undefined
  await (isThere ? transaction.put(collection, document) : transaction.insert(collection, document))
}
