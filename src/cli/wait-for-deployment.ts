import type {Client} from '../client/client.js'
import {followDeployment, isLive, isOver} from '../client/follow-deployment.js'
import type {Deployment, DeploymentEvent} from '../contract/deployments.js'
import {Fault} from '../contract/faults.js'
import {deploymentOutcome} from './deployment-text.js'
import {formatDuration} from './time-text.js'
import {waitForEnd, type WaitOptions} from './wait-for-end.js'

/** Follows a deployment to its end. */
export function waitForDeployment(api: Client, id: string, options: WaitOptions<DeploymentEvent>): Promise<Deployment> {
  return waitForEnd({
    follow: (following) => followDeployment(api, id, following),
    show: async (signal) => (await api.deployments.show({params: {id}}, {signal})).data,
    stoppedWaiting: (timeoutMs) => stoppedWaiting(id, timeoutMs),
  }, options)
}

/** Throws unless what was asked for is served now. The fault carries the deployment. */
export function requireLive(deployment: Deployment): void {
  if (isLive(deployment)) return
  if (!isOver(deployment)) throw stoppedWaiting(deployment.id, 0)
  throw new Fault('DEPLOYMENT_FAILED', deploymentOutcome(deployment), {details: {deployment}, suggestions: [`deployments logs ${deployment.id}`]})
}

function stoppedWaiting(id: string, timeoutMs: number): Fault {
  return new Fault('WAIT_TIMEOUT', `deployment ${id} goes on; stopped waiting after ${formatDuration(timeoutMs)}`, {details: {deploymentId: id, timeoutMs}, suggestions: [`deployments watch ${id}`]})
}
