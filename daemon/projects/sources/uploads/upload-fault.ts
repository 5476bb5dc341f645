import {Fault} from '../../../../src/contract/faults.js'

/** Why an upload is not taken: `details.reason` of UPLOAD_REFUSED. Programs branch on it, so a name stays. */
export type UploadReason =
  /** It is no gzipped tar archive, or a damaged one. */
  | 'format'
  /** It ends before its end. */
  | 'truncated'
  /** The caller hung up, or sent nothing for too long. */
  | 'interrupted'
  /** A path that is absolute, leads out or can not be written. */
  | 'path'
  /** A link that leads out or to nothing. */
  | 'link'
  /** A device, a pipe, or a kind that nobody knows. */
  | 'kind'
  /** A path that is there twice, or below something that is no folder. */
  | 'duplicate'
  | 'too-many'
  /** Unpacked it would be too large. */
  | 'bomb'
  | 'empty'
  | 'expired'
  /** Nothing has been sent yet. */
  | 'missing'

export function uploadFault(reason: UploadReason, message: string, details: Readonly<Record<string, unknown>> = {}, cause?: unknown): Fault {
  return new Fault('UPLOAD_REFUSED', message, {details: {...details, reason}, suggestions: ['deploy .'], ...(cause !== undefined && {cause})})
}
