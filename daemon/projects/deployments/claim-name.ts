import type {StoreReader, Transaction} from '../../store/store.js'
import {newId} from '../../store/ids.js'
import {Projects, type ProjectRecord} from '../records.js'
import {Deployments, NameClaims, type DeploymentRecord, type NameClaim} from './records.js'

// Two projects of one slug may be deployed for the first time at one instant, when neither can be seen on the server yet: the store decides whose the name is there.

/** Takes the name that a project has on its server, or answers the project that has it. Taking it twice is harmless. */
export async function claimName(transaction: Transaction, {id, slug, serverId}: Pick<ProjectRecord, 'id' | 'slug' | 'serverId'>): Promise<string | undefined> {
  const held = await findClaim(transaction, {slug, serverId})
  if (held === undefined) {
    await transaction.insert(NameClaims, {id: newId('clm'), serverId: serverId ?? '', slug, projectId: id})
    return undefined
  }
  if (held.projectId === id) return undefined
  if ((await transaction.get(Projects, held.projectId)) !== undefined) return held.projectId
  await transaction.put(NameClaims, {...held, projectId: id})
  return undefined
}

/** Leaves the name on one server to whoever comes next. */
export async function releaseName(transaction: Transaction, {id, slug}: Pick<ProjectRecord, 'id' | 'slug'>, serverId: string | null): Promise<void> {
  const held = await findClaim(transaction, {slug, serverId})
  if (held?.projectId === id) await transaction.delete(NameClaims, held.id)
}

/** A deployment that came to nothing keeps the name only where its project is served on that server. */
export async function releaseUnusedName(transaction: Transaction, {projectId, serverId}: Pick<DeploymentRecord, 'projectId' | 'serverId'>): Promise<void> {
  const project = await transaction.get(Projects, projectId)
  if (project === undefined) return
  const active = project.activeDeploymentId === null ? undefined : await transaction.get(Deployments, project.activeDeploymentId)
  if (active?.serverId !== serverId) await releaseName(transaction, project, serverId)
}

function findClaim(reader: Pick<StoreReader, 'findOne'>, {slug, serverId}: Pick<ProjectRecord, 'slug' | 'serverId'>): Promise<NameClaim | undefined> {
  return reader.findOne(NameClaims, 'name', [serverId ?? '', slug])
}
