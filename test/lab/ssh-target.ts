import {systemClock} from '../../daemon/clock.js'
import type {Runner} from '../../daemon/servers/runner.js'
import {ConnectionPool, type PoolParts} from '../../daemon/servers/ssh/connection-pool.js'
import {sshRunner} from '../../daemon/servers/ssh/ssh-runner.js'
import type {SshCredentials, SshHop, SshTarget} from '../../daemon/servers/ssh/ssh-target.js'
import type {LabKeys} from './lab-keys.js'
import type {LabServer} from './sshd.js'
import type {LabUser} from './lab-users.js'

const noCredentials: SshCredentials = {method: null, password: null, privateKey: null, keyPath: null, passphrase: null}

export function hopTo(server: LabServer, user: LabUser, credentials: Partial<SshCredentials>, more: Partial<SshHop> = {}): SshHop {
  return {host: server.host, port: server.port, user: user.name, credentials: {...noCredentials, ...credentials}, expectedFingerprint: server.fingerprint(), ...more}
}

export function targetOf(hops: readonly SshHop[], more: Partial<SshTarget> = {}): SshTarget {
  return {serverId: 'srv_lab', name: 'lab', hops, connectTimeoutMs: 10_000, keepaliveMs: 15_000, ...more}
}

export function labPool(parts: Partial<PoolParts> = {}): ConnectionPool {
  return new ConnectionPool({clock: systemClock, settings: {keyFolders: [], agentSocket: undefined}, ...parts})
}

/** A runner for a lab server, by key, over a pool of its own unless given. */
export function labRunner(lab: Pick<LabKeys, 'key'>, server: LabServer, user: LabUser, pool: ConnectionPool = labPool()): Runner {
  return runnerTo(targetOf([hopTo(server, user, {method: 'key', privateKey: lab.key})]), pool)
}

export function runnerTo(target: SshTarget, pool: ConnectionPool): Runner {
  return sshRunner({serverId: target.serverId ?? 'srv_lab', pool, clock: systemClock, findTarget: async () => target, automatic: false, name: target.name})
}
