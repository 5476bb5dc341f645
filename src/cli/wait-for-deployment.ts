import type {Client} from '../client/client.js'
import {followDeployment, isLive, isOver} from '../client/follow-deployment.js'
import type {Deployment, DeploymentEvent} from '../contract/deployments.js'
import {Fault} from '../contract/faults.js'
import {deploymentOutcome} from './deployment-text.js'
import {formatDuration} from './time-text.js'

export interface WaitForDeploymentOptions {
  readonly signal: AbortSignal
  /** How long to wait; as long as it takes unless given. */
  readonly timeoutMs: number | undefined
  /** Lines of the log to begin with; all unless given. */
  readonly tail?: number
  readonly onEvent?: (event: DeploymentEvent) => Promise<void> | void
  readonly onReconnect?: () => void
}

/** Follows a deployment to its end and answers with the deployment itself, which has the last word on how it ended. */
export async function waitForDeployment(api: Client, id: string, options: WaitForDeploymentOptions): Promise<Deployment> {
  const {timeoutMs, tail, onReconnect} = options
  const limit = new AbortController()
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => limit.abort(stoppedWaiting(id, timeoutMs)), timeoutMs)
  const signal = AbortSignal.any([options.signal, limit.signal])
  try {
    for await (const event of followDeployment(api, id, {signal, ...(tail !== undefined && {tail}), ...(onReconnect && {onReconnect})})) await options.onEvent?.(event)
    return (await api.deployments.show({params: {id}}, {signal})).data
  } catch (error) {
    if (signal.aborted) throw signal.reason
    throw error
  } finally {
    clearTimeout(timer)
  }
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
