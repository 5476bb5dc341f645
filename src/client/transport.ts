// What carries a request. Two kinds: node:http for plain HTTP, which loads in a fraction of the time, and undici for TLS.

export interface TransportRequest {
  readonly url: URL
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  /** A text, or bytes that are read as fast as they go. */
  readonly body: string | AsyncIterable<Uint8Array> | undefined
  /** Ends the request and the reading of its body. */
  readonly signal: AbortSignal
}

export interface TransportResponse {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Read once. Leaving the loop early closes the connection. */
  readonly body: AsyncIterable<Uint8Array>
  /** Closes the connection of a body that nobody reads. */
  discard(): void
}

export type Transport = (request: TransportRequest) => Promise<TransportResponse>

export async function loadTransport(url: URL): Promise<Transport> {
  if (url.protocol === 'http:') return (await import('./http-transport.js')).httpTransport
  return (await import('./undici-transport.js')).undiciTransport
}

/** Header values as one text each. */
export function flattenHeaders(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const flat: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat[name.toLowerCase()] = Array.isArray(value) ? value.join(', ') : value
  }
  return flat
}
