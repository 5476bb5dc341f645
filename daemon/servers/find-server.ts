import {Fault} from '../../src/contract/faults.js'
import {allows} from '../access/decide.js'
import type {Principal} from '../access/principal.js'
import type {StoreReader} from '../store/store.js'
import {Servers, Workspaces, type ServerRecord} from './records.js'

type Verb = 'read' | 'write' | 'admin'

export function serverRef(server: Pick<ServerRecord, 'id' | 'organizationId'>) {
  return {type: 'server' as const, id: server.id, organizationId: server.organizationId}
}

/** A server that the principal may act on, or NOT_FOUND: missing, foreign and not covered look the same. */
export async function getServer(reader: StoreReader, id: string, principal: Principal, verb: Verb): Promise<ServerRecord> {
  const server = await reader.get(Servers, id)
  if (server === undefined || !allows(principal, serverRef(server), verb)) throw new Fault('NOT_FOUND', 'Not found')
  return server
}

/** A server that the principal may read; undefined where it is missing, foreign or not covered. */
export async function findReadableServer(reader: StoreReader, id: string, principal: Principal): Promise<ServerRecord | undefined> {
  const server = await reader.get(Servers, id)
  return server !== undefined && allows(principal, serverRef(server), 'read') ? server : undefined
}

/** The machine of the daemon. */
export async function findLocalServer(reader: StoreReader): Promise<ServerRecord | undefined> {
  for await (const server of reader.all(Servers)) if (server.isLocal) return server
  return undefined
}

/** What other areas may know of servers; those that are gone are left out. */
export async function findServers(reader: StoreReader, ids: readonly string[]): Promise<{id: string; organizationId: string; name: string | null}[]> {
  const found = await Promise.all(ids.map((id) => reader.get(Servers, id)))
  return found.flatMap((server) => (server === undefined ? [] : [{id: server.id, organizationId: server.organizationId, name: server.name}]))
}

/** A server with the workspace that pays for it, for the billing check. */
export async function findBilledServer(reader: StoreReader, id: string) {
  const server = await reader.get(Servers, id)
  if (server === undefined) return undefined
  const {workspaceId, powerState} = server
  const workspace = workspaceId === null ? undefined : await reader.get(Workspaces, workspaceId)
  return {workspaceId, powerState, workspace}
}
