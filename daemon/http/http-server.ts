import type {Socket} from 'node:net'
import rateLimit from '@fastify/rate-limit'
import fastify, {type FastifyInstance, type FastifyReply, type FastifyRequest} from 'fastify'
import {Fault} from '../../src/contract/faults.js'
import type {RouteSpec} from '../../src/contract/route.js'
import type {TokenUse} from '../access/token-use.js'
import type {Clock} from '../clock.js'
import type {Log} from '../log.js'
import {newId} from '../store/ids.js'
import type {Store} from '../store/store.js'
import {admitRequest, type Admission} from './admit.js'
import {toErrorAnswer} from './error-answer.js'
import type {Handler, Handlers} from './handlers.js'
import {OpenStreams} from './open-streams.js'
import {createLimiter} from './rate-limits.js'
import {answerRequest} from './answer.js'
import {refuseBody} from './refuse-body.js'
import {commonHeaders} from './headers.js'
import {addWebSocketRoutes} from './web-sockets.js'

export interface HttpParts {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly tokenUse: TokenUse
  readonly cloud: boolean
  /** Behind a proxy or on a public address even loopback callers are limited. */
  readonly limitLoopback: boolean
}

/** A route of the table and the handler that answers it. */
export interface BoundRoute {
  readonly route: RouteSpec
  readonly handle: Handler<RouteSpec>
}

/** Pairs the routes of an area with its handlers; the types hold that there is one for each. */
export function bindRoutes<A extends Readonly<Record<string, RouteSpec>>>(routes: A, handlers: Handlers<A>): BoundRoute[] {
  // The cast is the one place where the typed map becomes a list of routes of any kind.
  return Object.entries(routes).map(([name, route]) => ({route, handle: handlers[name] as Handler<RouteSpec>}))
}

declare module 'fastify' {
  interface FastifyRequest {
    admission: Admission | null
  }
}

const defaultBodyLimit = 1_000_000

/** The HTTP side of the daemon: every route goes authenticate, authorize, limit, parse, handle, encode. */
export async function createHttpServer(parts: HttpParts, routes: readonly BoundRoute[]): Promise<{server: FastifyInstance; streams: OpenStreams}> {
  const sendError = (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const answer = toErrorAnswer(error, request.id, parts.log)
    if (answer.retryAfterSeconds !== undefined) reply.header('retry-after', answer.retryAfterSeconds)
    return reply.headers(commonHeaders(request.id)).code(answer.status).send(answer.body)
  }
  const server = fastify({
    genReqId: () => newId('req'),
    bodyLimit: defaultBodyLimit,
    routerOptions: {maxParamLength: 500},
    forceCloseConnections: true,
    // Keeps sockets of pooled clients open between requests without holding shutdown up.
    keepAliveTimeout: 65_000,
    frameworkErrors: (error, request, reply) => void sendError(error, request, reply),
    clientErrorHandler: refuseMalformed,
  })
  const streams = new OpenStreams(parts.store, parts.clock)
  await server.register(rateLimit, {global: false})
  const limiter = createLimiter(server, parts.limitLoopback)
  server.decorateRequest('admission', null)
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('*', {parseAs: 'buffer'}, (_request, body, done) => done(null, body))
  server.setErrorHandler(sendError)
  server.setNotFoundHandler((request, reply) => sendError(new Fault('NOT_FOUND', 'Not found'), request, reply))
  const answerParts = {...parts, streams}
  const offered = routes.filter(({route}) => route.selfHostedOnly !== true || !parts.cloud)
  const optionsOf = (bound: BoundRoute) => {
    const {route} = bound
    return {
      method: route.method,
      bodyLimit: route.bodyLimitBytes ?? defaultBodyLimit,
      // Monitors ask with HEAD. A stream has no end to tell the length of.
      exposeHeadRoute: route.method === 'GET' && route.stream === undefined && route.upgrade === undefined,
      ...(!isOpenToAll(route) && {
        onRequest: async (request: FastifyRequest, reply: FastifyReply) => {
          request.admission = await admitRequest(parts, limiter, route, request, reply)
          if (isWithoutBody(request)) delete request.raw.headers['content-type']
        },
      }),
      handler: (request: FastifyRequest, reply: FastifyReply) => answerRequest(answerParts, bound, request, reply),
    }
  }
  const add = (scope: FastifyInstance, bound: BoundRoute) => {
    for (const url of [bound.route.path, ...(bound.route.aliases ?? [])]) scope.route({...optionsOf(bound), url})
  }
  for (const bound of offered) if (bound.route.streamsBody !== true && bound.route.upgrade === undefined) add(server, bound)
  await server.register(async (scope) => {
    takeBodiesAsTheyArrive(scope, parts)
    for (const bound of offered) if (bound.route.streamsBody === true) add(scope, bound)
  })
  await addWebSocketRoutes(server, answerParts, offered.filter(({route}) => route.upgrade !== undefined), optionsOf)
  return {server, streams}
}

function takeBodiesAsTheyArrive(scope: FastifyInstance, {clock, log}: HttpParts): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', (_request, _body, done) => done(null))
  scope.setErrorHandler((error, request, reply) => refuseBody(toErrorAnswer(error, request.id, log), {request, reply, clock}))
}

// Nothing to decide and nothing to count, as for the liveness route.
function isOpenToAll(route: RouteSpec): boolean {
  return route.scope === 'public' && route.rateLimit === 'none'
}

// The type of nothing is nobody's business, not even where it is no type at all.
function isWithoutBody({raw: {headers}}: FastifyRequest): boolean {
  return headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0'
}

// What is no HTTP at all never becomes a request; the answer still looks like ours.
function refuseMalformed(error: Error & {readonly code?: string}, socket: Socket): void {
  if (!socket.writable) return
  const message = error.code === 'HPE_HEADER_OVERFLOW' ? 'the headers are larger than this server takes' : 'this is not a valid HTTP request'
  const body = JSON.stringify({error: message, code: 'VALIDATION_ERROR', success: false, errors: []})
  const headers = {...commonHeaders(newId('req')), 'content-type': 'application/json; charset=utf-8', 'content-length': body.length, connection: 'close'}
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 400 Bad Request\r\n${lines.join('')}\r\n${body}`)
}
