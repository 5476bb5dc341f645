// A module of its own, loaded with the first fetch: a bundle that is split hands out CommonJS packages without their names when they are imported late.
import {fetch, type Dispatcher, type Response} from 'undici'

export interface Fetch {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly signal: AbortSignal
  readonly dispatcher?: Dispatcher | undefined
}

/** One request; a redirect is answered and not followed. */
export function fetchOnce({url, headers, signal, dispatcher}: Fetch): Promise<Response> {
  return fetch(url, {headers, signal, redirect: 'manual', ...(dispatcher !== undefined && {dispatcher})})
}
