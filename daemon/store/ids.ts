import {randomBytes} from 'node:crypto'

export type IdPrefix =
  | 'usr' | 'org' | 'mem' | 'pat' | 'aud' | 'srv' | 'proj' | 'svc' | 'env' | 'dep' | 'job' | 'jrun' | 'hook' | 'dlv' | 'chan' | 'sub' | 'ntf' | 'dom' | 'cert'
  | 'mig' | 'capp' | 'evt' | 'req'

/** A prefix and 16 base64url characters of randomness. Ids do not sort. */
export function newId(prefix: IdPrefix): string {
  return `${prefix}_${randomBytes(12).toString('base64url')}`
}
