import type {Clock} from '../clock.js'
import type {Store} from '../store/store.js'
import {AuditEntries} from './records.js'
import {getAuditSettings} from './settings.js'

const dayMs = 86_400_000
const batchSize = 500

/** Deletes what organizations keep no longer, in small transactions. Pruning goes on while recording is off. */
export async function pruneAudit(store: Store, clock: Clock, signal: AbortSignal): Promise<{orgsProcessed: number; totalPruned: number}> {
  const limits = new Map<string, number>()
  const expired: string[] = []
  for await (const entry of store.all(AuditEntries)) {
    signal.throwIfAborted()
    let limit = limits.get(entry.organizationId)
    if (limit === undefined) {
      limit = clock.now() - (await getAuditSettings(store, entry.organizationId)).retentionDays * dayMs
      limits.set(entry.organizationId, limit)
    }
    if (Date.parse(entry.createdAt) < limit) expired.push(entry.id)
  }
  for (let start = 0; start < expired.length; start += batchSize) {
    signal.throwIfAborted()
    const batch = expired.slice(start, start + batchSize)
    await store.transaction(async (transaction) => {
      for (const id of batch) await transaction.delete(AuditEntries, id)
    })
  }
  return {orgsProcessed: limits.size, totalPruned: expired.length}
}
