import type {DocumentOf} from '../store/collection.js'
import type {StoreReader} from '../store/store.js'
import {Organizations} from './records.js'

export function findOrganization(reader: StoreReader, id: string): Promise<DocumentOf<typeof Organizations> | undefined> {
  return reader.get(Organizations, id)
}
