import {Fault} from '../../src/contract/faults.js'
import type {SudoMode} from './exec-plan.js'
import type {ExecResult} from './runner.js'

export interface SudoSubject {
  readonly serverId: string
  readonly serverName: string
  readonly user: string
  readonly password: string | null
}

/** Runs `true` through sudo in a mode and tells how it went. */
export type TrySudo = (mode: SudoMode) => Promise<ExecResult>

/** How this user becomes root: not at all, without being asked, or by the login password. Throws when sudo refuses both. */
export async function findSudoMode(subject: SudoSubject, trySudo: TrySudo): Promise<SudoMode> {
  if (subject.user === 'root') return 'none'
  const quiet = await trySudo('without_password')
  if (quiet.exitCode === 0) return 'without_password'
  if (quiet.exitCode === 127) throw refused(subject, 'sudo is not installed there')
  if (subject.password === null) throw refused(subject, 'sudo asks for a password and none is stored')
  const asked = await trySudo('with_password')
  if (asked.exitCode === 0) return 'with_password'
  throw refused(subject, 'sudo does not accept the login password, or does not allow it')
}

function refused(subject: SudoSubject, why: string): Fault {
  return new Fault('SERVER_UNREACHABLE', `${subject.user} can not become root on ${subject.serverName}: ${why}`, {
    details: {
      code: 'permission_denied', serverId: subject.serverId,
      hint: 'log in as root, store the password of the user, or allow the user NOPASSWD in sudoers',
    },
  })
}
