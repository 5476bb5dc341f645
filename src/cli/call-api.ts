import {startDeadline} from '../client/deadline.js'
import {readJson, readText, send} from '../client/send.js'
import {Fault} from '../contract/faults.js'
import type {Target} from './target.js'

export interface ApiRequest {
  readonly method: string
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly body: string | undefined
}

export interface ApiCall {
  readonly target: Target
  readonly userAgent: string
  readonly signal: AbortSignal
  readonly timeoutMs: number | undefined
  /** stdout is to hold one JSON document, whatever comes back. */
  readonly json: boolean
  readonly write: (bytes: Uint8Array | string) => Promise<void>
}

const defaultTimeoutMs = 60_000

/** Calls a route that nobody typed and writes its answer: JSON laid out for reading, anything else as it comes. */
export async function callApi(request: ApiRequest, {target, userAgent, signal, timeoutMs, json, write}: ApiCall): Promise<void> {
  const url = apiUrl(target.baseUrl, request.path, request.query)
  const deadline = startDeadline(signal, timeoutMs ?? defaultTimeoutMs, url)
  const outgoing = {
    url,
    method: request.method,
    headers: {
      'user-agent': userAgent,
      ...(target.token !== undefined && {authorization: `Bearer ${target.token}`}),
      ...(target.organizationId !== undefined && {'x-organization-id': target.organizationId}),
      ...(request.body !== undefined && {'content-type': 'application/json'}),
    },
    body: request.body,
    signal: deadline.signal,
  }
  try {
    const response = await send(outgoing, {})
    if (response.status < 200 || response.status > 299) return void (await readJson(response, outgoing))
    const isJson = response.headers['content-type']?.startsWith('application/json') === true
    if (isJson) return await write(layOut(await readText(response, outgoing)))
    if (json) return await write(layOut(JSON.stringify({contentType: response.headers['content-type'] ?? null, body: await readText(response, outgoing)})))
    deadline.clear()
    for await (const bytes of response.body) await write(bytes)
  } finally {
    deadline.clear()
  }
}

function layOut(text: string): string {
  return text === '' ? '' : `${JSON.stringify(JSON.parse(text), null, 2)}\n`
}

/** The address of a path, which may lack its slash or `/api`. It never leaves the base: the token goes nowhere else. */
export function apiUrl(baseUrl: string, path: string, query: Readonly<Record<string, string>>): URL {
  if (/^[a-z][a-z0-9+.-]*:/i.test(path) || path.startsWith('//') || path.includes('\\')) {
    throw new Fault('USAGE', `give a path under ${baseUrl}, such as /api/jobs, not ${path}`)
  }
  const rooted = path.startsWith('/') ? path : `/${path}`
  const url = new URL(baseUrl + (/^\/api(?:[/?]|$)/.test(rooted) ? rooted : `/api${rooted}`))
  if (!`${url.origin}${url.pathname}/`.startsWith(`${baseUrl}/api/`)) throw new Fault('USAGE', `${path} leads out of ${baseUrl}/api`)
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  return url
}
