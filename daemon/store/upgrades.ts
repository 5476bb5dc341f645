import {Fault} from '../../src/contract/faults.js'
import type {Collection, Document} from './collection.js'
import {damaged} from './store-files.js'

export type Upgrade = (document: Document, offset: number) => Document

/** Brings documents of older versions to the present one, and notes which collections had any. */
export class Upgrades {
  /** Collections in which older documents were met. */
  readonly met = new Set<string>()

  constructor(private readonly collections: ReadonlyMap<string, Collection>) {}

  /** What to do with the documents of one file; undefined where they are of the present version. */
  from(name: string, version: number, file: string, release: string | null): Upgrade | undefined {
    const collection = this.collections.get(name)
    if (collection === undefined || collection.version === version) return undefined
    if (version > collection.version) throw tooNew(collection, version, release)
    this.met.add(name)
    return (document, offset) => upgrade(collection, version, document, file, offset)
  }
}

function tooNew(collection: Collection, version: number, release: string | null): Fault {
  const use = release === null ? 'a newer release' : `release ${release} or newer`
  return new Fault(
    'STORE_TOO_NEW',
    `the store holds ${collection.name} of version ${version}, this release knows versions up to ${collection.version}: start ${use}`,
    {details: {collection: collection.name, found: version, known: collection.version, release}},
  )
}

function upgrade(collection: Collection, from: number, document: Document, file: string, offset: number): Document {
  const refuse = (what: string, cause?: unknown) => damaged(file, offset, `${collection.name} ${document.id} of version ${from} ${what}`, cause)
  let current: Record<string, unknown> = {...document}
  for (let version = from + 1; version <= collection.version; version++) {
    const migrate = collection.migrations[version]
    if (migrate === undefined) throw refuse(`has no way to version ${version}`)
    current = migrate(current)
  }
  const parsed = collection.schema.safeParse(current)
  if (!parsed.success) throw refuse(`does not fit version ${collection.version} after its migration`, parsed.error)
  return JSON.parse(JSON.stringify(parsed.data)) as Document
}
