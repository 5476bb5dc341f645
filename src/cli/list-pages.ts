import type {PageInfo} from '../contract/fields.js'

export interface ListFlags {
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
  readonly all?: boolean | undefined
}

/** What a list command gives `--json`. */
export interface ListResult<T> {
  readonly items: T[]
  /** Where the next page begins; null at the end. */
  readonly next: string | null
}

interface Page<T> {
  readonly data: T[]
  readonly pageInfo?: PageInfo | undefined
}

const defaultLimit = 50

/** As many rows as were asked for, over as many pages as that takes. One page after the other: each begins where the last ended. */
export async function collectPages<T>(
  flags: ListFlags,
  fetchPage: (query: {limit: number; cursor: string | undefined}) => Promise<Page<T>>,
  largestPage = 200,
): Promise<ListResult<T>> {
  const wanted = flags.all === true ? Number.POSITIVE_INFINITY : (flags.limit ?? defaultLimit)
  const items: T[] = []
  let cursor = flags.cursor
  for (;;) {
    const page = await fetchPage({limit: Math.min(largestPage, wanted - items.length), cursor})
    items.push(...page.data)
    const next = page.pageInfo?.hasNextPage === true ? page.pageInfo.endCursor : null
    if (next === null || items.length >= wanted) return {items, next}
    cursor = next
  }
}

/** A list that the API answers whole, cut to what was asked for. */
export function cutList<T>(rows: readonly T[], flags: Omit<ListFlags, 'cursor'>): ListResult<T> {
  return {items: flags.limit === undefined || flags.all === true ? [...rows] : rows.slice(0, flags.limit), next: null}
}
