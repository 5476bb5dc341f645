import {Fault} from '../../../src/contract/faults.js'
import type {ReachabilityCode} from '../../../src/contract/server.js'
import {hopAddress, type SshHop, type SshTarget} from './ssh-target.js'

/** Where in the making of a connection it went wrong. */
export type ConnectPhase = 'tcp' | 'handshake' | 'authentication'

type FailureCode = Exclude<ReachabilityCode, 'reachable' | 'host_key_changed'>

const hints: Partial<Record<FailureCode, string>> = {
  refused: 'check the port, and that the SSH server is running there',
  filtered: 'a firewall drops the packets: open the port for the address of this machine, or go through a jump host',
  unreachable: 'check the address and the route to it',
  dns_failed: 'check the spelling of the host name, or give its address',
  auth_failed: 'check the user and the credential; a key must stand in ~/.ssh/authorized_keys of that user',
  key_missing: 'put the key file there, or paste the key',
  key_invalid: 'give a private key in PEM or OpenSSH form, with its passphrase if it has one',
  key_path_invalid: 'give the path of a private key that the daemon may read',
  permission_denied: 'allow this user to run commands and to forward connections on that server',
  timeout: 'the port answers but nothing speaks; try again, or check the load of the server',
  protocol_error: 'check the port: what answers there does not speak SSH, or hung up at once',
  misconfigured: 'check the disk and the home folder of the login user',
}

export interface FailureSubject {
  readonly target: SshTarget
  readonly hop: SshHop
}

export function connectFault(subject: FailureSubject, code: FailureCode, what: string, cause?: unknown): Fault {
  const {target, hop} = subject
  const via = target.hops.at(-1) === hop ? '' : `jump host ${hopAddress(hop)}: `
  return new Fault('SERVER_UNREACHABLE', `can not reach ${target.name}: ${via}${what}`, {
    details: {code, serverId: target.serverId, hint: hints[code] ?? null},
    ...(cause === undefined ? {} : {cause}),
  })
}

export function hostKeyFault(subject: FailureSubject, expected: string, presented: string): Fault {
  const {target, hop} = subject
  return new Fault('HOST_KEY_CHANGED', `${hopAddress(hop)} answers with host key ${presented}, not with the pinned ${expected}`, {
    details: {
      expected, presented, host: hop.host, serverId: target.serverId,
      hint: 'if the server was installed anew, confirm the new key; else someone may stand in between',
    },
    ...(target.serverId === null ? {} : {suggestions: [`servers update ${target.serverId} --host-key ${presented}`]}),
  })
}

const systemCodes: Readonly<Record<string, readonly [FailureCode, string]>> = {
  ECONNREFUSED: ['refused', 'the connection was refused'],
  ETIMEDOUT: ['filtered', 'no answer at all'],
  EHOSTUNREACH: ['unreachable', 'there is no route to it'],
  ENETUNREACH: ['unreachable', 'there is no network route to it'],
  ENOTFOUND: ['dns_failed', 'the host name is not known'],
  EAI_AGAIN: ['dns_failed', 'the name server did not answer'],
  EACCES: ['permission_denied', 'this machine may not open the connection'],
  EPERM: ['filtered', 'a firewall of this machine forbids the connection'],
}

/** Translates what the socket or ssh2 reports; `phase` says how far it got. */
export function translateConnectError(subject: FailureSubject, phase: ConnectPhase, error: unknown): Fault {
  if (error instanceof Fault) return error
  const code = propertyOf(error, 'code')
  const level = propertyOf(error, 'level')
  const known = typeof code === 'string' ? systemCodes[code] : undefined
  if (known !== undefined && phase === 'tcp') return connectFault(subject, known[0], known[1], error)
  if (level === 'client-authentication') return connectFault(subject, 'auth_failed', `${subject.hop.user} was not let in`, error)
  if (level === 'agent') return connectFault(subject, 'auth_failed', 'the SSH agent of the daemon did not answer', error)
  if (level === 'client-timeout') return connectFault(subject, 'timeout', 'it did not answer in time', error)
  if (phase === 'authentication') return connectFault(subject, 'auth_failed', 'it hung up while we signed in', error)
  if (phase === 'handshake') return connectFault(subject, 'protocol_error', 'what answers there does not speak SSH, or hung up at once', error)
  return connectFault(subject, 'unknown', error instanceof Error ? error.message : 'unknown failure', error)
}

const forwardReasons: readonly (readonly [RegExp, FailureCode, string])[] = [
  [/refused/i, 'refused', 'the connection was refused'],
  [/timed out/i, 'filtered', 'no answer at all'],
  [/resolve|not known|no address/i, 'dns_failed', 'the jump host does not know the host name'],
  [/route|unreachable/i, 'unreachable', 'the jump host has no route to it'],
]

/** A jump host could not reach the next one. Only its words say why, and those are OpenSSH's. */
export function translateForwardError(subject: FailureSubject, error: unknown): Fault {
  if (error instanceof Fault) return error
  if (propertyOf(error, 'reason') === 1) return connectFault(subject, 'permission_denied', 'the jump host does not forward connections', error)
  const text = error instanceof Error ? error.message : ''
  const [, code, what] = forwardReasons.find(([pattern]) => pattern.test(text)) ?? [null, 'unreachable' as const, 'the jump host could not connect to it']
  return connectFault(subject, code, what, error)
}

function propertyOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && name in value ? (value as Record<string, unknown>)[name] : undefined
}
