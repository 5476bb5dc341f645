import type {Deployment} from '../../../src/contract/deployments.js'
import type {StoreReader} from '../../store/store.js'
import {alarmsOf} from '../live/service-health.js'
import {mainUrl} from '../public-urls.js'
import {Projects} from '../records.js'
import {ServiceOutcomes, type DeploymentRecord} from './records.js'

/** A deployment as it goes out. */
export async function toDeploymentView(reader: StoreReader, record: DeploymentRecord): Promise<Deployment> {
  const project = await reader.get(Projects, record.projectId)
  const {request: _request, slot: _slot, stage: _stage, attempt: _attempt, retained, outputBytes: _bytes, ...fields} = record
  const isActive = project?.activeDeploymentId === record.id
  const url = isActive && project !== undefined ? await mainUrl(reader, project) : null
  return {...fields, projectName: project?.name ?? record.projectId, framework: project?.framework ?? null, isActive, url, canRollback: retained && !isActive}
}

/** The same with how each service fared, and how those that are served fare now, for the answer of a single one. */
export async function toWholeView(reader: StoreReader, record: DeploymentRecord): Promise<Deployment> {
  const [view, services] = [await toDeploymentView(reader, record), await reader.find(ServiceOutcomes, 'deployment', [record.id])]
  const alarms = view.isActive ? await alarmsOf(reader, record.projectId) : []
  const told = alarms.map(({serviceId, reason}) => `${services.find((service) => service.serviceId === serviceId)?.serviceName ?? serviceId} is unhealthy: ${reason}`)
  const warnings = [...(view.warningMessage === null ? [] : [view.warningMessage]), ...told]
  return {...view, services, warningMessage: warnings.length === 0 ? null : warnings.join('; ')}
}
