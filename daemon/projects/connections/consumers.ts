import type {StoreReader} from '../../store/store.js'
import {Projects, type ProjectRecord} from '../records.js'
import {Links, type LinkRecord} from './records.js'

export interface Consumer {
  readonly link: LinkRecord
  readonly target: ProjectRecord
}

/** Who uses a project, and what of it. */
export async function consumersOf(reader: StoreReader, projectId: string): Promise<Consumer[]> {
  const links = await reader.find(Links, 'source', [projectId])
  const found = await Promise.all(links.map(async (link) => ({link, target: await reader.get(Projects, link.targetProjectId)})))
  return found.flatMap(({link, target}) => (target === undefined ? [] : [{link, target}]))
}
