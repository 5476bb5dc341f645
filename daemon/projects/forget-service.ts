import type {Transaction} from '../store/store.js'
import {ServiceHealthRecords} from './live/service-health.js'
import {EnvVars, Services, type ServiceRecord} from './records.js'

/** Takes a service out of the description of its project, with its variables and how it fared. What runs of it is left alone. */
export async function forgetService(transaction: Transaction, {id, projectId}: Pick<ServiceRecord, 'id' | 'projectId'>): Promise<void> {
  const variables = await transaction.find(EnvVars, 'project', [projectId])
  for (const variable of variables.filter(({serviceId}) => serviceId === id)) await transaction.delete(EnvVars, variable.id)
  await transaction.delete(ServiceHealthRecords, id)
  await transaction.delete(Services, id)
}
