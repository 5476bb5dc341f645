import type {ConnectionTest} from '../contract/server.js'
import {Fault} from '../contract/faults.js'
import type {Output} from './output.js'
import type {Prompts} from './prompts.js'

export interface HostKeys {
  readonly hostKeyFingerprint: string
  readonly jumpHostKeyFingerprints: string[]
}

export interface HostKeyQuestion {
  /** How the server is called in the question. */
  readonly name: string
  readonly test: ConnectionTest
  /** The pin so far. */
  readonly pinned: string | null
  readonly yes: boolean
}

/** Shows the host keys that were answered with and has a person confirm them. Off a terminal it names the flag that takes them. */
export async function confirmHostKeys({name, test, pinned, yes}: HostKeyQuestion, out: Output, prompts: Prompts): Promise<HostKeys> {
  const key = test.hostKeyFingerprint
  if (key === null) throw unreachable(name, test)
  for (const jump of test.jumpHostKeys) out.note(`host key of ${jump.host}: ${jump.hostKeyFingerprint}`)
  if (pinned !== null && pinned !== key) out.warn(`the host key of ${name} has changed\n  pinned: ${pinned}\n  now:    ${key}`)
  else out.note(`host key of ${name}: ${key}`)
  out.note('compare it with: ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub, run on the server itself')
  if (!yes && !prompts.canAsk) {
    throw new Fault('CONFIRMATION_REQUIRED', `the host key of ${name} has to be confirmed: give --host-key ${key} if it is the right one`, {
      details: {hostKeyFingerprint: key, jumpHostKeys: test.jumpHostKeys, pinned},
    })
  }
  await prompts.confirm(test.jumpHostKeys.length > 0 ? 'Are these the right keys?' : 'Is this the right key?', yes)
  return {hostKeyFingerprint: key, jumpHostKeyFingerprints: test.jumpHostKeys.map((jump) => jump.hostKeyFingerprint)}
}

/** The fault of a connection that was tried and did not come about. */
export function unreachable(name: string, test: Pick<ConnectionTest, 'code' | 'message' | 'hint'>): Fault {
  return new Fault('SERVER_UNREACHABLE', `${test.message.includes(name) ? '' : `${name}: `}${test.message}${test.hint === null ? '' : ` (${test.hint})`}`, {details: {code: test.code, hint: test.hint}})
}
