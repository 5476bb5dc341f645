import {Fault, invalidInput, type FieldError} from '../../src/contract/faults.js'
import type {StoreReader} from '../store/store.js'
import type {Sealer} from '../store/secrets.js'
import {Servers, type ServerRecord} from './records.js'
import {sealContext} from './server-target.js'
import {checkKeyPath, looksPrivate} from './ssh/key-file.js'
import {parseJumpHosts, parseSshArgs} from './ssh/ssh-args.js'

/** The connection fields of a request, parsed; what is undefined was not sent. */
export interface ConnectionInput {
  readonly name?: string | null | undefined
  readonly sshHost?: string | undefined
  readonly sshPort?: number | null | undefined
  readonly sshUser?: string | null | undefined
  readonly sshAuthMethod?: ServerRecord['sshAuthMethod'] | undefined
  readonly sshPassword?: string | null | undefined
  readonly sshKeyPath?: string | null | undefined
  readonly sshPrivateKey?: string | null | undefined
  readonly sshKeyPassphrase?: string | null | undefined
  readonly sshJumpHost?: string | null | undefined
  readonly sshArgs?: string | null | undefined
  readonly hostKeyFingerprint?: string | null | undefined
  readonly jumpHostKeyFingerprints?: readonly string[] | undefined
  readonly workspaceId?: string | null | undefined
  readonly powerState?: ServerRecord['powerState'] | undefined
}

const sealed = ['sshPassword', 'sshPrivateKey', 'sshKeyPassphrase'] as const
const plain = ['name', 'sshHost', 'sshPort', 'sshUser', 'sshAuthMethod', 'sshKeyPath', 'sshJumpHost', 'sshArgs', 'workspaceId', 'powerState'] as const

/** What a blank stands for where a record can not be without a value. */
const defaults: Readonly<Partial<Record<(typeof plain)[number], string | number>>> = {sshPort: 22, sshUser: 'root'}

/** A record with the sent fields in it, checked as a whole. Clients send empty texts for fields they leave blank: those are null, or the default. */
export function withInput(sealer: Sealer, record: ServerRecord, input: ConnectionInput): ServerRecord {
  const blankToNull = (value: unknown) => (value === '' ? null : value)
  const changes: Record<string, unknown> = {}
  for (const field of plain) if (input[field] !== undefined) changes[field] = blankToNull(input[field]) ?? defaults[field] ?? null
  for (const field of sealed) {
    const value = input[field]
    if (value !== undefined) changes[field] = value === null || value === '' ? null : sealer.seal(value, sealContext(record.id, field))
  }
  // Each value came through the schema of its own field; what is blank was nullable there.
  const changed: ServerRecord = {...record, ...changes, ...pinsOf(record, input)}
  checkServer(changed, input)
  return changed
}

function pinsOf(record: ServerRecord, input: ConnectionInput): Partial<ServerRecord> {
  const pins: {hostKeyFingerprint?: string | null; hostKeyConfirmed?: boolean; jumpHostKeys?: ServerRecord['jumpHostKeys']} = {}
  if (input.hostKeyFingerprint !== undefined) {
    pins.hostKeyFingerprint = input.hostKeyFingerprint
    pins.hostKeyConfirmed = input.hostKeyFingerprint !== null
  }
  const args = input.sshArgs === undefined ? record.sshArgs : input.sshArgs
  const jumpHost = (input.sshJumpHost === undefined ? record.sshJumpHost : input.sshJumpHost) || parseSshArgs(args ?? '').jump
  if (input.jumpHostKeyFingerprints !== undefined) {
    const hosts = jumpHostNames(jumpHost)
    pins.jumpHostKeys = input.jumpHostKeyFingerprints.map((hostKeyFingerprint, index) => ({host: hosts[index] ?? '', hostKeyFingerprint}))
  } else if ((input.sshJumpHost !== undefined && input.sshJumpHost !== record.sshJumpHost) || (input.sshArgs !== undefined && input.sshArgs !== record.sshArgs)) {
    pins.jumpHostKeys = []
  }
  return pins
}

function jumpHostNames(jumpHost: string | null): string[] {
  if (jumpHost === null || jumpHost === '') return []
  return parseJumpHosts(jumpHost).map((step) => ('serverId' in step ? step.serverId : step.host))
}

