import {createHash} from 'node:crypto'
import type {ComposeService} from './compose-model.js'

/**
 * The same for services that mean the same, whatever the order of their keys. Holds what can be guessed of short secrets, so it stays inside.
 */
export function fingerprint(service: ComposeService): string {
  return createHash('sha256').update(canonicalJson(service)).digest('hex').slice(0, 24)
}

/** JSON with keys in one order; what is undefined or an empty optional list is not there. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
  }) ?? 'undefined'
}

export function isSame(a: unknown, b: unknown): boolean {
  return canonicalJson(a) === canonicalJson(b)
}
