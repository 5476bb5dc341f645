import {secretContext} from './definitions/job-secrets.js'
import type {OpenSecrets} from './run-follower.js'

export interface SecretOpener {
  open(sealed: string, context: string): string
}

/** Opens the secrets of a run as they were sealed for its job, each bound to its name. */
export function createOpenSecrets(sealer: SecretOpener): OpenSecrets {
  return ({jobId, secrets}) => Object.fromEntries(Object.entries(secrets).map(([name, sealed]) => [name, sealer.open(sealed, secretContext(jobId, name))]))
}
