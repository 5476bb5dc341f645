import {Fault, type FaultCode} from '../../../src/contract/faults.js'
import {CommandEnded} from '../channel-duplex.js'
import {SocketRefused} from '../socket-refused.js'
import {EngineLost, EngineRefused} from './ask-engine.js'

// Every failure of an engine gets its words here. `details.reason` is what a program branches on.

export interface EngineSubject {
  readonly serverId: string
  /** Named in messages. */
  readonly name: string
}

export type UnavailableReason = 'not_installed' | 'not_running' | 'permission_denied' | 'no_compose' | 'not_answering' | 'hung_up'

const hints: Readonly<Record<UnavailableReason, string>> = {
  not_installed: 'install Docker Engine: the package docker.io of Debian and Ubuntu, or docker-ce from Docker',
  not_running: 'start it there: sudo systemctl start docker',
  permission_denied: 'add the user to the group docker there (sudo usermod -aG docker USER), allow it sudo, or log in as root',
  no_compose: 'install the package docker-compose-plugin (from Docker) or docker-compose (Debian, Ubuntu)',
  not_answering: 'look at its log there: journalctl -u docker',
  hung_up: 'look at its log there: journalctl -u docker',
}

export function unavailable({serverId, name}: EngineSubject, reason: UnavailableReason, what: string, cause?: unknown): Fault {
  return new Fault('ENGINE_UNAVAILABLE', `the container engine of ${name} can not be used: ${what}`, {
    details: {serverId, reason, hint: hints[reason]},
    suggestions: [`servers check ${serverId}`],
    ...(cause === undefined ? {} : {cause}),
  })
}

/** What the engine, its client or Compose refused to do, in their words. */
export function refused(code: FaultCode, message: string, details: Readonly<Record<string, unknown>>, cause?: unknown): Fault {
  return new Fault(code, message, {details, ...(cause === undefined ? {} : {cause})})
}

// The client of the engine has words alone for why it got nowhere.
const clientFailures: readonly (readonly [RegExp, UnavailableReason])[] = [
  [/permission denied/i, 'permission_denied'],
  [/cannot connect to the docker daemon|is the docker daemon running|connection refused|no such file or directory/i, 'not_running'],
  [/not found|no such program/i, 'not_installed'],
]

export function reasonOf(stderr: string): UnavailableReason | undefined {
  return clientFailures.find(([pattern]) => pattern.test(stderr))?.[1]
}

/** Translates what a call to the engine failed with; what is no failure of the engine comes back as it is. */
export function toFault(subject: EngineSubject, error: unknown): unknown {
  if (error instanceof EngineRefused) return fromAnswer(subject, error)
  if (error instanceof SocketRefused) return fromSocket(subject, error)
  if (error instanceof CommandEnded) {
    const what = error.stderr.split('\n')[0] || 'its client hung up'
    return unavailable(subject, reasonOf(error.stderr) ?? 'hung_up', what, error)
  }
  if (error instanceof EngineLost) return unavailable(subject, 'hung_up', error.message, error)
  return error
}

function fromAnswer({serverId}: EngineSubject, error: EngineRefused): Fault {
  const code = error.status === 404 ? 'NOT_FOUND' : error.status === 400 ? 'VALIDATION_ERROR' : 'CONFLICT'
  const reason = isDiskFull(error.message) ? 'disk_full' : 'engine_refused'
  return refused(code, error.message, {serverId, reason, status: error.status}, error)
}

function fromSocket(subject: EngineSubject, {socketPath, because, cause}: SocketRefused): Fault {
  if (because === 'not_allowed') return unavailable(subject, 'permission_denied', `the user may not use ${socketPath}`, cause)
  if (because === 'missing') return unavailable(subject, 'not_running', `there is no ${socketPath}`, cause)
  return unavailable(subject, 'not_running', `nothing answers at ${socketPath}`, cause)
}

/** Whether the way to the engine itself is in doubt after this, so that it has to be looked for again. */
export function isWayLost(error: unknown): boolean {
  return error instanceof Fault && (error.code === 'SERVER_UNREACHABLE' || error.code === 'ENGINE_UNAVAILABLE')
}

export function isDiskFull(text: string): boolean {
  return /no space left on device|disk quota exceeded/i.test(text)
}
