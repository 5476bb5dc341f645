import type {SshAuthMethod} from '../../../src/contract/server.js'
import type {z} from 'zod'

export interface SshCredentials {
  /** null: whatever is there, key before agent before password. */
  readonly method: z.output<typeof SshAuthMethod> | null
  readonly password: string | null
  /** A private key as text; wins over keyPath. */
  readonly privateKey: string | null
  readonly keyPath: string | null
  readonly passphrase: string | null
}

/** One SSH server on the way; the last one is the target itself. */
export interface SshHop {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly credentials: SshCredentials
  /** `SHA256:…`; null takes the first key that answers. */
  readonly expectedFingerprint: string | null
}

export interface SshTarget {
  /** null for a connection that is only tried. */
  readonly serverId: string | null
  /** For messages. */
  readonly name: string
  readonly hops: readonly SshHop[]
  readonly connectTimeoutMs: number
  readonly keepaliveMs: number
}

export function lastHop(target: SshTarget): SshHop {
  const hop = target.hops.at(-1)
  if (hop === undefined) throw new TypeError('a target has at least one hop')
  return hop
}

export function hopAddress(hop: {readonly host: string; readonly port: number}): string {
  return hop.host.includes(':') ? `[${hop.host}]:${hop.port}` : `${hop.host}:${hop.port}`
}
