import type {StoreReader} from '../store/store.js'
import {Projects} from './records.js'

export async function hasProject(reader: StoreReader, id: string, organizationId: string): Promise<boolean> {
  return (await reader.get(Projects, id))?.organizationId === organizationId
}
