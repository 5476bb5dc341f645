import type {RunStatus} from '../../src/contract/run.js'
import type {PageInfo} from '../../src/contract/fields.js'
import {encodeCursor, parseCursor} from '../http/pages.js'
import type {PageCursor, StoreReader} from '../store/store.js'
import {Runs, type RunRecord} from './records.js'
import type {RunFilter} from './run-access.js'

export interface RunQuery {
  readonly limit: number
  readonly cursor?: string | undefined
  readonly status?: RunStatus | undefined
  readonly jobKey?: string | undefined
}

export interface RunPage {
  readonly items: RunRecord[]
  readonly pageInfo: PageInfo
}

/** Runs an organization sees, its own and those of system jobs, newest first. */
export async function listRuns(reader: StoreReader, organizationId: string, covers: RunFilter, query: RunQuery): Promise<RunPage> {
  const after = query.cursor === undefined || query.cursor === '' ? undefined : parseCursor(query.cursor)
  const where = (run: RunRecord) => (query.status === undefined || run.status === query.status) && covers(run)
  const request = {limit: query.limit, after, where}
  if (query.jobKey !== undefined) return toPage([await reader.page(Runs, 'job', [query.jobKey], request)], query.limit)
  const own = await reader.page(Runs, 'organization', [organizationId], request)
  const system = await reader.page(Runs, 'organization', [null], request)
  return toPage([own, system], query.limit)
}

function toPage(pages: readonly {items: RunRecord[]; hasNextPage: boolean}[], limit: number): RunPage {
  const merged = pages.flatMap((page) => page.items).sort(compareNewestFirst)
  const items = merged.slice(0, limit)
  const last = items.at(-1)
  const hasNextPage = last !== undefined && (merged.length > limit || pages.some((page) => page.hasNextPage))
  const cursor: PageCursor | undefined = last && {order: last.createdAt, id: last.id}
  return {items, pageInfo: {hasNextPage, endCursor: hasNextPage && cursor !== undefined ? encodeCursor(cursor) : null}}
}

function compareNewestFirst(a: RunRecord, b: RunRecord): number {
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? 1 : -1
  return a.id < b.id ? 1 : a.id > b.id ? -1 : 0
}
