import {z} from 'zod'
import {defineCollection} from '../../store/collection.js'
import type {StoreReader} from '../../store/store.js'

/** How a service fared last, kept so that nobody is told twice. There is none for a service that always was well. */
export const ServiceHealthRecord = z.object({
  /** That of the service. */
  id: z.string(),
  projectId: z.string(),
  organizationId: z.string(),
  /** `stopped`: on purpose, which is no alarm. */
  status: z.enum(['well', 'unhealthy', 'stopped']),
  reason: z.string().nullable(),
  containerId: z.string(),
  since: z.string(),
})
export type ServiceHealthRecord = z.output<typeof ServiceHealthRecord>

export const ServiceHealthRecords = defineCollection({name: 'service_health', version: 1, schema: ServiceHealthRecord, indexes: {project: {fields: ['projectId']}}})

export interface Alarm {
  readonly serviceId: string
  readonly containerId: string
  readonly reason: string
}

/** What was told of services of a project that are not well again since. */
export async function alarmsOf(reader: Pick<StoreReader, 'find'>, projectId: string): Promise<Alarm[]> {
  const records = await reader.find(ServiceHealthRecords, 'project', [projectId])
  return records.flatMap(({id, containerId, status, reason}) => (status === 'unhealthy' ? [{serviceId: id, containerId, reason: reason ?? 'it is unhealthy'}] : []))
}
