import type {Principal} from '../access/principal.js'
import {toInstant, type Clock} from '../clock.js'
import type {RecordEvent} from '../events/event-log.js'
import type {Actor} from '../events/record.js'
import {getServer} from '../servers/find-server.js'
import type {Transaction} from '../store/store.js'
import {refuseLocalPath, refuseTakenName} from './add-project.js'
import {getProject} from './find-project.js'
import {changeProject, type ProjectChange} from './project-input.js'
import {Projects, type ProjectRecord} from './records.js'

export type Change = ProjectChange & Partial<Pick<ProjectRecord, 'sourceKind' | 'gitOwner' | 'gitRepo' | 'gitUrl' | 'gitProvider'>>

export interface ChangeWish {
  readonly id: string
  readonly change: Change
  readonly principal: Principal
  readonly actor: Actor
}

/** Changes a project as somebody wishes it, with the event that tells of it. */
export async function applyChange({clock, recordEvent}: {readonly clock: Clock; readonly recordEvent: RecordEvent}, transaction: Transaction, {id, change, principal, actor}: ChangeWish): Promise<ProjectRecord> {
  const before = await getProject(transaction, id, principal, 'write')
  if (change.serverId != null && change.serverId !== before.serverId) await getServer(transaction, change.serverId, principal, 'read')
  refuseLocalPath(change, principal, before.localPath)
  const after = changeProject(before, change, toInstant(clock.now()))
  if (after.name !== before.name) await refuseTakenName(transaction, after)
  await transaction.put(Projects, after)
  const changed = Object.keys(change).filter((key) => JSON.stringify(Reflect.get(before, key)) !== JSON.stringify(Reflect.get(after, key)))
  await recordEvent(transaction, {
    type: 'project.updated', organizationId: after.organizationId, resourceType: 'project', resourceId: after.id, actor,
    payload: {before: pick(before, changed), after: pick(after, changed)},
  })
  return after
}

function pick(project: ProjectRecord, keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(keys.map((key) => [key, Reflect.get(project, key) as unknown]))
}
