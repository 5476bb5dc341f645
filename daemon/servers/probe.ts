import {Fault} from '../../src/contract/faults.js'
import {ReachabilityCode, type ConnectionTest} from '../../src/contract/server.js'
import type {Clock} from '../clock.js'
import type {PresentedKey} from './ssh/open-connection.js'
import {lastHop, type SshTarget} from './ssh/ssh-target.js'

export interface Probe extends ConnectionTest {
  readonly latencyMs: number | null
  /** The fault, where the host key differs from the expected one. */
  readonly keyFault: Fault | null
}

export interface Prober {
  probe(target: SshTarget, signal: AbortSignal, presented: PresentedKey[]): Promise<readonly PresentedKey[]>
}

/** Tries a connection and tells what came of it; only bad input and the caller's own signal throw. */
export async function probeTarget(prober: Prober, clock: Clock, target: SshTarget, signal: AbortSignal): Promise<Probe> {
  const presented: PresentedKey[] = []
  const startedMs = clock.now()
  try {
    await prober.probe(target, signal, presented)
    const latencyMs = clock.now() - startedMs
    return {ok: true, code: 'reachable', message: `connected to ${target.name}`, hint: null, ...keysOf(target, presented), latencyMs, keyFault: null}
  } catch (error) {
    if (!(error instanceof Fault) || (error.code !== 'SERVER_UNREACHABLE' && error.code !== 'HOST_KEY_CHANGED')) throw error
    const isKey = error.code === 'HOST_KEY_CHANGED'
    const code = isKey ? 'host_key_changed' : ReachabilityCode.catch('unknown').parse(error.details['code'])
    const hint = typeof error.details['hint'] === 'string' ? error.details['hint'] : null
    return {ok: false, code, message: error.message, hint, ...keysOf(target, presented), latencyMs: null, keyFault: isKey ? error : null}
  }
}

// The target's own key is the last, if the way went that far; those before it belong to jump hosts.
function keysOf(target: SshTarget, presented: readonly PresentedKey[]) {
  const jumps = target.hops.length - 1
  const hostKeyFingerprint = presented.length > jumps ? (presented.at(-1)?.hostKeyFingerprint ?? null) : null
  return {hostKeyFingerprint, jumpHostKeys: presented.slice(0, jumps).map((key) => ({...key}))}
}

export function wayOf(target: SshTarget): 'ssh' | 'jump' {
  return target.hops.length > 1 ? 'jump' : 'ssh'
}

export function addressOf(target: SshTarget): {target: string; port: number} {
  const {host, port} = lastHop(target)
  return {target: host, port}
}
