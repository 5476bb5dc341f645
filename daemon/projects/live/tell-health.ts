import {toInstant, type Clock} from '../../clock.js'
import type {RecordEvent} from '../../events/event-log.js'
import {systemActor} from '../../events/record.js'
import type {Store} from '../../store/store.js'
import {Deployments} from '../deployments/records.js'
import {Projects, Services} from '../records.js'
import type {HealthVerdict} from './judge-health.js'
import {ServiceHealthRecords, type ServiceHealthRecord} from './service-health.js'

export interface TellParts {
  readonly store: Store
  readonly clock: Clock
  readonly recordEvent: RecordEvent
}

export interface Seen {
  readonly projectId: string
  readonly serviceId: string
  readonly containerId: string
  readonly verdict: HealthVerdict
}

/** Keeps how a service fares and tells of a change, once; the record and the event are stored together. */
export async function tellHealth({store, clock, recordEvent}: TellParts, {projectId, serviceId, containerId, verdict}: Seen): Promise<void> {
  const {status} = verdict
  if (status === 'unknown') return
  const known = await store.get(ServiceHealthRecords, serviceId)
  if ((known?.status ?? 'well') === status) return
  await store.transaction(async (transaction) => {
    const before = await transaction.get(ServiceHealthRecords, serviceId)
    const [project, service] = [await transaction.get(Projects, projectId), await transaction.get(Services, serviceId)]
    const going = await transaction.findOne(Deployments, 'slot', [projectId, 'active'])
    if (project === undefined || service?.projectId !== projectId || going !== undefined || (before?.status ?? 'well') === status) return
    const reason = verdict.status === 'unhealthy' ? verdict.reason : null
    const record: ServiceHealthRecord = {id: serviceId, projectId, organizationId: project.organizationId, status, reason, containerId, since: toInstant(clock.now())}
    await (before === undefined ? transaction.insert(ServiceHealthRecords, record) : transaction.put(ServiceHealthRecords, record))
    const type = status === 'unhealthy' ? 'service.unhealthy' as const : before?.status === 'unhealthy' && status === 'well' ? 'service.recovered' as const : undefined
    if (type === undefined) return
    await recordEvent(transaction, {
      type, organizationId: project.organizationId, resourceType: 'project', resourceId: projectId, actor: systemActor,
      payload: {projectId, projectName: project.name, serviceId, serviceName: service.name, containerId, reason: reason ?? before?.reason ?? null, since: before?.since ?? record.since},
    })
  })
}
