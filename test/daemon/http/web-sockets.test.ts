import {once} from 'node:events'
import {Agent, request as httpRequest, type IncomingMessage} from 'node:http'
import {connect, type AddressInfo, type Socket} from 'node:net'
import {json} from 'node:stream/consumers'
import {expect, it, onTestFinished} from 'vitest'
import {z} from 'zod'
import {TokenUse} from '../../../daemon/access/token-use.js'
import {systemClock} from '../../../daemon/clock.js'
import type {Conversation, Handler} from '../../../daemon/http/handlers.js'
import {bindRoutes, createHttpServer} from '../../../daemon/http/http-server.js'
import {openChannel} from '../../../src/client/open-channel.js'
import {Fault} from '../../../src/contract/faults.js'
import {route} from '../../../src/contract/route.js'
import {temporaryFolder} from '../start-test-daemon.js'
import {openStore, recordingLog} from '../store/store-fixture.js'

const error = z.object({type: z.literal('error'), code: z.string(), error: z.string()})
const routes = {
  talk: route({
    method: 'GET', path: '/api/talk/:name', summary: 'talk', scope: 'public', mutates: true, upgrade: 'websocket', params: z.strictObject({name: z.string().max(5)}),
    takes: z.object({type: z.literal('ask'), text: z.string()}), output: z.discriminatedUnion('type', [z.object({type: z.literal('tell'), text: z.string()}), error]), errors: ['UPGRADE_REQUIRED'],
  }),
  plain: route({method: 'POST', path: '/api/plain', summary: 'take JSON', scope: 'public', mutates: true, body: z.strictObject({a: z.int()}), output: z.object({a: z.int()})}),
}
type Talk = Handler<typeof routes.talk>
type Peer = Parameters<Awaited<ReturnType<Talk>>>[0]

async function serve(talk: Talk) {
  const {store} = await openStore(await temporaryFolder())
  const clock = systemClock
  const {server, streams} = await createHttpServer(
    {store, clock, log: recordingLog(), tokenUse: new TokenUse(store, clock), cloud: false, limitLoopback: false},
    bindRoutes(routes, {talk, plain: async ({body}) => body}),
  )
  await server.listen({host: '127.0.0.1', port: 0})
  const stop = async () => {
    streams.close()
    await server.close()
  }
  onTestFinished(async () => {
    await stop()
    await store.close()
  })
  const {port} = server.server.address() as AddressInfo
  const open = (headers: Record<string, string> = {}, path = '/api/talk/a') =>
    openChannel({url: new URL(`http://127.0.0.1:${port}${path}`), method: 'GET', headers, body: undefined, signal: AbortSignal.timeout(10_000)}, undefined)
  return {port, open, stop}
}

const saying = (conversation: (peer: Peer) => Promise<void>): Talk => async () => conversation satisfies Conversation<never, never> | ((peer: Peer) => Promise<void>)

/** A caller who reads nothing until he is told to. */
async function rawCaller(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').pause()
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => undefined)
  socket.write('GET /api/talk/a HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n')
  await once(socket, 'connect')
  return socket
}

it('carries bytes and messages both ways, in order, and closes when the handler is done', async () => {
  const {open} = await serve(saying(async ({frames, send}) => {
    for await (const frame of frames) {
      if (!Buffer.isBuffer(frame)) return send({type: 'tell', text: `you asked ${frame.text}`})
      await send(frame)
    }
  }))
  const channel = await open()
  const sizes = [0, 1, 125, 126, 65_535, 65_536, 300_000]
  for (const size of sizes) await channel.send(Buffer.alloc(size, size % 251))
  await channel.send({type: 'ask', text: 'é'})
  const came: unknown[] = []
  for await (const frame of channel.frames) came.push(frame instanceof Uint8Array ? [frame.length, frame.at(-1)] : frame)
  expect(came).toEqual([...sizes.map((size) => [size, size === 0 ? undefined : size % 251]), {type: 'tell', text: 'you asked é'}])
})

it('refuses in ordinary answers what it knows before the upgrade', async () => {
  const {open} = await serve(async ({params}) => {
    throw new Fault('CONFLICT', `${params.name} is busy`)
  })
  await expect(open()).rejects.toMatchObject({code: 'CONFLICT', status: 409, message: 'a is busy'})
  await expect(open({}, '/api/talk/too-long')).rejects.toMatchObject({code: 'VALIDATION_ERROR'})
  await expect(open({}, '/api/nothing')).rejects.toMatchObject({code: 'NOT_FOUND'})
})

it('refuses pages of other sites, and answers a request without an upgrade with what is missing', async () => {
  const {open, port} = await serve(saying(async ({send}) => send({type: 'tell', text: 'hi'})))
  for (const origin of ['https://evil.example', 'null', `http://127.0.0.1:${port + 1}`]) await expect(open({origin})).rejects.toMatchObject({code: 'FORBIDDEN', status: 403})
  const channel = await open({origin: `http://127.0.0.1:${port}`})
  for await (const frame of channel.frames) expect(frame).toEqual({type: 'tell', text: 'hi'})
  const answer = await fetch(`http://127.0.0.1:${port}/api/talk/a`)
  expect([answer.status, (await answer.json() as {code: string}).code]).toEqual([426, 'UPGRADE_REQUIRED'])
})

