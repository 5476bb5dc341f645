import {toInstant, type Clock} from '../../clock.js'
import type {Store} from '../../store/store.js'
import {Projects, Services} from '../records.js'
import type {DeploymentContext} from './deployment-context.js'
import type {DeploymentPlan, PlannedService} from './plan.js'
import {ownPortText} from './read-definition.js'
import type {PreparedImage} from './records.js'

export interface SettlePortParts {
  readonly store: Store
  readonly clock: Clock
}

interface Prepared {
  readonly plan: DeploymentPlan
  readonly images: ReadonlyMap<string, PreparedImage>
}

/** Lets a project of one service publish the port that its image exposes, where nobody said which; where somebody did and the image exposes others, that is told. */
export async function settlePort(parts: SettlePortParts, {project, engine, log, signal}: DeploymentContext, {plan, images}: Prepared): Promise<DeploymentPlan> {
  const [service] = plan.services
  const {ownPort} = plan
  const image = service === undefined ? undefined : images.get(service.serviceId)
  if (service === undefined || ownPort === undefined || image === undefined || !publishesOnly(service, ownPort)) return plan
  const exposed = (await engine.image(image.imageId, {signal}))?.exposedPorts ?? []
  const [port] = exposed
  if (port === undefined || exposed.includes(ownPort)) return plan
  if (project.portGiven || exposed.length > 1) {
    log.line(`port ${ownPort} is published, and the image exposes ${exposed.join(', ')}; where that is what it listens on: projects update ${project.slug} --port ${port}`, {level: 'warn', service: service.name})
    return plan
  }
  log.line(`port ${port} is published, as the image exposes it`, {service: service.name})
  await keepPort(parts, service, {before: ownPort, port})
  return {...plan, services: [withPort(service, port)]}
}

// What was edited by hand is left as it is.
function publishesOnly({definition}: PlannedService, port: number): boolean {
  const [first, ...others] = definition?.ports ?? []
  return first?.containerPort === port && first.hostPort === null && others.length === 0
}

function withPort(service: PlannedService, containerPort: number): PlannedService {
  const {definition} = service
  return definition === null ? service : {...service, definition: {...definition, ports: definition.ports.map((port) => ({...port, containerPort}))}}
}

// The next deployment begins with it, and who reads the service meanwhile sees it.
async function keepPort({store, clock}: SettlePortParts, {serviceId}: PlannedService, {before, port}: {readonly before: number; readonly port: number}): Promise<void> {
  await store.transaction(async (transaction) => {
    const service = await transaction.get(Services, serviceId)
    const project = service === undefined ? undefined : await transaction.get(Projects, service.projectId)
    if (service === undefined || project === undefined || project.portGiven || project.port !== before) return
    const updatedAt = toInstant(clock.now())
    const ports = [ownPortText(port)]
    await transaction.put(Projects, {...project, port, updatedAt})
    await transaction.put(Services, {...service, ports, upstream: service.upstream === null ? null : {...service.upstream, ports}, updatedAt})
  })
}
