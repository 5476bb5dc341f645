import {Fault} from '../../src/contract/faults.js'
import type {Collection, Document} from './collection.js'
import {ViewReader} from './collection-view.js'
import type {Overlay} from './overlay.js'
import type {Transaction} from './store.js'
import type {TextPool} from './text-pool.js'

export interface TransactionScope {
  overlayOf(collection: Collection): Overlay
  /** Throws where the transaction can not go on. */
  check(): void
  readonly texts: TextPool
}

interface Write {
  readonly document: Document | null
  /** The document as JSON; empty for a deletion. */
  readonly text: string
}

/** A transaction while its work runs. Its writes are in the overlays at once, so that its reads see them. */
export class OpenTransaction extends ViewReader implements Transaction {
  readonly #scope: TransactionScope
  readonly #writes = new Map<string, Map<string, Write>>()
  readonly #undo: (() => void)[] = []
  #ended = false

  constructor(scope: TransactionScope) {
    super(collection => this.#overlay(collection))
    this.#scope = scope
  }

  async insert<T extends Document>(collection: Collection<T>, document: T): Promise<void> {
    const overlay = this.#overlay(collection)
    if (overlay.get(document.id) !== undefined) throw conflict(collection, document.id, null)
    this.#write(collection, overlay, document)
  }

  async put<T extends Document>(collection: Collection<T>, document: T): Promise<void> {
    const overlay = this.#overlay(collection)
    if (overlay.get(document.id) === undefined) throw new Fault('NOT_FOUND', `${collection.name} has no ${document.id}`)
    this.#write(collection, overlay, document)
  }

  async delete<T extends Document>(collection: Collection<T>, id: string): Promise<boolean> {
    const overlay = this.#overlay(collection)
    if (overlay.get(id) === undefined) return false
    this.#record(collection, overlay, id, {document: null, text: ''})
    return true
  }

  #write(collection: Collection, overlay: Overlay, document: Document): void {
    const text = JSON.stringify(parsed(collection, document))
    // Through JSON, so that memory holds what a restart would read, and nothing that the caller can still change.
    const stored = JSON.parse(text) as Document
    this.#scope.texts.share(stored)
    for (const [name, index] of overlay.base.indexes) {
      index.verify(stored)
      if (index.definition.unique !== true) continue
      const rival = overlay.rival(index, name, stored)
      if (rival !== undefined) throw conflict(collection, rival.id, name)
    }
    this.#record(collection, overlay, stored.id, {document: stored, text})
  }

  #record(collection: Collection, overlay: Overlay, id: string, write: Write): void {
    this.#undo.push(overlay.write(id, write.document, this))
    const writes = this.#writes.get(collection.name)
    if (writes === undefined) this.#writes.set(collection.name, new Map([[id, write]]))
    else writes.set(id, write)
  }

  #overlay(collection: Collection): Overlay {
    if (this.#ended) throw new Fault('INTERNAL', 'a transaction was used after its end')
    this.#scope.check()
    return this.#scope.overlayOf(collection)
  }

  end(): void {
    this.#ended = true
  }

  rollBack(): void {
    for (const undo of this.#undo.reverse()) undo()
  }

  /** What was changed, by collection; empty where nothing was. */
  changes(): Map<string, Map<string, Document | null>> {
    const changes = new Map<string, Map<string, Document | null>>()
    for (const [name, writes] of this.#writes) {
      changes.set(name, new Map([...writes].map(([id, {document}]) => [id, document])))
    }
    return changes
  }

  /** The same as the journal has it. */
  toJson(sequence: number): string {
    const collections = [...this.#writes].map(([name, writes]) => {
      const put: string[] = []
      const gone: string[] = []
      for (const [id, {document, text}] of writes) document === null ? gone.push(id) : put.push(text)
      return `${JSON.stringify(name)}:{"put":[${put.join(',')}],"delete":${JSON.stringify(gone)}}`
    })
    return `{"sequence":${sequence},"changes":{${collections.join(',')}}}`
  }
}

function parsed(collection: Collection, document: Document): Document {
  const result = collection.schema.safeParse(document)
  if (result.success) return result.data
  const [issue] = result.error.issues
  throw new Fault('INTERNAL', `${collection.name} ${document.id} does not fit its schema at /${issue?.path.join('/') ?? ''}`, {cause: result.error})
}

function conflict(collection: Collection, id: string, index: string | null): Fault {
  const message = index === null ? `${collection.name} has ${id} already` : `${collection.name} has another with this ${index}: ${id}`
  return new Fault('CONFLICT', message, {details: {collection: collection.name, index, id}})
}
