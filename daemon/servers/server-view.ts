import type {Server} from '../../src/contract/server.js'
import type {ServerRecord} from './records.js'

/** A server as it is shown: of what is sealed only whether it is there. */
export function toServerView(server: ServerRecord, projectCount: number): Server {
  const {id, name, isLocal, sshHost, sshPort, sshUser, sshAuthMethod, sshKeyPath, sshJumpHost, sshArgs} = server
  return {
    id, name, isLocal, sshHost, sshPort, sshUser, sshAuthMethod, sshKeyPath, sshJumpHost, sshArgs,
    hasStoredPassword: server.sshPassword !== null,
    hasStoredKeyMaterial: server.sshPrivateKey !== null,
    hostKeyFingerprint: server.hostKeyFingerprint,
    hostKeyStatus: server.hostKeyFingerprint === null ? 'none' : server.hostKeyConfirmed ? 'verified' : 'unverified',
    jumpHostKeys: server.jumpHostKeys,
    workspaceId: server.workspaceId,
    powerState: server.powerState,
    projectCount,
    hostChannel: isLocal ? {ok: true, channel: 'local', hint: null} : null,
    country: server.country,
    createdAt: server.createdAt,
  }
}
