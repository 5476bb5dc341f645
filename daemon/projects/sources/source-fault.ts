import {Fault} from '../../../src/contract/faults.js'

/** Why a source can not be had: `details.reason` of SOURCE_UNAVAILABLE. Programs branch on it, so a name stays. */
export type SourceReason =
  /** The address is of no form that we fetch from. */
  | 'address'
  /** The name of the host has no address. */
  | 'host'
  /** Nobody answers there, or the connection broke. */
  | 'unreachable'
  | 'timeout'
  /** The host answers with another key than it did before. */
  | 'host-key-changed'
  | 'certificate'
  /** A login or key is missing or wrong. */
  | 'login'
  | 'repository'
  /** The repository holds no commit. */
  | 'empty'
  | 'branch'
  /** The name is that of a tag. */
  | 'tag'
  | 'commit'
  | 'submodule'
  | 'too-large'
  | 'folder'
  | 'upload'
  /** Something changed while it was read. */
  | 'changed'
  /** A program is not installed on the machine of the daemon. */
  | 'program'
  | 'other'

interface SourceFaultOptions {
  readonly details?: Readonly<Record<string, unknown>>
  readonly suggestions?: readonly string[]
  readonly cause?: unknown
}

export function sourceFault(reason: SourceReason, message: string, {details, suggestions, cause}: SourceFaultOptions = {}): Fault {
  return new Fault('SOURCE_UNAVAILABLE', message, {details: {...details, reason}, ...(suggestions && {suggestions}), ...(cause !== undefined && {cause})})
}

/** The reason of a fault of a source; undefined of anything else. */
export function reasonOf(error: unknown): SourceReason | undefined {
  if (!(error instanceof Fault) || error.code !== 'SOURCE_UNAVAILABLE') return undefined
  return error.details['reason'] as SourceReason
}
