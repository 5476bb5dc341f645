import type {Server} from '../contract/server.js'
import {serverName} from './find-by-name.js'
import type {Cell, Column} from './table.js'

export const serverColumns: readonly Column<Server>[] = [
  {heading: 'ID', value: (server) => server.id, whole: true},
  {heading: 'NAME', value: serverName},
  {heading: 'ADDRESS', value: serverAddress},
  {heading: 'SIGN IN', value: (server) => server.sshAuthMethod},
  {heading: 'HOST KEY', value: (server) => (server.isLocal ? null : server.hostKeyStatus), kind: 'status'},
  {heading: 'PROJECTS', value: (server) => server.projectCount, kind: 'number'},
]

export function serverAddress(server: Server): string {
  return server.isLocal ? 'this machine' : `${server.sshUser}@${server.sshHost}:${server.sshPort}`
}

export function serverFields(server: Server): [string, Cell][] {
  return [
    ['id', server.id],
    ['name', serverName(server)],
    ['address', serverAddress(server)],
    ['sign in', server.sshAuthMethod],
    ['key path', server.sshKeyPath],
    ['jump host', server.sshJumpHost],
    ['ssh options', server.sshArgs],
    ['host key', server.hostKeyFingerprint],
    ['host key is', server.isLocal ? null : server.hostKeyStatus],
    ...server.jumpHostKeys.map(({host, hostKeyFingerprint}): [string, Cell] => [`host key of ${host}`, hostKeyFingerprint]),
    ['projects', server.projectCount],
    ['added', server.createdAt],
  ]
}
