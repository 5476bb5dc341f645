import {Fault, invalidInput} from '../../src/contract/faults.js'
import type {StoreReader} from '../store/store.js'
import type {Sealer} from '../store/secrets.js'
import {Servers, type ServerRecord} from './records.js'
import {parseJumpHosts, parseSshArgs, type JumpStep} from './ssh/ssh-args.js'
import type {SshCredentials, SshHop, SshTarget} from './ssh/ssh-target.js'

type SealedField = 'sshPassword' | 'sshPrivateKey' | 'sshKeyPassphrase'

export function sealContext(serverId: string, field: SealedField): string {
  return `servers/${serverId}/${field}`
}

const defaultConnectMs = 15_000
const defaultKeepaliveMs = 15_000
const deepestJump = 8

/** How to connect to a server: every hop with its own credentials and its own pin. */
export async function toTarget(reader: StoreReader, sealer: Sealer, server: ServerRecord): Promise<SshTarget> {
  const args = parseSshArgs(server.sshArgs ?? '')
  const hops = await hopsTo(reader, sealer, server, [])
  return {
    serverId: server.id,
    name: server.name ?? `${server.sshUser}@${server.sshHost}`,
    hops,
    connectTimeoutMs: args.connectTimeoutSeconds === null ? defaultConnectMs : args.connectTimeoutSeconds * 1000,
    keepaliveMs: args.serverAliveSeconds === null ? defaultKeepaliveMs : args.serverAliveSeconds * 1000,
  }
}

async function hopsTo(reader: StoreReader, sealer: Sealer, server: ServerRecord, through: readonly string[]): Promise<SshHop[]> {
  if (through.includes(server.id) || through.length > deepestJump) {
    throw invalidInput([{path: '/sshJumpHost', message: 'the jump hosts lead in a circle'}])
  }
  const args = parseSshArgs(server.sshArgs ?? '')
  const credentials = openCredentials(sealer, server)
  const jump = server.sshJumpHost ?? args.jump
  const steps = jump === null || jump === '' ? [] : parseJumpHosts(jump)
  const before: SshHop[] = []
  for (const [index, step] of steps.entries()) before.push(...(await hopsOfStep(step, server, credentials, index)))
  const port = args.port ?? server.sshPort
  return [...before, {host: server.sshHost, port, user: server.sshUser, credentials, expectedFingerprint: server.hostKeyFingerprint}]

  async function hopsOfStep(step: JumpStep, from: ServerRecord, own: SshCredentials, index: number): Promise<SshHop[]> {
    if ('serverId' in step) {
      const other = await reader.get(Servers, step.serverId)
      const isUsable = other !== undefined && other.organizationId === from.organizationId && !other.isLocal
      if (!isUsable) throw invalidInput([{path: '/sshJumpHost', message: `${step.serverId} is no server that can be passed through`}])
      return hopsTo(reader, sealer, other, [...through, from.id])
    }
    return [{host: step.host, port: step.port, user: step.user ?? from.sshUser, credentials: own, expectedFingerprint: pinOf(from, step.host, index)}]
  }
}

// Pins stand in the order of the hops; a step that is a server with jump hosts of its own shifts them.
function pinOf({jumpHostKeys}: ServerRecord, host: string, index: number): string | null {
  const inPlace = jumpHostKeys[index]
  const pin = inPlace?.host === host ? inPlace : jumpHostKeys.find((key) => key.host === host)
  return pin?.hostKeyFingerprint ?? null
}

function openCredentials(sealer: Sealer, server: ServerRecord): SshCredentials {
  const opened = (field: SealedField) => {
    const sealed = server[field]
    return sealed === null ? null : openSealed(sealer, sealed, server, field)
  }
  return {
    method: server.sshAuthMethod,
    password: opened('sshPassword'),
    privateKey: opened('sshPrivateKey'),
    keyPath: server.sshKeyPath,
    passphrase: opened('sshKeyPassphrase'),
  }
}

function openSealed(sealer: Sealer, sealed: string, server: ServerRecord, field: SealedField): string {
  try {
    return sealer.open(sealed, sealContext(server.id, field))
  } catch (error) {
    throw new Fault('SERVER_UNREACHABLE', `the stored ${field} of server ${server.name ?? server.id} can not be read with the key of this instance; give it again`, {
      details: {code: 'misconfigured', serverId: server.id},
      cause: error,
    })
  }
}
