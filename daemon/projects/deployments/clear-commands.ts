import type {DeploymentContext} from './deployment-context.js'
import type {DeploymentPlan, PlannedService} from './plan.js'
import type {PreparedImage} from './records.js'

/** An engine takes an empty command (`[]`) for none at all, unless it comes with an entrypoint: that of the image is written beside it. */
export async function clearCommands(context: DeploymentContext, plan: DeploymentPlan, images: ReadonlyMap<string, PreparedImage>): Promise<DeploymentPlan> {
  const services: PlannedService[] = []
  for (const service of plan.services) services.push(await clearCommand(context, service, images.get(service.serviceId)))
  return {...plan, services}
}

async function clearCommand({engine, log, signal}: DeploymentContext, service: PlannedService, image: PreparedImage | undefined): Promise<PlannedService> {
  const {definition, name} = service
  if (definition?.command?.length !== 0 || definition.entrypoint !== null || image === undefined) return service
  const {entrypoint = null} = (await engine.image(image.imageId, {signal})) ?? {}
  if (entrypoint !== null) return {...service, definition: {...definition, entrypoint}}
  log.line(`command: [] of ${name} changes nothing: its image has no entrypoint that could run without a command`, {level: 'warn', service: name})
  return service
}
