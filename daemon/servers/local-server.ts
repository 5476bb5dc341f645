import os from 'node:os'
import {newId} from '../store/ids.js'
import type {Transaction} from '../store/store.js'
import {Servers} from './records.js'

/** The row for the machine the daemon runs on; made once, with the first organization. */
export async function addLocalServer(transaction: Transaction, organizationId: string, now: string): Promise<void> {
  await transaction.insert(Servers, {
    id: newId('srv'),
    organizationId,
    name: 'local',
    isLocal: true,
    sshHost: 'localhost',
    sshPort: 22,
    sshUser: os.userInfo().username,
    sshAuthMethod: null,
    sshPassword: null,
    sshPrivateKey: null,
    sshKeyPassphrase: null,
    sshKeyPath: null,
    sshJumpHost: null,
    sshArgs: null,
    hostKeyFingerprint: null,
    hostKeyConfirmed: false,
    jumpHostKeys: [],
    workspaceId: null,
    powerState: 'running',
    country: null,
    createdAt: now,
    updatedAt: now,
  })
}
