import type {Document, IndexDefinition, KeyPart} from './collection.js'
import {compareDocuments, compareToPlace, fieldOf, keyOf, orderField, type Place} from './index-key.js'

const none: readonly Document[] = []

/**
 * Documents by key, sorted under each key. A key with one document holds it without an array: most keys of unique indexes, and of
 * large collections, have one, and an array each would cost more than the document's own fields.
 */
export class DocumentIndex {
  #filled: Map<KeyPart, Document | Document[]> | undefined
  readonly #orderBy: string

  /** Nothing is read from the source before the first question: a large history is not to be sorted five ways before the start. */
  constructor(readonly definition: IndexDefinition, private readonly source: () => Iterable<Document>) {
    this.#orderBy = orderField(definition)
  }

  get #buckets(): Map<KeyPart, Document | Document[]> {
    return this.#filled ?? this.#fill()
  }

  keyOf(document: Document): KeyPart | undefined {
    return keyOf(this.definition, document)
  }

  placeOf(document: Document): Place {
    return {order: fieldOf(document, this.#orderBy), id: document.id}
  }

  /** Throws where the document can not be in this index: later, when it is durable, would be too late. */
  verify(document: Document): void {
    this.keyOf(document)
    fieldOf(document, this.#orderBy)
  }

  compare(left: Document, right: Document): number {
    return compareDocuments(this.#orderBy, left, right)
  }

  bucket(key: KeyPart): readonly Document[] {
    const found = this.#buckets.get(key)
    if (found === undefined) return none
    return Array.isArray(found) ? found : [found]
  }

  count(key: KeyPart): number {
    const found = this.#buckets.get(key)
    if (found === undefined) return 0
    return Array.isArray(found) ? found.length : 1
  }

  /** Documents that come before the first question are in the source by then. */
  add(document: Document): void {
    if (this.#filled === undefined) return
    const key = this.keyOf(document)
    if (key === undefined) return
    const found = this.#buckets.get(key)
    if (found === undefined) this.#buckets.set(key, document)
    else if (Array.isArray(found)) this.#insert(found, document)
    else this.#buckets.set(key, this.compare(found, document) < 0 ? [found, document] : [document, found])
  }

  #insert(bucket: Document[], document: Document): void {
    const at = this.position(bucket, this.placeOf(document))
    if (at === bucket.length) bucket.push(document)
    else bucket.splice(at, 0, document)
  }

  remove(document: Document): void {
    if (this.#filled === undefined) return
    const key = this.keyOf(document)
    if (key === undefined) return
    const found = this.#buckets.get(key)
    if (found === undefined) return
    if (!Array.isArray(found)) {
      if (found.id === document.id) this.#buckets.delete(key)
      return
    }
    const at = this.position(found, this.placeOf(document))
    if (found[at]?.id !== document.id) return
    found.splice(at, 1)
    const [last] = found
    if (found.length === 1 && last !== undefined) this.#buckets.set(key, last)
  }

  /** Appends, then sorts what did not come in order. */
  #fill(): Map<KeyPart, Document | Document[]> {
    const buckets = new Map<KeyPart, Document | Document[]>()
    const unsorted = new Set<Document[]>()
    for (const document of this.source()) {
      const key = this.keyOf(document)
      if (key === undefined) continue
      const found = buckets.get(key)
      if (found === undefined) buckets.set(key, document)
      else {
        const bucket = Array.isArray(found) ? found : [found]
        const last = bucket[bucket.length - 1]
        if (last !== undefined && this.compare(last, document) > 0) unsorted.add(bucket)
        bucket.push(document)
        if (bucket !== found) buckets.set(key, bucket)
      }
    }
    for (const bucket of unsorted) bucket.sort((left, right) => this.compare(left, right))
    this.#filled = buckets
    return buckets
  }

  /** Where a place is or would be: the first position whose place is not before it. */
  position(bucket: readonly Document[], place: Place): number {
    const last = bucket[bucket.length - 1]
    if (last === undefined || compareToPlace(this.#orderBy, last, place) < 0) return bucket.length
    let low = 0
    let high = bucket.length - 1
    while (low < high) {
      const middle = (low + high) >>> 1
      const document = bucket[middle]
      if (document !== undefined && compareToPlace(this.#orderBy, document, place) < 0) low = middle + 1
      else high = middle
    }
    return low
  }

  /** Keys that more than one document has; what a unique index must not show. */
  *crowded(): Generator<readonly Document[]> {
    for (const bucket of this.#buckets.values()) {
      if (Array.isArray(bucket) && bucket.length > 1) yield bucket
    }
  }
}
