import type {Clock} from '../clock.js'
import type {Store} from '../store/store.js'
import {isLive, principalOf} from './authenticate.js'
import type {Principal} from './principal.js'
import {Members, Tokens} from './records.js'

/** Calls back when tokens or memberships have changed; the answer stops it. */
export function onCredentialChange(store: Store, listener: () => void): () => void {
  return store.onCommit((changed) => {
    if (changed.has(Tokens.name) || changed.has(Members.name)) listener()
  })
}

/** The principal of a credential as it stands now; undefined once it is revoked, expired or its owner gone. */
export async function currentPrincipal(store: Store, clock: Clock, principal: Principal): Promise<Principal | undefined> {
  const token = await store.get(Tokens, principal.credentialId)
  return token !== undefined && isLive(token, clock.now()) ? principalOf(store, token) : undefined
}
