import {setImmediate} from 'node:timers/promises'
import type {Collection, Document} from './collection.js'
import type {Store} from './store.js'

export interface PruneOptions<T> {
  /** Whether a document has served its time; asked again in the transaction that deletes it. */
  readonly isExpired: (document: T) => boolean
  /** Told after each durable batch what is gone, for what hangs on it, such as stored output. */
  readonly onDeleted?: (documents: readonly T[]) => Promise<void>
  /** Documents a transaction; 200 unless given, so that others have their turn. */
  readonly batchSize?: number
  readonly signal: AbortSignal
}

/** Deletes what has expired, in small transactions; answers how many documents that were. */
export async function pruneWhere<T extends Document>(store: Store, collection: Collection<T>, options: PruneOptions<T>): Promise<number> {
  const {isExpired, batchSize = 200, signal} = options
  let deleted = 0
  let batch: string[] = []
  const flush = async () => {
    deleted += await deleteBatch(store, collection, batch, options)
    batch = []
    await setImmediate()
  }
  for await (const document of store.all(collection)) {
    signal.throwIfAborted()
    if (isExpired(document)) batch.push(document.id)
    if (batch.length >= batchSize) await flush()
  }
  if (batch.length > 0) await flush()
  return deleted
}

async function deleteBatch<T extends Document>(store: Store, collection: Collection<T>, ids: readonly string[], options: PruneOptions<T>): Promise<number> {
  const gone = await store.transaction(async transaction => {
    const documents: T[] = []
    for (const id of ids) {
      const document = await transaction.get(collection, id)
      // It may have changed since it was looked at.
      if (document === undefined || !options.isExpired(document)) continue
      await transaction.delete(collection, id)
      documents.push(document)
    }
    return documents
  })
  if (gone.length > 0) await options.onDeleted?.(gone)
  return gone.length
}

/** Expired where an instant in a field lies before another; never where it is null. */
export function olderThan<T extends Document>(field: keyof T & string, before: string): (document: T) => boolean {
  return document => {
    const instant = document[field]
    return typeof instant === 'string' && instant < before
  }
}
