import {Readable} from 'node:stream'
import type {FastifyReply, FastifyRequest} from 'fastify'
import {Fault} from '../../src/contract/faults.js'
import {describeError} from '../log.js'
import {writeEventStream, streamHeaders} from './event-stream.js'
import type {ByteAnswer, RequestContext, StreamFrame} from './handlers.js'
import type {BoundRoute, HttpParts} from './http-server.js'
import type {OpenStreams} from './open-streams.js'
import {parseInput} from './parse-input.js'

export interface AnswerParts extends HttpParts {
  readonly streams: OpenStreams
}

/** Runs the handler of a route and encodes what it answers. */
export async function answerRequest(parts: AnswerParts, bound: BoundRoute, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const {route, handle} = bound
  const input = parseInput(route, {
    params: request.params,
    query: request.query,
    body: Buffer.isBuffer(request.body) ? request.body : undefined,
    contentType: request.headers['content-type'],
  })
  const context = contextOf(request, reply)
  // Input and answer are of the route's own types, which a list of all routes can not carry.
  const answer: unknown = await handle(input, context.request)
  if (route.stream === 'sse') return sendEvents(parts, bound, answer as AsyncIterable<StreamFrame>, {context, request, reply})
  if (route.stream === 'bytes') return sendBytes(answer as ByteAnswer, reply)
  reply.code(route.status ?? 200)
  if (route.path === '/api/health/env') reply.header('cache-control', 'public, max-age=30')
  reply.type('application/json; charset=utf-8')
  return reply.send(JSON.stringify(route.output?.parse(answer) ?? {}))
}

interface Context {
  readonly request: RequestContext
  readonly end: (reason: Error) => void
}

function contextOf(request: FastifyRequest, reply: FastifyReply): Context {
  const {admission} = request
  if (admission === null) throw new Fault('INTERNAL', 'a request came past admission')
  const abort = new AbortController()
  reply.raw.once('close', () => abort.abort(new Error('the caller hung up')))
  const lastEventId = request.headers['last-event-id']
  return {
    request: {
      ...admission,
      requestId: request.id,
      signal: abort.signal,
      lastEventId: typeof lastEventId === 'string' && lastEventId !== '' ? lastEventId : undefined,
    },
    end: (reason) => abort.abort(reason),
  }
}

interface Exchange {
  readonly context: Context
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

async function sendEvents(parts: AnswerParts, {route}: BoundRoute, frames: AsyncIterable<StreamFrame>, {context, request, reply}: Exchange): Promise<void> {
  if (route.output === undefined) throw new Fault('INTERNAL', 'a stream declares no events')
  const {signal} = context.request
  const remove = parts.streams.add({principal: context.request.principal, route, end: context.end})
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

function headersOf(reply: FastifyReply): Record<string, string> {
  return Object.fromEntries(Object.entries(reply.getHeaders()).map(([name, value]) => [name, String(value)]))
}

function sendBytes(answer: ByteAnswer, reply: FastifyReply): FastifyReply {
  reply.header('content-disposition', `attachment; filename="${answer.filename}"`)
  return reply.type(answer.contentType).send(Readable.from(answer.bytes, {objectMode: false}))
}
