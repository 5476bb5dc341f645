import type {Collection, Document, KeyPart} from './collection.js'

/** Where a page begins: the order value and id of the last document seen. */
export interface PageCursor {
  readonly order: KeyPart
  readonly id: string
}

export interface PageRequest<T> {
  readonly limit: number
  readonly after?: PageCursor | undefined
  /** Newest first is what lists want. Default true. */
  readonly descending?: boolean
  /** Documents it refuses are passed over before the page is cut. */
  readonly where?: (document: T) => boolean
}

export interface Page<T> {
  readonly items: T[]
  readonly hasNextPage: boolean
  readonly endCursor: PageCursor | null
}

/** Reading. Documents that come out are frozen in meaning: never change one, `put` a new one. */
export interface StoreReader {
  get<T extends Document>(collection: Collection<T>, id: string): Promise<T | undefined>
  /** All documents under a key of an index, in the order of the index. */
  find<T extends Document, I extends string>(collection: Collection<T, I>, index: I, key: readonly KeyPart[]): Promise<T[]>
  /** The first document under a key; what unique indexes are asked with. */
  findOne<T extends Document, I extends string>(collection: Collection<T, I>, index: I, key: readonly KeyPart[]): Promise<T | undefined>
  page<T extends Document, I extends string>(collection: Collection<T, I>, index: I, key: readonly KeyPart[], request: PageRequest<T>): Promise<Page<T>>
  count<T extends Document, I extends string>(collection: Collection<T, I>, index: I, key: readonly KeyPart[]): Promise<number>
  /** Every document, in no order. For work at start and for retention. */
  all<T extends Document>(collection: Collection<T>): AsyncIterable<T>
}

/** Reads see what this transaction wrote. Nothing is visible outside before the commit is durable. Only store calls may be awaited inside. */
export interface Transaction extends StoreReader {
  /** Throws CONFLICT where the id or a unique key is taken. */
  insert<T extends Document>(collection: Collection<T>, document: T): Promise<void>
  /** Replaces a document that is there; throws NOT_FOUND where it is not, CONFLICT where a unique key is taken. */
  put<T extends Document>(collection: Collection<T>, document: T): Promise<void>
  /** Answers whether there was one. */
  delete<T extends Document>(collection: Collection<T>, id: string): Promise<boolean>
}

export interface StoreStatus {
  readonly engine: string
  readonly state: 'ok' | 'full' | 'failed'
  readonly message: string | null
}

/**
 * The one interface of both engines. A transaction's promise settles after its changes are on disk; transactions run one after another,
 * so what one has read is still so when it commits. A failed write (STORE_FULL, INTERNAL) leaves everything as it was.
 */
export interface Store extends StoreReader {
  transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>
  /** Calls back after each durable commit with the names of the collections it changed; the answer stops it. */
  onCommit(listener: (changed: ReadonlySet<string>) => void): () => void
  status(): StoreStatus
  close(): Promise<void>
}
