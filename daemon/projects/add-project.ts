import {Fault} from '../../src/contract/faults.js'
import type {Principal} from '../access/principal.js'
import {allowsCreate} from '../access/decide.js'
import {grantCreated} from '../access/grant-created.js'
import type {RecordEvent} from '../events/event-log.js'
import type {Actor} from '../events/record.js'
import {getServer} from '../servers/find-server.js'
import type {Transaction} from '../store/store.js'
import {newProject, type ProjectWish} from './project-input.js'
import {Projects, type ProjectRecord} from './records.js'

const maximumProjects = 1000

export interface ProjectMaker {
  readonly principal: Principal
  readonly actor: Actor
  readonly recordEvent: RecordEvent
  readonly now: string
}

/** Makes a project as somebody wishes it, with what he may do with it and the event that tells of it. */
export async function createProject(transaction: Transaction, wish: ProjectWish, {principal, actor, recordEvent, now}: ProjectMaker): Promise<ProjectRecord> {
  if (!allowsCreate(principal, 'project')) throw new Fault('NOT_FOUND', 'Not found')
  refuseLocalPath(wish, principal, null)
  if (wish.serverId != null) await getServer(transaction, wish.serverId, principal, 'read')
  const created = newProject(wish, principal.organizationId, now)
  await addProject(transaction, created)
  await grantCreated(transaction, principal, {resourceType: 'project', resourceId: created.id})
  await recordEvent(transaction, {
    type: 'project.created', organizationId: created.organizationId, resourceType: 'project', resourceId: created.id, actor,
    payload: {after: {name: created.name, slug: created.slug}},
  })
  return created
}

/** Whoever names a folder of the daemon's machine reads it with the rights of the daemon. */
export function refuseLocalPath({localPath}: Pick<ProjectWish, 'localPath'>, {instanceAdmin}: Principal, before: string | null): void {
  if (localPath == null || localPath === before || instanceAdmin) return
  throw new Fault('INSTANCE_ADMIN_REQUIRED', 'only an administrator of the instance may deploy a folder of the machine of the daemon (localPath); upload the folder instead')
}

/** Writes a new project, or says what of it is taken. */
export async function addProject(transaction: Transaction, project: ProjectRecord): Promise<void> {
  await refuseTakenName(transaction, project)
  const sameSlug = await transaction.findOne(Projects, 'slug', [project.organizationId, project.slug])
  if (sameSlug !== undefined) throw new Fault('PROJECT_EXISTS', `the slug ${project.slug} is taken; give another with slug`)
  if ((await transaction.count(Projects, 'organization', [project.organizationId])) >= maximumProjects) {
    throw new Fault('VALIDATION_ERROR', `an organization holds at most ${maximumProjects} projects`, {suggestions: ['projects list']})
  }
  await transaction.insert(Projects, project)
}

/** A name is taken once an organization. */
export async function refuseTakenName(transaction: Transaction, project: ProjectRecord): Promise<void> {
  const same = await transaction.findOne(Projects, 'name', [project.organizationId, project.name])
  if (same !== undefined && same.id !== project.id) throw new Fault('PROJECT_EXISTS', `a project named ${project.name} is there already`, {suggestions: ['projects list']})
}
