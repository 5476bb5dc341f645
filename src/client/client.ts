import type {Contract} from '../contract/index.js'
import {Fault} from '../contract/faults.js'
import type {RouteControl, RouteInput, RouteOutput, RouteSpec} from '../contract/route.js'
import type {ClientRoute} from './client-route.js'
import {startDeadline} from './deadline.js'
import {EventParser, type ServerEvent} from './event-parser.js'
import type {Channel} from './open-channel.js'
import {routeTable} from './route-table.js'
import {readingFault, readJson, requireStream, send, type Outgoing, type SendContext} from './send.js'
import type {TransportResponse} from './transport.js'
import {toTransportFault} from './transport-fault.js'

export interface Connection {
  /** Without trailing slash and without `/api`. */
  readonly baseUrl: string
  readonly token: string | undefined
  readonly organizationId?: string | undefined
}

export interface ClientOptions extends SendContext {
  /** Where to, asked once, when the first request is ready to go. */
  readonly connect: () => Promise<Connection>
  readonly userAgent: string
  /** Of a JSON request; 30 s unless given. */
  readonly timeoutMs?: number
}

export interface CallOptions {
  readonly signal?: AbortSignal
  readonly timeoutMs?: number
  /** Of a stream that goes on. */
  readonly lastEventId?: string
}

export interface Download {
  readonly bytes: AsyncIterable<Uint8Array>
  /** Null where the daemon does not say. */
  readonly sizeBytes: number | null
}

/** Bytes to send, read as fast as they can be sent; the time for an answer begins when all are gone. */
export type Content = AsyncIterable<Uint8Array>

/** The events of one connection; it ends when the connection does, whatever came last. */
export type EventStream<T> = AsyncIterable<{readonly id: string; readonly data: T | PingEvent}>
export interface PingEvent {
  readonly type: 'ping'
}

type Answer<R extends RouteSpec> = R extends {readonly stream: 'sse'}
  ? EventStream<RouteOutput<R>>
  : R extends {readonly stream: 'bytes'}
    ? Download
    : R extends {readonly upgrade: 'websocket'}
      ? Channel<RouteControl<R>, RouteOutput<R>>
      : RouteOutput<R>

type Arguments<I> = Record<never, never> extends I ? [input?: I, options?: CallOptions] : [input: I, options?: CallOptions]
type InputOf<R extends RouteSpec> = R extends {readonly streamsBody: true} ? RouteInput<R> & {readonly content: Content} : RouteInput<R>
type Call<R extends RouteSpec> = (...args: Arguments<InputOf<R>>) => Promise<Answer<R>>

type TypedClient<C> = {
  readonly [A in keyof C]: {readonly [N in keyof C[A]]: C[A][N] extends RouteSpec ? Call<C[A][N]> : never}
}
export type Client = TypedClient<Contract>

interface Input {
  readonly params?: Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string | undefined>>
  readonly content?: Content
}

const defaultTimeoutMs = 30_000

/** A typed function for every route of the contract. Nothing is connected before the first call. */
export function createClient(options: ClientOptions): Client {
  const connection = once(options.connect)
  const areas = Object.entries(routeTable).map(([area, routes]) => {
    const calls = Object.entries(routes).map(([name, route]) => [name, (input: Input = {}, call: CallOptions = {}) => perform(route, input, call)])
    return [area, Object.fromEntries(calls)] as const
  })

  async function perform(route: ClientRoute, input: Input, call: CallOptions): Promise<unknown> {
    const target = await connection()
    const url = buildUrl(target.baseUrl, route.path, input)
    const deadline = startDeadline(call.signal, call.timeoutMs ?? options.timeoutMs ?? defaultTimeoutMs, url)
    const outgoing = {
      url,
      method: route.method,
      headers: requestHeaders(target, options.userAgent, route, input, call),
      body: input.content === undefined ? toJson(input.body) : telling(input.content, () => deadline.restart()),
      signal: deadline.signal,
    }
    try {
      if (route.upgrade !== undefined) return await (await import('./open-channel.js')).openChannel(outgoing, call.signal)
      const response = await send(outgoing, options)
      if (route.stream === undefined) return await readJson(response, outgoing)
      await requireStream(response, outgoing, route.stream === 'sse' ? 'text/event-stream' : undefined)
      return route.stream === 'sse' ? readEvents(response, outgoing) : toDownload(response, outgoing)
    } finally {
      deadline.clear()
    }
  }

  // The table is generated from the contract this type is made of, a test holds them together, and the daemon parses what it sends.
  return Object.fromEntries(areas) as unknown as Client
}

