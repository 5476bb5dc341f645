import {setImmediate} from 'node:timers/promises'
import type {Collection, Document, KeyPart} from './collection.js'
import {orderOf, type Place} from './index-key.js'
import type {Page, PageRequest, StoreReader} from './store.js'

export interface WalkFrom {
  readonly after: Place | undefined
  readonly descending: boolean
}

/** One collection as somebody may see it: what is durable, or that and what a transaction wrote. */
export interface CollectionView {
  get(id: string): Document | undefined
  find(index: string, key: readonly KeyPart[]): Document[]
  count(index: string, key: readonly KeyPart[]): number
  walk(index: string, key: readonly KeyPart[], from: WalkFrom): Iterable<Document>
  all(): Iterable<Document>
}

// A pass over a large collection lets others have their turn this often.
const documentsATurn = 1000

/** The reading half of the store over views. `viewOf` throws where reading is not allowed any more. */
export class ViewReader implements StoreReader {
  constructor(protected readonly viewOf: (collection: Collection) => CollectionView) {}

  async get<T extends Document>(collection: Collection<T>, id: string): Promise<T | undefined> {
    return this.viewOf(collection).get(id) as T | undefined
  }

  async find<T extends Document, I extends string>(collection: Collection<T, I>, index: I, key: readonly KeyPart[]): Promise<T[]> {
    return this.viewOf(collection).find(index, key) as T[]
  }

  async findOne<T extends Document, I extends string>(collection: Collection<T, I>, index: I, key: readonly KeyPart[]): Promise<T | undefined> {
    for (const document of this.viewOf(collection).walk(index, key, {after: undefined, descending: false})) return document as T
    return undefined
  }

  async page<T extends Document, I extends string>(
    collection: Collection<T, I>,
    index: I,
    key: readonly KeyPart[],
    request: PageRequest<T>,
  ): Promise<Page<T>> {
    const {limit, after, descending = true, where} = request
    const items: T[] = []
    let hasNextPage = false
    for (const found of this.viewOf(collection).walk(index, key, {after, descending})) {
      const document = found as T
      if (where !== undefined && !where(document)) continue
      hasNextPage = items.length === limit
      if (hasNextPage) break
      items.push(document)
    }
    const last = items.at(-1)
    const order = last === undefined ? null : placeOrder(collection, index, last)
    return {items, hasNextPage, endCursor: last === undefined ? null : {order, id: last.id}}
  }

  async count<T extends Document, I extends string>(collection: Collection<T, I>, index: I, key: readonly KeyPart[]): Promise<number> {
    return this.viewOf(collection).count(index, key)
  }

  async *all<T extends Document>(collection: Collection<T>): AsyncIterable<T> {
    let passed = 0
    for (const document of this.viewOf(collection).all()) {
      yield document as T
      if (++passed % documentsATurn === 0) await setImmediate()
    }
  }
}

function placeOrder<I extends string>(collection: Collection<Document, I>, index: I, document: Document): KeyPart {
  return orderOf(collection.indexes[index], document)
}
