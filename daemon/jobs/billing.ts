import type {StoreReader} from '../store/store.js'

export interface BillingRefusal {
  readonly workspaceId: string | null
  readonly serverId: string
  readonly message: string
}

/** Asked before a command starts; answers why it must not. It starts and wakes nothing. */
export type Billing = (reader: StoreReader, serverIds: readonly string[]) => Promise<BillingRefusal | undefined>

/** What billing needs to know of the workspace that pays for a server. */
export interface BilledServer {
  readonly workspaceId: string | null
  readonly powerState: string
  readonly workspace: {readonly subscription: string; readonly balanceCents: number} | undefined
}

export type FindBilledServer = (reader: StoreReader, serverId: string) => Promise<BilledServer | undefined>

const paying = new Set(['active', 'trialing'])

/** The check of cloud mode. The first target that is refused answers. */
export function createCloudBilling(findServer: FindBilledServer): Billing {
  return async (reader, serverIds) => {
    for (const serverId of serverIds) {
      const server = await findServer(reader, serverId)
      // A server that is gone is for the run itself to report.
      if (server === undefined) continue
      const message = findObstacle(serverId, server)
      if (message !== undefined) return {workspaceId: server.workspaceId, serverId, message}
    }
    return undefined
  }
}

/** Of an instance that bills nobody. */
export const freeOfCharge: Billing = () => Promise.resolve(undefined)

function findObstacle(serverId: string, server: BilledServer): string | undefined {
  const {workspaceId, workspace} = server
  if (workspaceId === null || workspace === undefined) return `server ${serverId} belongs to no workspace`
  if (!paying.has(workspace.subscription)) return `workspace ${workspaceId} has no active subscription`
  if (workspace.balanceCents <= 0) return `workspace ${workspaceId} has no balance left`
  if (server.powerState !== 'running') return `server ${serverId} is not running`
  return undefined
}
