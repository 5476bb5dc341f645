import {Fault} from '../../../src/contract/faults.js'
import {isDiskFull} from './engine-faults.js'
import {registryOf} from './image-ref.js'

/** Why an image could not be had; `details.reason` of the fault. */
export type PullReason = 'disk_full' | 'login_refused' | 'login_required' | 'image_not_found' | 'registry_unreachable' | 'other'

// An engine answers all of these with status 404 or 500 and a sentence. Its sentence is the registry's; the order matters, as one may hold another.
const sentences: readonly (readonly [RegExp, PullReason])[] = [
  [/incorrect username or password|authentication failed/i, 'login_refused'],
  [/manifest unknown|manifest for .* not found|name unknown|no such image|no matching manifest|not found: does not exist(?!.*login)/i, 'image_not_found'],
  [/unauthorized|denied|no basic auth credentials|authentication required|login/i, 'login_required'],
  [/dial tcp|dial unix|lookup |connection refused|no such host|i\/o timeout|deadline exceeded|timeout|TLS|x509|server gave HTTP response|connection reset|no route to host|unreachable|: EOF|proxyconnect|toomanyrequests|50\d /i, 'registry_unreachable'],
  [/not found|404/i, 'image_not_found'],
]

export function pullReason(text: string, hasLogin: boolean): PullReason {
  if (isDiskFull(text)) return 'disk_full'
  const reason = sentences.find(([pattern]) => pattern.test(text))?.[1] ?? 'other'
  return reason === 'login_required' && hasLogin ? 'login_refused' : reason
}

const words: Readonly<Record<PullReason, (ref: string, server: string) => string>> = {
  disk_full: (ref, server) => `the disk of ${server} is full; ${ref} does not fit`,
  login_refused: (ref) => `the registry ${registryOf(ref)} does not take the login that is kept for it, or does not let it read ${ref}; \`registries add ${registryOf(ref)}\` keeps another`,
  login_required: (ref) => `the registry ${registryOf(ref)} wants a login for ${ref}, or there is no such image; \`registries add ${registryOf(ref)}\` keeps one`,
  image_not_found: (ref) => `there is no image ${ref}`,
  registry_unreachable: (ref, server) => `${server} does not reach the registry of ${ref}`,
  other: (ref, server) => `${server} can not pull ${ref}`,
}

const codes = {
  disk_full: 'CONFLICT', login_refused: 'SOURCE_UNAVAILABLE', login_required: 'SOURCE_UNAVAILABLE', image_not_found: 'NOT_FOUND', registry_unreachable: 'SOURCE_UNAVAILABLE', other: 'CONFLICT',
} as const

export interface FailedPull {
  readonly serverId: string
  readonly serverName: string
  readonly ref: string
  readonly hasLogin: boolean
}

export function pullFault({serverId, serverName, ref, hasLogin}: FailedPull, text: string, cause?: unknown): Fault {
  const reason = pullReason(text, hasLogin)
  const wantsLogin = reason === 'login_required' || reason === 'login_refused'
  return new Fault(codes[reason], `${words[reason](ref, serverName)}: ${text.slice(0, 500)}`, {
    details: {serverId, reason, image: ref, ...(wantsLogin && {registry: registryOf(ref)})},
    ...(wantsLogin && {suggestions: [`registries add ${registryOf(ref)}`]}),
    ...(cause !== undefined && {cause}),
  })
}
