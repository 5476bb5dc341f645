import {Fault} from '../../../src/contract/faults.js'
import type {Clock} from '../../clock.js'
import type {RecordEvent} from '../../events/event-log.js'
import type {RequestContext} from '../../http/handlers.js'
import type {ContainerFacts, Engine, Engines} from '../../servers/engine/engine.js'
import type {Sealer} from '../../store/secrets.js'
import type {Store} from '../../store/store.js'
import {getProject, getService, type ProjectVerb} from '../find-project.js'
import type {ProjectRecord, ServiceRecord} from '../records.js'
import {servicesOf} from '../service-handlers.js'
import {containersOf, projectContainers, type FoundContainer} from './find-containers.js'
import {engineOf, nothingDeployed} from './project-place.js'

export interface LiveParts {
  readonly store: Store
  readonly clock: Clock
  readonly sealer: Sealer
  readonly engines: Engines
  readonly recordEvent: RecordEvent
}

export interface Found {
  readonly project: ProjectRecord
  readonly service: ServiceRecord
  readonly engine: Engine
  readonly match: FoundContainer
}

export interface Asked {
  readonly verb: ProjectVerb
  readonly request: RequestContext
}

export async function findService(parts: LiveParts, params: {readonly id: string; readonly serviceId: string}, {verb, request: {principal, signal}}: Asked): Promise<Found> {
  const {store} = parts
  const project = await getProject(store, params.id, principal, verb)
  const service = await getService(store, project.id, params.serviceId)
  if (project.activeDeploymentId === null) throw nothingDeployed(project)
  const engine = await engineOf(parts, project)
  const match = containersOf(service, await servicesOf(store, project.id), await projectContainers(engine, project, signal))
  return {project, service, engine, match}
}

export async function findContainer(parts: LiveParts, params: {readonly id: string; readonly serviceId: string}, asked: Asked): Promise<Found & {readonly container: ContainerFacts}> {
  const found = await findService(parts, params, asked)
  const {container} = found.match
  if (container === undefined) throw nothingDeployed(found.project, `of ${found.project.name} as ${found.service.name}`)
  return {...found, container}
}

/** For what is done in a container. */
export async function findRunning(parts: LiveParts, params: {readonly id: string; readonly serviceId: string}, request: RequestContext): Promise<Found & {readonly container: ContainerFacts}> {
  const found = await findContainer(parts, params, {verb: 'write', request})
  const {project, service, container} = found
  if (container.state === 'running') return found
  throw new Fault('CONFLICT', `${service.name} is not running: ${container.state}`, {suggestions: [`services start ${project.slug}/${service.name}`]})
}

interface Told {
  readonly project: ProjectRecord
  readonly request: RequestContext
  readonly type: 'service.command_run' | 'service.terminal_opened' | 'service.terminal_closed' | 'service.changed'
  readonly payload: Readonly<Record<string, unknown>>
}

/** What was done with a service, for the audit trail. */
export async function tell({store, recordEvent}: LiveParts, {project, request: {actor}, type, payload}: Told): Promise<void> {
  await store.transaction((transaction) => recordEvent(transaction, {type, organizationId: project.organizationId, resourceType: 'project', resourceId: project.id, actor, payload}))
}
