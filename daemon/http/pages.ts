import {z} from 'zod'
import {invalidInput} from '../../src/contract/faults.js'
import type {PageInfo} from '../../src/contract/fields.js'
import type {Collection, Document, KeyPart} from '../store/collection.js'
import type {PageCursor, StoreReader} from '../store/store.js'

const CursorShape = z.tuple([z.union([z.string(), z.number(), z.boolean(), z.null()]), z.string()])

export function encodeCursor(cursor: PageCursor): string {
  return Buffer.from(JSON.stringify([cursor.order, cursor.id])).toString('base64url')
}

export function parseCursor(text: string): PageCursor {
  try {
    const [order, id] = CursorShape.parse(JSON.parse(Buffer.from(text, 'base64url').toString('utf8')))
    return {order, id}
  } catch (error) {
    throw Object.assign(invalidInput([{path: '/cursor', message: 'is not a cursor of this list'}]), {cause: error})
  }
}

export interface ListQuery {
  readonly limit: number
  readonly cursor?: string | undefined
  readonly page?: number | undefined
  readonly perPage?: number | undefined
}

export interface ListAnswer<T> {
  readonly data: T[]
  readonly pageInfo?: PageInfo
  readonly total?: number
  readonly page?: number
  readonly perPage?: number
}

export interface ListSource<T extends Document, I extends string> {
  readonly collection: Collection<T, I>
  readonly index: I
  readonly key: readonly KeyPart[]
  /** Access and filters: applied before the page is cut. */
  readonly where?: (document: T) => boolean
}

/** One page of a list, newest first: by cursor, or by number where `page` or `perPage` is given. */
export async function listPage<T extends Document, I extends string>(reader: StoreReader, source: ListSource<T, I>, query: ListQuery): Promise<ListAnswer<T>> {
  if (query.page !== undefined || query.perPage !== undefined) return numberedPage(reader, source, query.page ?? 1, query.perPage ?? 50)
  const after = query.cursor === undefined || query.cursor === '' ? undefined : parseCursor(query.cursor)
  const {where} = source
  const found = await reader.page(source.collection, source.index, source.key, {limit: query.limit, after, ...(where && {where})})
  const endCursor = found.hasNextPage && found.endCursor !== null ? encodeCursor(found.endCursor) : null
  return {data: found.items, pageInfo: {hasNextPage: found.hasNextPage, endCursor}}
}

async function numberedPage<T extends Document, I extends string>(
  reader: StoreReader,
  {collection, index, key, where}: ListSource<T, I>,
  page: number,
  perPage: number,
): Promise<ListAnswer<T>> {
  const all = (await reader.find(collection, index, key)).reverse()
  const visible = where === undefined ? all : all.filter(where)
  return {data: visible.slice((page - 1) * perPage, page * perPage), total: visible.length, page, perPage}
}
