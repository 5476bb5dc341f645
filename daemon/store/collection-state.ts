import {Fault} from '../../src/contract/faults.js'
import type {Collection, Document, KeyPart} from './collection.js'
import type {CollectionView, WalkFrom} from './collection-view.js'
import {DocumentIndex} from './document-index.js'
import {comparePlaces, joinKey} from './index-key.js'

/** What a transaction does to a collection: the document as it is afterwards, or null where it is gone. */
export type Changes = ReadonlyMap<string, Document | null>

/** The durable documents of one collection and its indexes. */
export class CollectionState implements CollectionView {
  readonly documents: Map<string, Document>
  readonly indexes = new Map<string, DocumentIndex>()
  /** The last transaction that changed it. */
  changedAt = 0

  /** `version` is the collection's own, or what was found on disk of one that this program does not declare. */
  constructor(readonly name: string, readonly version: number, indexes: Collection['indexes'], documents: Map<string, Document>) {
    this.documents = documents
    for (const [index, definition] of Object.entries(indexes)) {
      this.indexes.set(index, new DocumentIndex(definition, () => documents.values()))
    }
  }

  index(name: string): DocumentIndex {
    const index = this.indexes.get(name)
    if (index === undefined) throw new Fault('INTERNAL', `the collection ${this.name} has no index ${name}`)
    return index
  }

  apply(changes: Changes, sequence: number): void {
    for (const [id, document] of changes) this.#set(id, document)
    this.changedAt = sequence
  }

  #set(id: string, document: Document | null): void {
    const before = this.documents.get(id)
    for (const index of this.indexes.values()) {
      if (before !== undefined) index.remove(before)
      if (document !== null) index.add(document)
    }
    if (document === null) this.documents.delete(id)
    else this.documents.set(id, document)
  }

  get(id: string): Document | undefined {
    return this.documents.get(id)
  }

  find(index: string, key: readonly KeyPart[]): Document[] {
    return this.index(index).bucket(joinKey(key)).slice()
  }

  count(index: string, key: readonly KeyPart[]): number {
    return this.index(index).count(joinKey(key))
  }

  walk(index: string, key: readonly KeyPart[], from: WalkFrom): Iterable<Document> {
    const found = this.index(index)
    return walkBucket(found, found.bucket(joinKey(key)), from)
  }

  all(): Iterable<Document> {
    return this.documents.values()
  }
}

/** Documents of a bucket from a place on, that one left out. */
export function* walkBucket(index: DocumentIndex, bucket: readonly Document[], from: WalkFrom): Generator<Document> {
  const {after, descending} = from
  if (descending) {
    for (let at = (after === undefined ? bucket.length : index.position(bucket, after)) - 1; at >= 0; at--) {
      const document = bucket[at]
      if (document !== undefined) yield document
    }
    return
  }
  let at = after === undefined ? 0 : index.position(bucket, after)
  const first = bucket[at]
  if (after !== undefined && first !== undefined && comparePlaces(index.placeOf(first), after) === 0) at++
  for (; at < bucket.length; at++) {
    const document = bucket[at]
    if (document !== undefined) yield document
  }
}
