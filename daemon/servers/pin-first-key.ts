import type {Store} from '../store/store.js'
import {Servers} from './records.js'
import type {PresentedKey} from './ssh/open-connection.js'
import type {SshTarget} from './ssh/ssh-target.js'

/** A server that had no pin gets the key that answered; it counts as unverified until a person confirms it. */
export async function pinFirstKey(store: Store, target: SshTarget, presented: readonly PresentedKey[]): Promise<void> {
  const {serverId, hops} = target
  if (serverId === null || hops.every((hop) => hop.expectedFingerprint !== null)) return
  await store.transaction(async (transaction) => {
    const server = await transaction.get(Servers, serverId)
    if (server === undefined) return
    const own = presented.at(-1)?.hostKeyFingerprint ?? null
    const jumps = presented.slice(0, -1).map((key) => ({...key}))
    await transaction.put(Servers, {
      ...server,
      hostKeyFingerprint: server.hostKeyFingerprint ?? own,
      jumpHostKeys: server.jumpHostKeys.length > 0 ? server.jumpHostKeys : jumps,
    })
  })
}
