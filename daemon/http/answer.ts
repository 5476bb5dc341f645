import {Readable} from 'node:stream'
import type {FastifyReply, FastifyRequest} from 'fastify'
import {Fault} from '../../src/contract/faults.js'
import type {RouteSpec} from '../../src/contract/route.js'
import type {Principal} from '../access/principal.js'
import type {Actor} from '../events/record.js'
import {describeError} from '../log.js'
import {admitAnybody, toActor, type Admission} from './admit.js'
import {writeEventStream, streamHeaders} from './event-stream.js'
import type {ByteAnswer, StreamedRequest, StreamFrame} from './handlers.js'
import {commonHeaders} from './headers.js'
import type {BoundRoute, HttpParts} from './http-server.js'
import type {OpenStreams} from './open-streams.js'
import {parseInput} from './parse-input.js'

export interface AnswerParts extends HttpParts {
  readonly streams: OpenStreams
}

/** Runs the handler of a route and encodes what it answers. */
export async function answerRequest(parts: AnswerParts, bound: BoundRoute, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const {route} = bound
  const {context, answer} = await handleRequest(bound, request, reply)
  if (route.stream === 'sse') return sendEvents(parts, bound, answer as AsyncIterable<StreamFrame>, {context, request, reply})
  if (route.stream === 'bytes') return sendBytes(answer as ByteAnswer, reply)
  sendJson(route, route.output?.parse(answer) ?? {}, reply)
  return undefined
}

/** Parses what was sent and runs the handler of a route. */
export async function handleRequest({route, handle}: BoundRoute, request: FastifyRequest, reply: FastifyReply): Promise<{context: Context; answer: unknown}> {
  const input = parseInput(route, {
    params: request.params,
    query: request.query,
    headers: request.headers,
    body: Buffer.isBuffer(request.body) ? request.body : undefined,
    contentType: request.headers['content-type'],
  })
  const context = new Context(request, reply)
  // Input and answer are of the route's own types, which a list of all routes can not carry.
  const answer: unknown = await handle(input, context)
  return {context, answer}
}

// The signal is made when somebody asks for it: most requests are over before anybody would.
class Context implements StreamedRequest {
  readonly #request: FastifyRequest
  readonly #reply: FastifyReply
  readonly #admission: Admission
  #abort: AbortController | undefined

  constructor(request: FastifyRequest, reply: FastifyReply) {
    this.#request = request
    this.#reply = reply
    // Routes that are open to all have no admission: nobody acts.
    this.#admission = request.admission ?? admitAnybody
  }

  get principal(): Principal {
    return this.#admission.principal
  }

  get actor(): Actor {
    return toActor(this.#admission.principal, this.#request)
  }

  get requestId(): string {
    return this.#request.id
  }

  get origin(): string {
    return `${this.#request.protocol}://${this.#request.host}`
  }

  // Whoever stops reading early still wants to answer, so the connection stays.
  get content(): AsyncIterable<Uint8Array> {
    return this.#request.raw.iterator({destroyOnReturn: false}) as AsyncIterable<Uint8Array>
  }

  get signal(): AbortSignal {
    return this.#controller().signal
  }

  get lastEventId(): string | undefined {
    const value = this.#request.headers['last-event-id']
    return typeof value === 'string' && value !== '' ? value : undefined
  }

  end(reason: Error): void {
    this.#controller().abort(reason)
  }

  #controller(): AbortController {
    if (this.#abort !== undefined) return this.#abort
    const abort = new AbortController()
    this.#abort = abort
    if (this.#reply.raw.destroyed) abort.abort(new Error('the caller hung up'))
    this.#reply.raw.once('close', () => abort.abort(new Error('the caller hung up')))
    return abort
  }
}

interface Exchange {
  readonly context: Context
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

async function sendEvents(parts: AnswerParts, {route}: BoundRoute, frames: AsyncIterable<StreamFrame>, {context, request, reply}: Exchange): Promise<void> {
  if (route.output === undefined) throw new Fault('INTERNAL', 'a stream declares no events')
  const {signal} = context
  const remove = parts.streams.add({principal: context.principal, route, end: (reason) => context.end(reason)})
  reply.hijack()
  reply.raw.writeHead(200, {...headersOf(reply), ...streamHeaders})
  try {
    await writeEventStream({response: reply.raw, frames, schema: route.output, clock: parts.clock, signal})
  } catch (error) {
    // The answer has begun, so no error body can be sent; cutting the stream tells the client to come back.
    parts.log.error('a stream failed', {requestId: request.id, error: describeError(error)})
    reply.raw.destroy()
  } finally {
    remove()
  }
}

// Straight to the response: everything is known, and half the cost of a small answer is what happens in between.
function sendJson(route: RouteSpec, value: unknown, reply: FastifyReply): void {
  const text = JSON.stringify(value)
  reply.hijack()
  reply.raw.writeHead(route.status ?? 200, {
    ...headersOf(reply),
    ...(route.cacheSeconds !== undefined && {'cache-control': `public, max-age=${route.cacheSeconds}`}),
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
  })
  reply.raw.end(text)
}

// With what was set on the way here, such as how much of a limit is left.
function headersOf(reply: FastifyReply): Record<string, string | number | string[] | undefined> {
  return {...reply.getHeaders(), ...commonHeaders(reply.request.id)}
}

function sendBytes(answer: ByteAnswer, reply: FastifyReply): FastifyReply {
  reply.header('content-disposition', `attachment; filename="${answer.filename}"`)
  return reply.headers(commonHeaders(reply.request.id)).type(answer.contentType).send(Readable.from(answer.bytes, {objectMode: false}))
}
