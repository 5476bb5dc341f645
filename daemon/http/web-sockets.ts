import {createServer, type IncomingMessage, type Server} from 'node:http'
import type {Duplex} from 'node:stream'
import websocket from '@fastify/websocket'
import type {FastifyInstance, FastifyReply, FastifyRequest} from 'fastify'
import type {WebSocket} from 'ws'
import {Fault} from '../../src/contract/faults.js'
import type {RouteSpec} from '../../src/contract/route.js'
import {admitAnybody} from './admit.js'
import {handleRequest, type AnswerParts} from './answer.js'
import {toErrorAnswer} from './error-answer.js'
import type {Conversation} from './handlers.js'
import type {BoundRoute} from './http-server.js'
import {socketPeer} from './socket-peer.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** What is said over the WebSocket that the request becomes. */
    conversation: Conversation<unknown, unknown> | null
  }
}

const longestFrame = 1024 * 1024
/** For the other side to answer a close. */
const closeMs = 1000
const deadAfterMs = 30_000

/** Options of a route but for its handler. */
type OptionsOf = (bound: BoundRoute) => {readonly method: RouteSpec['method']; readonly exposeHeadRoute: boolean}

/**
 * Adds the routes that become WebSockets. Everything that can be refused is, in an ordinary answer, before the upgrade; what fails later
 * is told in a text frame.
 */
export async function addWebSocketRoutes(server: FastifyInstance, parts: AnswerParts, bounds: readonly BoundRoute[], optionsOf: OptionsOf): Promise<void> {
  const upgrades = splitUpgrades(server.server, bounds.map(({route}) => route))
  const open = new Set<Promise<void>>()
  await server.register(async (scope) => {
    await scope.register(websocket, {
      options: {server: upgrades, maxPayload: longestFrame},
      preClose: () => endAll(scope, open),
      // The socket closes with its error, and with it all that goes on over it.
      errorHandler: (_error, socket) => socket.terminate(),
    })
    scope.decorateRequest('conversation', null)
    scope.addHook('onRequest', async (request, reply) => {
      // Nobody parses requests on such a connection any more.
      if (request.ws) reply.header('connection', 'close')
    })
    for (const bound of bounds) {
      scope.route({
        ...optionsOf(bound),
        url: bound.route.path,
        preHandler: async (request: FastifyRequest, reply: FastifyReply) => {
          refuseForeignOrigin(request)
          const {answer} = await handleRequest(bound, request, reply)
          // The types of the routes hold that it is one.
          request.conversation = answer as Conversation<unknown, unknown>
          if (!request.ws) throw new Fault('UPGRADE_REQUIRED', 'this route is a WebSocket: send Connection: Upgrade and Upgrade: websocket')
        },
        handler: () => undefined,
        wsHandler(socket: WebSocket, request: FastifyRequest) {
          const talk = converse(parts, bound.route, socket, request).finally(() => open.delete(talk))
          open.add(talk)
          return talk
        },
      })
    }
  })
}

async function converse(parts: AnswerParts, route: RouteSpec, socket: WebSocket, request: FastifyRequest): Promise<void> {
  const {admission, conversation} = request
  if (conversation === null) throw new Fault('INTERNAL', 'a WebSocket was opened by nobody')
  const ending = new AbortController()
  request.raw.socket.setKeepAlive(true, deadAfterMs)
  socket.once('close', () => ending.abort(new Error('the caller hung up')))
  const remove = parts.streams.add({principal: (admission ?? admitAnybody).principal, route, end: (reason) => ending.abort(reason)})
  const peer = socketPeer({socket, takes: route.takes, output: route.output, clock: parts.clock, signal: ending.signal})
  try {
    await conversation(peer)
    socket.close(1000)
  } catch (error) {
    if (socket.readyState !== socket.OPEN) return
    const {body} = toErrorAnswer(error, request.id, parts.log)
    socket.send(JSON.stringify(route.output?.parse({type: 'error', ...body})))
    socket.close(1011)
  } finally {
    remove()
    // Nobody takes them any more, and an answer to the close must not wait behind what was sent before it.
    socket.removeAllListeners('message').resume()
  }
}

// By now the streams have been told to end.
async function endAll({websocketServer}: FastifyInstance, open: ReadonlySet<Promise<void>>): Promise<void> {
  await Promise.allSettled(open)
  const timer = setTimeout(() => websocketServer.clients.forEach((socket) => socket.terminate()), closeMs)
  await new Promise<void>((resolve) => websocketServer.close(() => resolve()))
  clearTimeout(timer)
}

// A page of another site must not talk to the daemon through the browser of somebody who may.
function refuseForeignOrigin({headers: {origin}, host}: FastifyRequest): void {
  if (origin === undefined) return
  if (!URL.canParse(origin) || new URL(origin).host !== host) throw new Fault('FORBIDDEN', 'the request comes from a page of another site', {details: {origin}})
}

/**
 * Where anybody listens for upgrades, Node takes every request that names one out of its hands, be it for HTTP/2 or for a route that has
 * none. Those are put back without the wish; the answer emits the others.
 */
function splitUpgrades(server: Server, routes: readonly RouteSpec[]): Server {
  const patterns = routes.map(({path}) => new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}/?$`))
  const upgrades = createServer()
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const path = (request.url ?? '').replace(/\?.*$/s, '')
    const isMeant = request.method === 'GET' && request.headers.upgrade?.toLowerCase() === 'websocket' && patterns.some((pattern) => pattern.test(path))
    if (isMeant) return void upgrades.emit('upgrade', request, socket, head)
    socket.unshift(Buffer.concat([withoutUpgrade(request), head]))
    server.emit('connection', socket)
  })
  return upgrades
}

const upgradeHeaders = ['upgrade', 'connection', 'http2-settings']

function withoutUpgrade({method = '', url = '', httpVersion, rawHeaders, headers}: IncomingMessage): Buffer {
  const lines = [`${method} ${url} HTTP/${httpVersion}`]
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    if (!upgradeHeaders.includes(name.toLowerCase())) lines.push(`${name}: ${rawHeaders[at + 1] ?? ''}`)
  }
  if (/\bclose\b/i.test(headers.connection ?? '')) lines.push('Connection: close')
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
}
