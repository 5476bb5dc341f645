import type {AddressInfo} from 'node:net'
import {version} from '../src/config/version.js'
import {Fault} from '../src/contract/faults.js'
import {contract} from '../src/contract/index.js'
import type {TokenUse} from './access/token-use.js'
import type {Clock} from './clock.js'
import {createHttpServer, type BoundRoute} from './http/http-server.js'
import {serveOpenApi} from './http/openapi-route.js'
import type {Log} from './log.js'
import type {DaemonSettings} from './settings.js'
import type {Store} from './store/store.js'
import type {Shutdown} from './shutdown.js'

export interface ListenParts {
  readonly settings: DaemonSettings
  readonly clock: Clock
  readonly log: Log
  readonly store: Store
  readonly tokenUse: TokenUse
  readonly routes: readonly BoundRoute[]
}

/** Serves the routes; answers the address, with the port that was given out. */
export async function listen({settings, clock, log, store, tokenUse, routes}: ListenParts, shutdown: Shutdown): Promise<string> {
  const limitLoopback = settings.publicUrl !== undefined
  const {server, streams} = await createHttpServer({store, clock, log, tokenUse, cloud: settings.mode === 'cloud', limitLoopback}, routes)
  serveOpenApi(server, {table: contract, version, cloud: settings.mode === 'cloud'})
  shutdown.add(() => server.close())
  shutdown.add(() => streams.close())
  await server.listen({host: settings.host, port: settings.port}).catch((error: unknown) => {
    throw toListenFault(error, settings)
  })
  const {address, port, family} = server.server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

function toListenFault(error: unknown, {host, port}: DaemonSettings): Fault {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: 'another program listens there; choose another port with --port, or --port 0 for any free one',
    EACCES: 'the system does not allow it; ports below 1024 need root',
    EADDRNOTAVAIL: 'this machine has no such address',
    ENOTFOUND: 'the host name is not known',
  }
  const reason = typeof code === 'string' ? reasons[code] : undefined
  return new Fault('CONFIGURATION', `can not listen on ${host} port ${port}: ${reason ?? String(code ?? error)}`, {cause: error})
}
