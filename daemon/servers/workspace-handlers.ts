import {invalidInput} from '../../src/contract/faults.js'
import type {serverRoutes} from '../../src/contract/servers.js'
import {findOrganization} from '../access/find-organization.js'
import {toInstant, type Clock} from '../clock.js'
import type {RecordEvent} from '../events/event-log.js'
import type {Handlers} from '../http/handlers.js'
import type {Store, Transaction} from '../store/store.js'
import {Servers, Workspaces, type ServerRecord} from './records.js'

export interface WorkspaceParts {
  readonly store: Store
  readonly clock: Clock
  readonly recordEvent: RecordEvent
}

type PowerState = ServerRecord['powerState']

export function createWorkspaceHandlers({store, clock, recordEvent}: WorkspaceParts): Handlers<Pick<typeof serverRoutes, 'saveWorkspace'>> {
  return {
    async saveWorkspace({params, body}, {actor}) {
      return store.transaction(async (transaction) => {
        const {organizationId, subscription, balanceCents, servers = []} = body
        if ((await findOrganization(transaction, organizationId)) === undefined) {
          throw invalidInput([{path: '/organizationId', message: 'is not an organization of this instance'}])
        }
        const now = toInstant(clock.now())
        const known = await transaction.get(Workspaces, params.id)
        const workspace = {id: params.id, organizationId, subscription, balanceCents, createdAt: known?.createdAt ?? now, updatedAt: now}
        await (known === undefined ? transaction.insert(Workspaces, workspace) : transaction.put(Workspaces, workspace))
        for (const [index, {serverId, powerState}] of servers.entries()) await bind(transaction, {index, serverId, powerState, workspace, now})
        await recordEvent(transaction, {
          type: 'workspace.saved', organizationId, resourceType: 'workspace', resourceId: params.id, actor, payload: {after: {subscription, balanceCents}},
        })
        const bound = await transaction.find(Servers, 'workspace', [params.id])
        return {data: {id: params.id, organizationId, subscription, balanceCents, serverIds: bound.map((server) => server.id), updatedAt: now}}
      })
    },
  }
}

interface Binding {
  readonly index: number
  readonly serverId: string
  readonly powerState: PowerState
  readonly workspace: {readonly id: string; readonly organizationId: string}
  readonly now: string
}

async function bind(transaction: Transaction, {index, serverId, powerState, workspace, now}: Binding): Promise<void> {
  const server = await transaction.get(Servers, serverId)
  if (server === undefined || server.organizationId !== workspace.organizationId) {
    throw invalidInput([{path: `/servers/${index}/serverId`, message: 'is not a server of this organization'}])
  }
  await transaction.put(Servers, {...server, workspaceId: workspace.id, powerState, updatedAt: now})
}
