import type {FastifyReply, FastifyRequest} from 'fastify'
import type {Clock} from '../clock.js'
import type {ErrorAnswer} from './error-answer.js'
import {commonHeaders} from './headers.js'

interface Exchange {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly clock: Clock
}

const lingerMs = 5000

/**
 * Answers a caller who may still be sending, and closes the connection. Not at once: a connection that is closed with unread bytes is reset, and the
 * answer would be lost on the way; so what still comes is read and dropped for a while.
 */
export function refuseBody(answer: ErrorAnswer, {request, reply, clock}: Exchange): void {
  const {raw: response} = reply
  const {raw: sending} = request
  const text = JSON.stringify(answer.body)
  reply.hijack()
  response.writeHead(answer.status, {
    ...commonHeaders(request.id),
    ...(answer.retryAfterSeconds === undefined ? {} : {'retry-after': String(answer.retryAfterSeconds)}),
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    connection: 'close',
  })
  response.write(text)
  if (sending.complete || sending.destroyed) return void response.end()
  const close = () => {
    cancel()
    response.end()
  }
  const cancel = clock.after(lingerMs, close)
  // Not by resume(), which does nothing while the handler that gave up is still waiting for bytes.
  sending.once('end', close).once('close', close).on('error', () => undefined).on('data', () => undefined)
}
