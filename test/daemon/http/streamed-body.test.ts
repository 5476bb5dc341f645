import {EventEmitter, once} from 'node:events'
import {request as httpRequest, type ClientRequest, type IncomingMessage} from 'node:http'
import {connect, type AddressInfo, type Socket} from 'node:net'
import {json} from 'node:stream/consumers'
import {expect, it, onTestFinished} from 'vitest'
import {z} from 'zod'
import {TokenUse} from '../../../daemon/access/token-use.js'
import type {Handler} from '../../../daemon/http/handlers.js'
import {bindRoutes, createHttpServer} from '../../../daemon/http/http-server.js'
import {systemClock} from '../../../daemon/clock.js'
import {Fault} from '../../../src/contract/faults.js'
import {route} from '../../../src/contract/route.js'
import {openStore, recordingLog} from '../store/store-fixture.js'
import {temporaryFolder} from '../start-test-daemon.js'
import {ManualClock} from '../manual-clock.js'

const routes = {
  send: route({
    method: 'POST', path: '/api/bytes/:name', summary: 'take bytes', scope: 'public', mutates: true, streamsBody: true, params: z.strictObject({name: z.string().max(5)}),
    headers: z.object({'x-ticket': z.string().max(10)}), output: z.object({bytes: z.int(), ticket: z.string()}),
  }),
  plain: route({method: 'POST', path: '/api/plain', summary: 'take JSON', scope: 'public', mutates: true, body: z.strictObject({a: z.int()}), output: z.object({a: z.int()})}),
}

/** A server of two routes; what happens to the bytes is the test's. */
async function serve(send: Handler<typeof routes.send>, clock = systemClock) {
  const {store} = await openStore(await temporaryFolder())
  const log = recordingLog()
  const {server} = await createHttpServer(
    {store, clock, log, tokenUse: new TokenUse(store, clock), cloud: false, limitLoopback: false},
    bindRoutes(routes, {send, plain: async ({body}) => body}),
  )
  await server.listen({host: '127.0.0.1', port: 0})
  onTestFinished(async () => {
    await server.close()
    await store.close()
  })
  const {port} = server.server.address() as AddressInfo
  const open = (headers: Record<string, string> = {}, path = '/api/bytes/a'): ClientRequest =>
    httpRequest({host: '127.0.0.1', port, path, method: 'POST', headers: {'x-ticket': 't', ...headers}, agent: false}).on('error', () => undefined)
  return {port, open, log}
}

function answerOf(request: ClientRequest): Promise<{status: number; body: unknown; connection: string | undefined}> {
  return new Promise((resolve, reject) => {
    request.once('error', reject).once('response', (response: IncomingMessage) => {
      json(response).then((body) => resolve({status: response.statusCode ?? 0, body, connection: response.headers.connection}), reject)
    })
  })
}

const count: Handler<typeof routes.send> = async ({headers}, {content}) => {
  let bytes = 0
  for await (const piece of content) bytes += piece.length
  return {bytes, ticket: headers['x-ticket']}
}

it.each([[{}], [{'content-type': 'application/gzip'}], [{'content-type': 'application/json'}], [{'content-type': 'text/plain; charset=x'}]])('takes bytes of any type, as with the headers %j, however many', async (headers) => {
  const {open} = await serve(count)
  const request = open(headers)
  const answer = answerOf(request)
  for (let index = 0; index < 40; index += 1) request.write(Buffer.alloc(100_000))
  request.end('{')
  expect(await answer).toMatchObject({status: 200, body: {bytes: 4_000_001, ticket: 't'}})
})

it('takes nothing as no bytes, and leaves other routes with JSON', async () => {
  const {open, port} = await serve(count)
  const request = open()
  const answer = answerOf(request)
  request.end()
  expect(await answer).toMatchObject({status: 200, body: {bytes: 0}})
  const plain = await fetch(`http://127.0.0.1:${port}/api/plain`, {method: 'POST', body: '{"a": 1}', headers: {'content-type': 'application/json'}})
  expect(await plain.json()).toEqual({a: 1})
  const wrong = await fetch(`http://127.0.0.1:${port}/api/plain`, {method: 'POST', body: 'x', headers: {'content-type': 'application/gzip'}})
  expect(wrong.status).toBe(415)
})

it('parses what stands beside the body before any of it is read', async () => {
  const {open} = await serve(count)
  const request = open({'x-ticket': 'much too long'}, '/api/bytes/toolong')
  const answer = answerOf(request)
  request.write('x')
  expect(await answer).toMatchObject({
    status: 400, connection: 'close',
    body: {code: 'VALIDATION_ERROR', errors: [{path: '/name', message: 'must have at most 5 characters'}, {path: '/x-ticket', message: 'must have at most 10 characters'}]},
  })
})

it('reads from the connection no faster than the handler does', async () => {
  let release = () => undefined as void
  const waiting = new Promise<void>((resolve) => {
    release = resolve
  })
  const {open} = await serve(async (input, request) => {
    await waiting
    return count(input, request)
  })
  const request = open()
  const answer = answerOf(request)
  for (let index = 0; index < 60; index += 1) request.write(Buffer.alloc(1_000_000))
  const socket = await new Promise<Socket>((resolve) => request.once('socket', resolve))
  for (let turn = 0; turn < 500; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  // What the kernel and both ends hold is some megabytes.
  expect(socket.bytesWritten - socket.writableLength).toBeLessThan(25_000_000)
  expect(socket.writableLength).toBeGreaterThan(25_000_000)
  release()
  request.end()
  expect((await answer).status).toBe(200)
})

it('answers a refusal while the caller still sends, and then closes the connection', async () => {
  const {open, log} = await serve(async (_input, {content}) => {
    let bytes = 0
    for await (const piece of content) if ((bytes += piece.length) > 100_000) throw new Fault('PAYLOAD_TOO_LARGE', 'too much')
    return {bytes, ticket: ''}
  })
  const request = open()
  const answer = answerOf(request)
  const closed = new Promise((resolve) => request.once('close', resolve))
  for (let index = 0; index < 200; index += 1) request.write(Buffer.alloc(100_000))
  expect(await answer).toEqual({status: 413, body: {error: 'too much', code: 'PAYLOAD_TOO_LARGE'}, connection: 'close'})
  request.end()
  await closed
  expect(log.lines).toEqual([])
})

it('closes the connection of a caller who never stops sending, after a while', async () => {
  const clock = new ManualClock(0)
  const {open} = await serve(async () => {
    throw new Fault('FORBIDDEN', 'no')
  }, clock)
  const request = open()
  const closed = new Promise((resolve) => request.once('close', resolve))
  request.write('x')
  expect((await answerOf(request)).status).toBe(403)
  request.write('y')
  clock.advance(5000)
  await closed
})

it('tells a handler that the caller has gone', async () => {
  const events = new EventEmitter()
  const {port} = await serve(async (_input, {content, signal}) => {
    try {
      for await (const piece of content) events.emit('piece', piece)
    } catch (error) {
      events.emit('end', [error instanceof Error, signal.aborted])
      throw new Fault('CONFLICT', 'gone')
    }
    return {bytes: 0, ticket: ''}
  })
  const socket = connect(port, '127.0.0.1')
  socket.write('POST /api/bytes/a HTTP/1.1\r\nHost: x\r\nx-ticket: t\r\nContent-Length: 1000\r\n\r\nabc')
  await once(events, 'piece')
  const ending = once(events, 'end')
  socket.destroy()
  expect(await ending).toEqual([[true, true]])
})
