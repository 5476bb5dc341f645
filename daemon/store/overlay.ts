import type {Document, KeyPart} from './collection.js'
import {walkBucket, type CollectionState} from './collection-state.js'
import type {CollectionView, WalkFrom} from './collection-view.js'
import {DocumentIndex} from './document-index.js'
import {joinKey} from './index-key.js'

interface Entry {
  readonly document: Document | null
  /** The transaction that wrote it last. */
  readonly owner: object
}

/** What transactions wrote to a collection and is not durable yet, seen over what is. */
export class Overlay implements CollectionView {
  readonly #entries = new Map<string, Entry>()
  /** Indexes over the entries, made when first asked for and kept until there are no entries: most transactions ask for none. */
  readonly #live = new Map<string, DocumentIndex>()

  constructor(readonly base: CollectionState) {}

  /** Answers what takes this write back. */
  write(id: string, document: Document | null, owner: object): () => void {
    const before = this.#entries.get(id)
    this.#replace(id, {document, owner})
    return () => this.#replace(id, before)
  }

  /** Forgets what an owner wrote, where nobody wrote later: the base has it now. */
  settle(ids: Iterable<string>, owner: object): void {
    for (const id of ids) {
      if (this.#entries.get(id)?.owner === owner) this.#replace(id, undefined)
    }
  }

  clear(): void {
    for (const id of [...this.#entries.keys()]) this.#replace(id, undefined)
  }

  #replace(id: string, entry: Entry | undefined): void {
    const before = this.#entries.get(id)?.document ?? null
    const document = entry?.document ?? null
    for (const index of this.#live.values()) {
      if (before !== null) index.remove(before)
      if (document !== null) index.add(document)
    }
    if (entry === undefined) this.#entries.delete(id)
    else this.#entries.set(id, entry)
    if (this.#entries.size === 0) this.#live.clear()
  }

  #liveBucket(name: string, key: KeyPart): readonly Document[] {
    if (this.#entries.size === 0) return []
    const known = this.#live.get(name)
    if (known !== undefined) return known.bucket(key)
    const index = new DocumentIndex(this.base.index(name).definition, () => this.#documents())
    this.#live.set(name, index)
    return index.bucket(key)
  }

  *#documents(): Generator<Document> {
    for (const {document} of this.#entries.values()) if (document !== null) yield document
  }

  get(id: string): Document | undefined {
    const entry = this.#entries.get(id)
    return entry === undefined ? this.base.get(id) : (entry.document ?? undefined)
  }

  find(index: string, key: readonly KeyPart[]): Document[] {
    if (this.#entries.size === 0) return this.base.find(index, key)
    return [...this.walk(index, key, {after: undefined, descending: false})]
  }

  /** Another document that has the key of this one in a unique index. */
  rival(index: DocumentIndex, name: string, document: Document): Document | undefined {
    const key = index.keyOf(document)
    if (key === undefined) return undefined
    const isRival = (other: Document) => other.id !== document.id
    return (
      this.#liveBucket(name, key).find(isRival) ?? index.bucket(key).find(other => isRival(other) && !this.#entries.has(other.id))
    )
  }

  count(index: string, key: readonly KeyPart[]): number {
    const base = this.base.index(index)
    const joined = joinKey(key)
    let count = base.count(joined)
    for (const [id, {document}] of this.#entries) {
      const before = this.base.get(id)
      if (before !== undefined && base.keyOf(before) === joined) count--
      if (document !== null && base.keyOf(document) === joined) count++
    }
    return count
  }

  *walk(index: string, key: readonly KeyPart[], from: WalkFrom): Generator<Document> {
    const base = this.base.index(index)
    const joined = joinKey(key)
    const written = walkBucket(base, this.#liveBucket(index, joined), from)
    let next = written.next()
    for (const document of walkBucket(base, base.bucket(joined), from)) {
      if (this.#entries.has(document.id)) continue
      while (!next.done && base.compare(next.value, document) < 0 !== from.descending) {
        yield next.value
        next = written.next()
      }
      yield document
    }
    while (!next.done) {
      yield next.value
      next = written.next()
    }
  }

  *all(): Generator<Document> {
    // Ids first: what becomes durable meanwhile moves from the entries to the base and must be met once.
    for (const id of new Set([...this.base.documents.keys(), ...this.#entries.keys()])) {
      const document = this.get(id)
      if (document !== undefined) yield document
    }
  }
}
