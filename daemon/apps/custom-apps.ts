import type {StoreReader} from '../store/store.js'
import {judge, toCard, type CatalogItem} from './judge.js'
import {CustomApps, type CustomAppRecord} from './records.js'
import {toItem} from './resolve-catalog.js'

/** An uploaded app as this release reads it. */
export interface CustomApp {
  readonly record: CustomAppRecord
  readonly name: string
  /** Null where this release can make nothing of it. */
  readonly item: CatalogItem | null
  /** Why it can not be installed. */
  readonly problem: string | null
}

interface Kept {
  readonly signature: string
  readonly apps: readonly CustomApp[]
}

const mostOrganizations = 100

/** Reads the uploads of an organization through the gate, once for each change of them. */
export class CustomAppReader {
  readonly #store: StoreReader
  readonly #engine: string
  readonly #kept = new Map<string, Kept>()

  constructor(store: StoreReader, engine: string) {
    this.#store = store
    this.#engine = engine
  }

  /** The same list again for as long as nothing was uploaded, replaced or deleted. */
  async of(organizationId: string): Promise<readonly CustomApp[]> {
    const records = await this.#store.find(CustomApps, 'organization', [organizationId])
    const signature = records.map(({id, revision}) => `${id} ${revision}`).join(',')
    const known = this.#kept.get(organizationId)
    if (known?.signature === signature) return known.apps
    const apps = records.map((record) => readCustomApp(record, this.#engine))
    this.#keep(organizationId, {signature, apps})
    return apps
  }

  #keep(organizationId: string, kept: Kept): void {
    this.#kept.delete(organizationId)
    this.#kept.set(organizationId, kept)
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > mostOrganizations && oldest !== undefined) this.#kept.delete(oldest)
  }
}

/** One upload through the gate of this release; trust and listing are not its own to say. */
export function readCustomApp(record: CustomAppRecord, engine: string): CustomApp {
  const judged = judge(JSON.parse(record.definitionText))
  if (judged.kind === 'refused') return {record, name: record.appId, item: null, problem: judged.reason}
  if (judged.kind === 'too-new') {
    const item = toCard(judged.card, judged.minVersion)
    return {record, name: judged.card.name, item, problem: describeNeed(item)}
  }
  const definition = {...judged.definition, verified: false, available: true, unlisted: false}
  const item = toItem({kind: 'app', definition}, engine)
  return {record, name: definition.name, item, problem: item.requiresUpdate === undefined ? null : describeNeed(item)}
}

function describeNeed({requiresUpdate}: CatalogItem): string {
  const minVersion = requiresUpdate?.minVersion
  return minVersion === undefined ? 'it needs a newer release' : `it needs release ${minVersion} or newer`
}
