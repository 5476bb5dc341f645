import type {Clock} from '../clock.js'
import type {OutputStore} from '../store/output.js'
import type {Store} from '../store/store.js'
import {Runs} from './records.js'

export interface PruneRunsParts {
  readonly store: Store
  readonly outputs: OutputStore
  readonly clock: Clock
  readonly keptDays?: number
  readonly keptPerJob?: number
}

const dayMs = 24 * 3600 * 1000
const batchSize = 100

interface Row {
  readonly id: string
  readonly createdAt: string
}

/** The work of `jobs:run-prune`: deletes runs that are too old or too many of one job, row and output together. */
export function createPruneRuns({store, outputs, clock, keptDays = 30, keptPerJob = 1000}: PruneRunsParts): (signal: AbortSignal) => Promise<{deleted: number}> {
  return async (signal) => {
    const oldest = new Date(clock.now() - keptDays * dayMs).toISOString()
    const surplus = findSurplus(await readEnded(store), oldest, keptPerJob)
    let deleted = 0
    for (let start = 0; start < surplus.length; start += batchSize) {
      signal.throwIfAborted()
      const batch = surplus.slice(start, start + batchSize)
      // Output first: a row without output is found again by the next pass, output without a row never.
      for (const id of batch) await outputs.remove(id)
      await store.transaction(async (transaction) => {
        for (const id of batch) if (await transaction.delete(Runs, id)) deleted += 1
      })
    }
    return {deleted}
  }
}

async function readEnded(store: Store): Promise<Map<string, Row[]>> {
  const rows = new Map<string, Row[]>()
  for await (const {id, jobKey, createdAt, active} of store.all(Runs)) {
    if (active) continue
    const list = rows.get(jobKey)
    if (list === undefined) rows.set(jobKey, [{id, createdAt}])
    else list.push({id, createdAt})
  }
  return rows
}

function findSurplus(rows: ReadonlyMap<string, Row[]>, oldest: string, keptPerJob: number): string[] {
  const surplus: string[] = []
  for (const list of rows.values()) {
    list.sort((a, b) => (a.createdAt < b.createdAt ? 1 : a.createdAt > b.createdAt ? -1 : 0))
    list.forEach((row, index) => {
      if (index >= keptPerJob || row.createdAt < oldest) surplus.push(row.id)
    })
  }
  return surplus
}
