import {Fault} from '../../src/contract/faults.js'
import type {Principal} from '../access/principal.js'
import type {Catalog} from './catalog.js'
import type {CustomAppReader} from './custom-apps.js'
import type {CatalogItem} from './judge.js'

export interface AppLookup {
  readonly catalog: Pick<Catalog, 'current'>
  readonly customApps: Pick<CustomAppReader, 'of'>
}

export interface FoundApp {
  readonly item: CatalogItem
  /** Uploaded by the organization that asks. */
  readonly custom: boolean
}

/** An app as somebody sees it: a curated one, else one of the organization's own. */
export async function findApp({catalog, customApps}: AppLookup, id: string, principal: Principal): Promise<FoundApp | undefined> {
  const curated = await catalog.current()
  const item = curated.find(id)
  if (item !== undefined) return {item, custom: false}
  if (curated.hasId(id)) return undefined
  const upload = (await customApps.of(principal.organizationId)).find(({record}) => record.appId === id)
  return upload?.item == null ? undefined : {item: upload.item, custom: true}
}

export async function getApp(lookup: AppLookup, id: string, principal: Principal): Promise<FoundApp> {
  const app = await findApp(lookup, id, principal)
  if (app === undefined) throw new Fault('NOT_FOUND', 'Not found')
  return app
}
