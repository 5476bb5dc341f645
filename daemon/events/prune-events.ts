import type {Clock} from '../clock.js'
import type {Store} from '../store/store.js'
import {EventPositions, Events} from './records.js'

const keptMs = 7 * 86_400_000
const batchSize = 500

/** Deletes events that every reader has had and that are older than a week. */
export async function pruneEvents(store: Store, clock: Clock, signal: AbortSignal): Promise<{deleted: number}> {
  const oldest = await oldestPosition(store)
  const limit = new Date(clock.now() - keptMs).toISOString()
  let deleted = 0
  for (;;) {
    signal.throwIfAborted()
    const {items} = await store.page(Events, 'position', ['all'], {limit: batchSize, descending: false})
    const expired = items.filter((event) => event.position <= oldest && event.occurredAt < limit)
    if (expired.length === 0) return {deleted}
    await store.transaction(async (transaction) => {
      for (const event of expired) await transaction.delete(Events, event.id)
    })
    deleted += expired.length
  }
}

// How far the slowest reader came.
async function oldestPosition(store: Store): Promise<number> {
  let oldest = Number.POSITIVE_INFINITY
  for await (const reader of store.all(EventPositions)) if (reader.id !== 'head') oldest = Math.min(oldest, reader.position)
  return oldest
}