function checkServer(server: ServerRecord, input: ConnectionInput): void {
  if (server.sshArgs !== null) parseSshArgs(server.sshArgs)
  if (server.sshJumpHost !== null) parseJumpHosts(server.sshJumpHost)
  if (server.sshKeyPath !== null) checkKeyPath(server.sshKeyPath)
  const errors: FieldError[] = []
  const privateKey = input.sshPrivateKey ?? ''
  if (privateKey !== '' && !looksPrivate(privateKey)) {
    errors.push({path: '/sshPrivateKey', message: 'is no private key in PEM or OpenSSH form'})
  }
  if (server.sshAuthMethod === 'password' && server.sshPassword === null) errors.push({path: '/sshPassword', message: 'is required for the method password'})
  if (server.sshAuthMethod === 'key' && server.sshPrivateKey === null && server.sshKeyPath === null) {
    errors.push({path: '/sshKeyPath', message: 'give sshKeyPath or sshPrivateKey for the method key'})
  }
  if (/[\s/\p{Cc}]/u.test(server.sshHost)) errors.push({path: '/sshHost', message: 'is not a host name or an address'})
  if (errors.length > 0) throw invalidInput(errors)
}

/** Refuses a name or an address that another server of the organization has. */
export async function refuseTaken(reader: StoreReader, server: ServerRecord): Promise<void> {
  const atAddress = await reader.find(Servers, 'address', [server.organizationId, server.sshHost, server.sshPort, server.sshUser])
  const twin = atAddress.find((other) => other.id !== server.id && !other.isLocal && other.sshJumpHost === server.sshJumpHost)
  if (twin !== undefined) {
    throw new Fault('SERVER_EXISTS', `${server.sshUser}@${server.sshHost}:${server.sshPort} is there already`, {details: {serverId: twin.id}, suggestions: [`servers show ${twin.id}`]})
  }
  if (server.name === null) return
  const all = await reader.find(Servers, 'organization', [server.organizationId])
  const namesake = all.find((other) => other.id !== server.id && other.name === server.name)
  if (namesake !== undefined) throw new Fault('SERVER_EXISTS', `a server named ${server.name} is there already`, {details: {serverId: namesake.id}, suggestions: [`servers show ${namesake.id}`]})
}

const connecting: readonly (keyof ServerRecord)[] = [
  'sshHost', 'sshPort', 'sshUser', 'sshAuthMethod', 'sshPassword', 'sshPrivateKey', 'sshKeyPassphrase', 'sshKeyPath', 'sshJumpHost', 'sshArgs',
  'hostKeyFingerprint', 'jumpHostKeys',
]

/** Whether the way to the server is another one now, so that connections made before must go. */
export function connectsDifferently(before: ServerRecord, after: ServerRecord): boolean {
  return connecting.some((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]))
}

/** A stored password goes on to another address only where the pinned host key proves that it is the same server. */
export function refusePasswordElsewhere(stored: ServerRecord, changed: ServerRecord): void {
  if (stored.sshPassword === null || stored.sshPassword !== changed.sshPassword) return
  const moved = stored.sshHost !== changed.sshHost || stored.sshPort !== changed.sshPort
  const proven = stored.hostKeyFingerprint !== null && stored.hostKeyFingerprint === changed.hostKeyFingerprint
  const otherWay = (stored.sshJumpHost !== changed.sshJumpHost || stored.sshArgs !== changed.sshArgs) && changed.jumpHostKeys.length === 0
  if ((moved && !proven) || otherWay) {
    throw invalidInput([{path: '/sshPassword', message: 'give it again, or null: the stored one would be told to whoever answers at the new address'}])
  }
}

/** What is stored is for one address. Sent elsewhere, a password would be told to whoever answers there. */
export function refuseStoredSecretElsewhere(stored: ServerRecord, tried: ServerRecord): void {
  const moved = (['sshHost', 'sshPort', 'sshUser', 'sshJumpHost', 'sshArgs'] as const).some((field) => stored[field] !== tried[field])
  const keepsSecret = sealed.some((field) => stored[field] !== null && stored[field] === tried[field])
  if (moved && keepsSecret) throw invalidInput([{path: '/sshHost', message: 'differs from the stored address: give the credential again, or clear it'}])
}
