import {Fault} from '../../src/contract/faults.js'
import {allows} from '../access/decide.js'
import type {Principal} from '../access/principal.js'
import type {StoreReader} from '../store/store.js'
import {Projects, Services, type ProjectRecord, type ServiceRecord} from './records.js'

export type ProjectVerb = 'read' | 'write' | 'admin'

export function projectRef(project: Pick<ProjectRecord, 'id' | 'organizationId'>) {
  return {type: 'project' as const, id: project.id, organizationId: project.organizationId}
}

/** A project that the principal may act on, or NOT_FOUND: missing, foreign and not covered look the same. */
export async function getProject(reader: StoreReader, id: string, principal: Principal, verb: ProjectVerb): Promise<ProjectRecord> {
  const project = await reader.get(Projects, id)
  if (project === undefined || !allows(principal, projectRef(project), verb)) throw new Fault('NOT_FOUND', 'Not found')
  return project
}

/** A service of a project, by its id or its name. */
export async function getService(reader: StoreReader, projectId: string, idOrName: string): Promise<ServiceRecord> {
  const found = (await reader.get(Services, idOrName)) ?? (await reader.findOne(Services, 'name', [projectId, idOrName]))
  if (found?.projectId !== projectId) throw new Fault('NOT_FOUND', 'Not found')
  return found
}

/** What docker-compose -p takes for a project. */
export function composeProjectName(project: Pick<ProjectRecord, 'slug'>): string {
  return `moorage-${project.slug}`
}