it('tells what fails later in a last message, with nothing of a bug', async () => {
  const last = async (talk: Talk, said?: object) => {
    const channel = await (await serve(talk)).open()
    if (said !== undefined) await channel.send(said)
    let frame: unknown
    for await (frame of channel.frames);
    return frame
  }
  const listening = saying(async ({frames}) => {
    for await (const _ of frames);
  })
  expect(await last(saying(async () => Promise.reject(new Fault('NOTHING_DEPLOYED', 'gone'))))).toEqual({type: 'error', code: 'NOTHING_DEPLOYED', error: 'gone'})
  expect(await last(saying(async () => Promise.reject(new Error('planted'))))).toEqual({type: 'error', code: 'INTERNAL', error: 'Internal server error'})
  expect(await last(listening, {type: 'shout'})).toMatchObject({type: 'error', code: 'VALIDATION_ERROR'})
})

it('makes the handler wait for a slow reader, and ends it when that one is gone', async () => {
  let sentBytes = 0
  let ended: unknown
  const {port} = await serve(saying(async ({send, signal}) => {
    try {
      for (; ; sentBytes += 65_536) await send(Buffer.alloc(65_536))
    } catch (error) {
      ended = signal.aborted && error
    }
  }))
  const caller = await rawCaller(port)
  let before = -1
  await expect.poll(() => {
    const isStill = sentBytes > 0 && sentBytes === before
    before = sentBytes
    return isStill
  }, {timeout: 10_000, interval: 300}).toBe(true)
  expect(sentBytes).toBeLessThan(16_000_000)
  caller.destroy()
  await expect.poll(() => ended, {timeout: 10_000}).toMatchObject({message: 'the caller hung up'})
})

it('goes on with a reader who was slow, and loses nothing on the way', async () => {
  const piece = 65_536
  let sent = 0
  const {open} = await serve(saying(async ({send}) => {
    for (; sent < 400; sent += 1) await send(Buffer.alloc(piece, sent))
  }))
  const channel = await open()
  let before = -1
  await expect.poll(() => {
    const isStill = sent > 0 && sent === before
    before = sent
    return isStill
  }, {timeout: 10_000, interval: 300}).toBe(true)
  expect(sent).toBeLessThan(400)
  let read = 0
  for await (const frame of channel.frames) expect((frame as Buffer).equals(Buffer.alloc(piece, read++))).toBe(true)
  expect(read).toBe(400)
})

it('makes the caller wait for a handler that does not read', async () => {
  const stopped = new AbortController()
  const {open} = await serve(saying(async ({signal}) => {
    await once(AbortSignal.any([signal, stopped.signal]), 'abort')
  }))
  const channel = await open()
  let sentBytes = 0
  const sending = (async () => {
    for (; sentBytes < 200_000_000 && !stopped.signal.aborted; sentBytes += 65_536) await channel.send(Buffer.alloc(65_536))
  })()
  let before = -1
  await expect.poll(() => {
    const isStill = sentBytes > 0 && sentBytes === before
    before = sentBytes
    return isStill
  }, {timeout: 10_000, interval: 300}).toBe(true)
  expect(sentBytes).toBeLessThan(16_000_000)
  stopped.abort()
  for await (const _ of channel.frames);
  channel.close()
  await sending
})

it('ends with the daemon, and says so', async () => {
  const {open, stop} = await serve(saying(async ({frames}) => {
    for await (const _ of frames);
  }))
  const channel = await open()
  const [frame] = await Promise.all([channel.frames[Symbol.asyncIterator]().next(), stop()])
  expect(frame.value).toEqual({type: 'error', code: 'DAEMON_NOT_RUNNING', error: 'the daemon stops'})
})

it('answers whoever offers another protocol as if he had not, and goes on with his connection', async () => {
  const {port} = await serve(saying(async () => undefined))
  const agent = new Agent({keepAlive: true, maxSockets: 1})
  onTestFinished(() => agent.destroy())
  const sockets = new Set<unknown>()
  for (const upgrade of ['h2c', 'websocket', 'h2c']) {
    const request = httpRequest({host: '127.0.0.1', port, agent, path: '/api/plain', method: 'POST', headers: {'content-type': 'application/json', connection: 'Upgrade, HTTP2-Settings', upgrade, 'http2-settings': 'AAMAAABk'}})
    request.once('socket', (socket) => sockets.add(socket))
    request.end(JSON.stringify({a: 7}))
    const [response] = await once(request, 'response') as [IncomingMessage]
    expect([response.statusCode, await json(response)]).toEqual([200, {a: 7}])
  }
})
