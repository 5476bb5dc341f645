import type {RecordEvent} from '../../events/event-log.js'
import type {Actor} from '../../events/record.js'
import type {OutputStore} from '../../store/output.js'
import type {Store} from '../../store/store.js'
import {Links} from '../connections/records.js'
import {Deployments, NameClaims, Releases, ServiceOutcomes} from '../deployments/records.js'
import {EnvVars, Projects, Services, type ProjectRecord} from '../records.js'
import {ServiceHealthRecords} from './service-health.js'

export interface DeleteRecordsParts {
  readonly store: Store
  readonly outputs: OutputStore
  readonly recordEvent: RecordEvent
}

/** Forgets a project: what belongs to it and then its row, with the event, in one transaction. */
export async function deleteRecords({store, outputs, recordEvent}: DeleteRecordsParts, project: ProjectRecord, {actor, payload}: {readonly actor: Actor; readonly payload: Readonly<Record<string, unknown>>}): Promise<void> {
  const deploymentIds = await store.transaction(async (transaction) => {
    const key = [project.id]
    const deployments = await transaction.find(Deployments, 'project', key)
    for (const {id} of deployments) {
      for (const outcome of await transaction.find(ServiceOutcomes, 'deployment', [id])) await transaction.delete(ServiceOutcomes, outcome.id)
      await transaction.delete(Deployments, id)
    }
    for (const {id} of await transaction.find(NameClaims, 'project', key)) await transaction.delete(NameClaims, id)
    for (const {id} of await transaction.find(Releases, 'project', key)) await transaction.delete(Releases, id)
    for (const index of ['source', 'target'] as const) for (const {id} of await transaction.find(Links, index, key)) await transaction.delete(Links, id)
    for (const {id} of await transaction.find(EnvVars, 'project', key)) await transaction.delete(EnvVars, id)
    for (const {id} of await transaction.find(ServiceHealthRecords, 'project', key)) await transaction.delete(ServiceHealthRecords, id)
    for (const {id} of await transaction.find(Services, 'project', key)) await transaction.delete(Services, id)
    await transaction.delete(Projects, project.id)
    await recordEvent(transaction, {
      type: 'project.deleted', organizationId: project.organizationId, resourceType: 'project', resourceId: project.id, actor,
      payload: {before: {name: project.name, slug: project.slug}, ...payload},
    })
    return deployments.map(({id}) => id)
  })
  for (const id of deploymentIds) await outputs.remove(id)
}
