import type {DocumentOf} from '../store/collection.js'
import type {StoreReader} from '../store/store.js'
import {Users} from './records.js'

/** A person, for showing who did something; undefined when gone. */
export function findUser(reader: StoreReader, id: string): Promise<DocumentOf<typeof Users> | undefined> {
  return reader.get(Users, id)
}
