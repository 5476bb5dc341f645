import type {Deployment} from '../../../src/contract/deployments.js'
import type {StoreReader} from '../../store/store.js'
import {Deployments} from './records.js'

/** What others may know of a deployment without reading it whole. */
export async function findRelease(reader: StoreReader, id: string): Promise<Pick<Deployment, 'status' | 'version' | 'commitSha'> | undefined> {
  const found = await reader.get(Deployments, id)
  return found === undefined ? undefined : {status: found.status, version: found.version, commitSha: found.commitSha}
}
