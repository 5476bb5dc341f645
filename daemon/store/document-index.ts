import type {Document, IndexDefinition, KeyPart} from './collection.js'
import {comparePlaces, keyOf, orderOf, type Place} from './index-key.js'

const none: readonly Document[] = []

/**
 * Documents by key, sorted under each key. A key with one document holds it without an array: most keys of unique indexes, and of
 * large collections, have one, and an array each would cost more than the document's own fields.
 */
export class DocumentIndex {
  readonly #buckets = new Map<KeyPart, Document | Document[]>()

  constructor(readonly definition: IndexDefinition) {}

  keyOf(document: Document): KeyPart | undefined {
    return keyOf(this.definition, document)
  }

  placeOf(document: Document): Place {
    return {order: orderOf(this.definition, document), id: document.id}
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

  add(document: Document): void {
    const key = this.keyOf(document)
    if (key === undefined) return
    const found = this.#buckets.get(key)
    if (found === undefined) this.#buckets.set(key, document)
    else if (Array.isArray(found)) this.#insert(found, document)
    else this.#buckets.set(key, comparePlaces(this.placeOf(found), this.placeOf(document)) < 0 ? [found, document] : [document, found])
  }

  #insert(bucket: Document[], document: Document): void {
    const at = this.position(bucket, this.placeOf(document))
    if (at === bucket.length) bucket.push(document)
    else bucket.splice(at, 0, document)
  }

  remove(document: Document): void {
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

  /** Adds many at once: appends, then sorts what did not arrive in order. */
  fill(documents: Iterable<Document>): void {
    const unsorted = new Set<Document[]>()
    for (const document of documents) {
      const key = this.keyOf(document)
      if (key === undefined) continue
      const found = this.#buckets.get(key)
      if (found === undefined) this.#buckets.set(key, document)
      else this.#append(key, found, document, unsorted)
    }
    for (const bucket of unsorted) bucket.sort((left, right) => comparePlaces(this.placeOf(left), this.placeOf(right)))
  }

  #append(key: KeyPart, found: Document | Document[], document: Document, unsorted: Set<Document[]>): void {
    const bucket = Array.isArray(found) ? found : [found]
    const last = bucket.at(-1)
    if (last !== undefined && comparePlaces(this.placeOf(last), this.placeOf(document)) > 0) unsorted.add(bucket)
    bucket.push(document)
    if (bucket !== found) this.#buckets.set(key, bucket)
  }

  /** Where a place is or would be: the first position whose place is not before it. */
  position(bucket: readonly Document[], place: Place): number {
    const last = bucket.at(-1)
    if (last === undefined || comparePlaces(this.placeOf(last), place) < 0) return bucket.length
    let low = 0
    let high = bucket.length - 1
    while (low < high) {
      const middle = (low + high) >>> 1
      const document = bucket[middle]
      if (document !== undefined && comparePlaces(this.placeOf(document), place) < 0) low = middle + 1
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