function requestHeaders(target: Connection, userAgent: string, route: ClientRoute, input: Input, call: CallOptions): Record<string, string> {
  return {
    accept: route.stream === 'sse' ? 'text/event-stream' : route.stream === 'bytes' ? '*/*' : 'application/json',
    'user-agent': userAgent,
    ...(target.token !== undefined && {authorization: `Bearer ${target.token}`}),
    ...(target.organizationId !== undefined && {'x-organization-id': target.organizationId}),
    ...(input.body !== undefined && {'content-type': 'application/json'}),
    ...(route.streamsBody === true && {'content-type': 'application/octet-stream'}),
    ...givenHeaders(input),
    ...(call.lastEventId !== undefined && {'last-event-id': call.lastEventId}),
  }
}

function givenHeaders({headers = {}}: Input): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name.toLowerCase(), value]])))
}

function toJson(body: unknown): string | undefined {
  return body === undefined ? undefined : JSON.stringify(body)
}

async function* telling(content: Content, onPiece: () => void): AsyncGenerator<Uint8Array> {
  for await (const bytes of content) {
    onPiece()
    yield bytes
  }
  onPiece()
}

export function buildUrl(baseUrl: string, routePath: string, {params = {}, query = {}}: Input): URL {
  const path = routePath.replace(/:(\w+)/g, (_, name: string) => encodeSegment(String(params[name])))
  const url = new URL(baseUrl + path)
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null) for (const one of [value].flat()) url.searchParams.append(name, String(one))
  }
  return url
}

// A segment that is . or .. would be taken for a step in the path, even when encoded.
function encodeSegment(text: string): string {
  const encoded = encodeURIComponent(text)
  return /^\.\.?$/.test(encoded) ? encoded.replaceAll('.', '%252E') : encoded
}

async function* readEvents(response: TransportResponse, {url, signal}: Outgoing): AsyncGenerator<{readonly id: string; readonly data: unknown}> {
  const parser = new EventParser()
  try {
    for await (const bytes of response.body) {
      for (const event of parser.push(bytes)) yield {id: event.lastEventId, data: parseEvent(event)}
    }
  } catch (error) {
    throw readingFault(error, url, signal)
  }
}

function parseEvent(event: ServerEvent): unknown {
  if (event.event === 'ping') return {type: 'ping'}
  try {
    const data: unknown = JSON.parse(event.data)
    return data
  } catch (error) {
    throw new Fault('UNEXPECTED_RESPONSE', `the stream sent an event ${event.event} that is not JSON`, {cause: error})
  }
}

async function* readBytes(response: TransportResponse, {url, signal}: Outgoing): AsyncGenerator<Uint8Array> {
  let received = 0
  try {
    for await (const bytes of response.body) {
      received += bytes.length
      yield bytes
    }
  } catch (error) {
    throw readingFault(error, url, signal)
  }
  const size = sizeOf(response)
  if (size !== null && received < size) throw toTransportFault(new Error(`the download ended after ${received} of ${size} bytes`), url)
}

function toDownload(response: TransportResponse, outgoing: Outgoing): Download {
  return {bytes: readBytes(response, outgoing), sizeBytes: sizeOf(response)}
}

function sizeOf(response: TransportResponse): number | null {
  const length = response.headers['content-length']
  return length === undefined ? null : Number(length)
}

function once<T>(start: () => Promise<T>): () => Promise<T> {
  let started: Promise<T> | undefined
  return () => (started ??= start())
}
