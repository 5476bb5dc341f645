import {Fault} from '../contract/faults.js'
import {isLoopback} from './api-url.js'
import {toResponseFault} from './response-fault.js'
import {loadTransport, type Transport, type TransportResponse} from './transport.js'
import {toTransportFault, withoutQuery} from './transport-fault.js'
import {backOffMs, wait, type Wait} from './wait.js'

export interface SendContext {
  readonly transport?: Transport
  readonly wait?: Wait
  readonly random?: () => number
}

export interface Outgoing {
  readonly url: URL
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | AsyncIterable<Uint8Array> | undefined
  /** Ends the request, the pauses between attempts and the reading of the answer. */
  readonly signal: AbortSignal
}

const attemptsOfReads = 4
const longestRetryAfterMs = 30_000
const largestAnswerBytes = 64_000_000

/** Sends a request. Reads are tried again where the failure may pass; anything that changes something is sent once. */
export async function send(outgoing: Outgoing, context: SendContext): Promise<TransportResponse> {
  const transport = context.transport ?? (await loadTransport(outgoing.url))
  const attempts = outgoing.method === 'GET' ? attemptsOfReads : 1
  for (let attempt = 1; ; attempt += 1) {
    const result = await attemptOnce(transport, outgoing)
    const pauseMs = attempt < attempts ? pauseBeforeRetry(result, outgoing.url, attempt, context.random ?? Math.random) : undefined
    if (pauseMs === undefined) {
      if (result instanceof Fault) throw result
      return result
    }
    if (!(result instanceof Fault)) result.discard()
    await (context.wait ?? wait)(pauseMs, outgoing.signal)
  }
}

async function attemptOnce(transport: Transport, {url, method, headers, body, signal}: Outgoing): Promise<TransportResponse | Fault> {
  try {
    return await transport({url, method, headers, body, signal})
  } catch (error) {
    if (signal.aborted) throw signal.reason
    // What kept the bytes from being read is no failure of the connection.
    if (error instanceof Fault) throw error
    return toTransportFault(error, url)
  }
}

// Undefined: this is the answer. A 502 with a JSON body is the API speaking of a server, not a proxy speaking of the API.
function pauseBeforeRetry(result: TransportResponse | Fault, url: URL, attempt: number, random: () => number): number | undefined {
  if (result instanceof Fault) return isRefusedHere(result, url) ? undefined : backOffMs(attempt - 1, random)
  const fromProxy = !isJson(result)
  if (result.status !== 429 && !((result.status === 502 || result.status === 503) && fromProxy)) return undefined
  const askedMs = retryAfterMs(result.headers['retry-after'])
  if (askedMs === undefined) return backOffMs(attempt - 1, random)
  return askedMs <= longestRetryAfterMs ? askedMs : undefined
}

// On this machine a refusal is certain: no daemon is there, and waiting would only keep a person waiting.
function isRefusedHere(fault: Fault, url: URL): boolean {
  return fault.details['cause'] === 'ECONNREFUSED' && isLoopback(url.host)
}

function retryAfterMs(value: string | undefined): number | undefined {
  if (value === undefined) return undefined
  if (/^\d+$/.test(value)) return Number(value) * 1000
  const at = Date.parse(value)
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now())
}

/** Reads a JSON answer; throws the fault of any other. */
export async function readJson(response: TransportResponse, {url, signal}: Outgoing): Promise<unknown> {
  const text = await readText(response, {url, signal})
  const succeeded = response.status >= 200 && response.status < 300
  if (succeeded && text === '') return undefined
  const body = isJson(response) ? parseJson(text) : undefined
  if (succeeded && body !== undefined) return body.value
  throw toResponseFault(response.status, body?.value, response.headers['x-request-id'] ?? null) ?? unexpected(response, url)
}

/** Throws the fault of an answer that is not the wanted stream. */
export async function requireStream(response: TransportResponse, outgoing: Outgoing, contentType: string | undefined): Promise<void> {
  const succeeded = response.status >= 200 && response.status < 300
  if (succeeded && (contentType === undefined || response.headers['content-type']?.startsWith(contentType) === true)) return
  if (succeeded) {
    response.discard()
    throw unexpected(response, outgoing.url)
  }
  await readJson(response, outgoing)
}

export async function readText(response: TransportResponse, {url, signal}: Pick<Outgoing, 'url' | 'signal'>): Promise<string> {
  const pieces: Uint8Array[] = []
  let sizeBytes = 0
  try {
    for await (const piece of response.body) {
      sizeBytes += piece.length
      if (sizeBytes > largestAnswerBytes) throw new Fault('UNEXPECTED_RESPONSE', `the answer of ${withoutQuery(url)} is larger than ${largestAnswerBytes} bytes`)
      pieces.push(piece)
    }
  } catch (error) {
    throw readingFault(error, url, signal)
  }
  return Buffer.concat(pieces).toString('utf8')
}

function isJson(response: TransportResponse): boolean {
  return /^application\/(?:[\w.-]+\+)?json\b/i.test(response.headers['content-type'] ?? '')
}

function parseJson(text: string): {readonly value: unknown} | undefined {
  try {
    return {value: JSON.parse(text)}
  } catch {
    // Said below as an unexpected response, with the address.
    return undefined
  }
}

function unexpected(response: TransportResponse, url: URL): Fault {
  const kind = response.headers['content-type'] ?? 'no content type'
  return new Fault('UNEXPECTED_RESPONSE', `${withoutQuery(url)} answered ${response.status} with ${kind}: is this the address of the API?`, {
    details: {url: withoutQuery(url), status: response.status, contentType: response.headers['content-type'] ?? null},
    suggestions: ['context list'],
  })
}

/** Why a body could not be read to its end. */
export function readingFault(error: unknown, url: URL, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason
  return error instanceof Fault ? error : toTransportFault(error, url)
}
