import type {Dispatcher, Response} from 'undici'
import {isLoopback} from '../../src/client/api-url.js'
import {networkReason} from '../../src/client/transport-fault.js'
import {ManifestError} from './read-manifest.js'

export type FetchedManifest = {readonly kind: 'unchanged'} | {readonly kind: 'fetched'; readonly text: string; readonly etag: string | null}

export interface ManifestRequest {
  readonly url: URL
  /** Of the copy that is there already. */
  readonly etag: string | null
  readonly userAgent: string
  readonly signal: AbortSignal
  /** How the source is reached; the usual way unless given. */
  readonly dispatcher?: Dispatcher | undefined
}

const largestManifestBytes = 20_000_000
const mostRedirects = 5
const redirects = new Set([301, 302, 303, 307, 308])

/** Fetches a manifest, unless it is still the one of the ETag. Throws a ManifestError that says in words why there is none. */
export async function fetchManifest(request: ManifestRequest): Promise<FetchedManifest> {
  try {
    const response = await follow(request)
    if (response.status === 304 && request.etag !== null) {
      await response.body?.cancel()
      return {kind: 'unchanged'}
    }
    if (!response.ok) {
      await response.body?.cancel()
      throw new ManifestError(`answered ${response.status}`)
    }
    return {kind: 'fetched', text: await readText(response), etag: response.headers.get('etag')}
  } catch (error) {
    request.signal.throwIfAborted()
    throw error instanceof ManifestError ? error : new ManifestError(`can not be reached: ${networkReason(error)}`, {cause: error})
  }
}

async function follow({url, etag, userAgent, signal, dispatcher}: ManifestRequest): Promise<Response> {
  // Loaded with the first fetch: most daemons never make one.
  const {fetchOnce} = await import('./undici-fetch.js')
  const headers = {accept: 'application/json', 'user-agent': userAgent, ...(etag !== null && {'if-none-match': etag})}
  let target = url
  for (let count = 0; count <= mostRedirects; count += 1) {
    const response = await fetchOnce({url: target, headers, signal, dispatcher})
    const location = response.headers.get('location')
    if (!redirects.has(response.status) || location === null) return response
    await response.body?.cancel()
    target = redirectTarget(url, target, location)
  }
  throw new ManifestError(`redirects more than ${mostRedirects} times`)
}

// Plain HTTP only where it was asked for, and then only on this machine.
function redirectTarget(asked: URL, from: URL, location: string): URL {
  const target = URL.canParse(location, from.href) ? new URL(location, from) : undefined
  const isPlain = target?.protocol === 'http:' && asked.protocol === 'http:' && isLoopback(target.host)
  if (target === undefined || (target.protocol !== 'https:' && !isPlain)) throw new ManifestError('redirects to an address that is not https')
  if (target.username !== '' || target.password !== '') throw new ManifestError('redirects to an address with a user name')
  return target
}

async function readText(response: Response): Promise<string> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of response.body ?? []) {
    const bytes = piece as Uint8Array
    size += bytes.length
    if (size > largestManifestBytes) throw new ManifestError(`is larger than ${largestManifestBytes.toLocaleString('en')} bytes`)
    pieces.push(bytes)
  }
  return decode(Buffer.concat(pieces))
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', {fatal: true}).decode(bytes)
  } catch (error) {
    throw new ManifestError('is not UTF-8 text', {cause: error})
  }
}
