import os from 'node:os'
import {isLoopback, knownHost} from '../../src/catalog/public-urls.js'
import type {StoreReader} from '../store/store.js'
import {findLocalServer} from './find-server.js'
import {Servers} from './records.js'

/** Where others reach the ports of a server; null is the machine of the daemon. Undefined where nobody but the server itself would reach it. */
export async function findServerAddress(reader: StoreReader, serverId: string | null): Promise<string | undefined> {
  const server = serverId === null ? await findLocalServer(reader) : await reader.get(Servers, serverId)
  if (server === undefined) return undefined
  return server.isLocal ? ownAddress(os.networkInterfaces()) : knownHost(server.sshHost)
}

/** The server that an id means: the machine of the daemon has a row of its own, and null means it too. */
export async function findServerPlace(reader: StoreReader, serverId: string | null): Promise<{readonly id: string; readonly isLocal: boolean} | undefined> {
  const server = serverId === null ? await findLocalServer(reader) : await reader.get(Servers, serverId)
  return server === undefined ? undefined : {id: server.id, isLocal: server.isLocal}
}

type Interfaces = ReturnType<typeof os.networkInterfaces>

/** An address of a machine that is not for itself alone, IPv4 before IPv6. */
export function ownAddress(interfaces: Interfaces): string | undefined {
  const addresses = Object.values(interfaces).flatMap((all) => all ?? []).filter(({internal, address, scopeid}) => !internal && !isLoopback(address) && (scopeid ?? 0) === 0)
  const address = (addresses.find(({family}) => family === 'IPv4') ?? addresses[0])?.address
  return address === undefined ? undefined : knownHost(address)
}
