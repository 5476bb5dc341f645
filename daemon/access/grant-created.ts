import type {Transaction} from '../store/store.js'
import type {Principal} from './principal.js'
import {Tokens} from './records.js'

export interface CreatedResource {
  readonly resourceType: string
  readonly resourceId: string
}

/** A scoped token manages what it made: its `create` grant brings read, write and admin on the new resource, in the same transaction. */
export async function grantCreated(transaction: Transaction, principal: Principal, created: CreatedResource): Promise<void> {
  if (!principal.scoped || principal.kind !== 'token') return
  const token = await transaction.get(Tokens, principal.credentialId)
  if (token === undefined) return
  await transaction.put(Tokens, {...token, grants: [...token.grants, {...created, permissions: ['read', 'write', 'admin']}]})
}
