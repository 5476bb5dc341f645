import type {Deployment, DeploymentEvent} from '../contract/deployments.js'
import type {Client} from './client.js'
import {followStream} from './follow-stream.js'

export interface FollowDeploymentOptions {
  readonly signal: AbortSignal
  /** Begin with the last lines of its log only. */
  readonly tail?: number
  readonly onReconnect?: (attempt: number) => void
}

const ended: ReadonlySet<string> = new Set(['ready', 'no_changes', 'partial_failure', 'failed', 'action_required', 'cancelled', 'rejected'])
const good: ReadonlySet<string> = new Set(['ready', 'no_changes', 'partial_failure'])

export function isOver(deployment: Pick<Deployment, 'status'>): boolean {
  return ended.has(deployment.status)
}

/** Whether what was asked for is served now. */
export function isLive(deployment: Pick<Deployment, 'status'>): boolean {
  return good.has(deployment.status)
}

/** What happens with a deployment, to its end. A stream that stops before is taken up again, and the deployment itself has the last word. */
export function followDeployment(client: Client, id: string, {signal, tail, onReconnect}: FollowDeploymentOptions): AsyncGenerator<DeploymentEvent> {
  return followStream<DeploymentEvent>({
    open: (call) => client.deployments.stream({params: {id}, query: tail === undefined ? {} : {tail}}, call),
    isLast: (event) => event.type === 'end',
    readEnd: async () => {
      const {data} = await client.deployments.show({params: {id}}, {signal})
      if (!isOver(data)) return undefined
      return {type: 'end', status: isLive(data) ? 'ready' : data.status === 'cancelled' ? 'cancelled' : 'failed'}
    },
    signal,
    ...(onReconnect && {onReconnect}),
  })
}
