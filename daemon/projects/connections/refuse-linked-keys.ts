import {Fault} from '../../../src/contract/faults.js'
import {valueMask} from '../../../src/contract/env-var.js'
import type {StoreReader} from '../../store/store.js'
import type {EnvChange} from '../env-book.js'
import {Projects, type ProjectRecord} from '../records.js'
import {Links} from './records.js'

interface Change extends EnvChange {
  readonly environment: string
}

/** A variable that comes from another project is changed there, or disconnected; what somebody wrote here would be gone with the next deployment. */
export async function refuseLinkedKeys(reader: StoreReader, target: Pick<ProjectRecord, 'id' | 'name' | 'slug'>, {environment, upserts, deletes}: Change): Promise<void> {
  if (environment !== 'production') return
  for (const key of [...upserts.filter(({value}) => value !== valueMask).map((wish) => wish.key), ...deletes]) {
    const link = await reader.findOne(Links, 'key', [target.id, key])
    if (link === undefined) continue
    const source = await reader.get(Projects, link.sourceProjectId)
    throw new Fault('CONFLICT', `${key} of ${target.name} comes from ${source?.name ?? 'another project'}`, {suggestions: [`projects disconnect ${target.slug} ${key}`]})
  }
}
