import type {Client} from '../client/client.js'
import {Fault} from '../contract/faults.js'
import {serverName} from './find-by-name.js'

/** Names of the servers by id. Empty where the token may not see them: ids do then. */
export async function readServerNames(api: Client, signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
  try {
    return new Map((await api.servers.list({}, {signal})).map((server) => [server.id, serverName(server)]))
  } catch (error) {
    if (error instanceof Fault && (error.code === 'FORBIDDEN' || error.code === 'NOT_FOUND')) return new Map()
    throw error
  }
}
