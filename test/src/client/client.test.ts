import {Buffer} from 'node:buffer'
import type {RequestListener} from 'node:http'
import {describe, expect, test} from 'vitest'
import {createClient, type ClientOptions} from '../../../src/client/client.js'
import {httpTransport} from '../../../src/client/http-transport.js'
import {ResponseFault} from '../../../src/client/response-fault.js'
import type {Transport} from '../../../src/client/transport.js'
import {undiciTransport} from '../../../src/client/undici-transport.js'
import type {Fault} from '../../../src/contract/faults.js'
import {inTurn, json, startTestServer} from './test-server.js'

const run = {id: 'jrun_1'}

function clientFor(url: string, options: Partial<ClientOptions> = {}) {
  return createClient({
    connect: () => Promise.resolve({baseUrl: url, token: 'moor_pat_x'}),
    userAgent: 'moorage-cli/1.0.0',
    wait: () => Promise.resolve(),
    ...options,
  })
}

async function faultOf(promise: Promise<unknown>): Promise<Fault> {
  return promise.then(
    () => {
      throw new Error('did not fail')
    },
    (error: Fault) => error,
  )
}

const transports: [string, Transport][] = [['node:http', httpTransport], ['undici', undiciTransport]]

describe.each(transports)('a client over %s', (_, transport) => {
  test('sends method, path, query, body and credentials, and answers with the JSON', async () => {
    const server = await startTestServer(json(200, {data: {key: 'custom:a', runId: 'jrun_1'}}))
    const client = clientFor(`${server.url}/base`, {transport, connect: () => Promise.resolve({baseUrl: `${server.url}/base`, token: 't', organizationId: 'org_1'})})
    const answer = await client.jobs.run({params: {key: 'custom:a/b'}, body: {parameters: {A: 'ü'}}})
    expect(answer.data.runId).toBe('jrun_1')
    expect(server.requests[0]).toMatchObject({
      method: 'POST', url: '/base/api/jobs/custom%3Aa%2Fb/run', body: '{"parameters":{"A":"ü"}}',
      headers: {authorization: 'Bearer t', 'x-organization-id': 'org_1', 'user-agent': 'moorage-cli/1.0.0', 'content-type': 'application/json'},
    })
  })

  test('leaves out what was not given', async () => {
    const server = await startTestServer(json(200, {data: [], pageInfo: {hasNextPage: false, endCursor: null}}))
    await clientFor(server.url, {transport}).jobs.allRuns({query: {limit: 5, cursor: undefined}})
    expect(server.requests[0]?.url).toBe('/api/jobs/runs?limit=5')
    expect(server.requests[0]?.headers['content-type']).toBeUndefined()
  })

  test('turns an error body into a fault with code, status, details, errors and request id', async () => {
    const body = {error: 'may not', code: 'FORBIDDEN', required: 'job:write', held: ['job:read'], suggestions: ['whoami'], errors: [{path: '/a', message: 'b'}]}
    const server = await startTestServer(json(403, body, {'x-request-id': 'req-1'}))
    const fault = await faultOf(clientFor(server.url, {transport}).jobs.list())
    expect(fault).toBeInstanceOf(ResponseFault)
    expect(fault).toMatchObject({
      code: 'FORBIDDEN', wireCode: 'FORBIDDEN', status: 403, exit: 4, message: 'may not', requestId: 'req-1',
      details: {required: 'job:write', held: ['job:read']}, suggestions: ['whoami'], errors: [{path: '/a', message: 'b'}],
    })
  })

  test('keeps a code it does not know beside one that it does', async () => {
    const server = await startTestServer(json(409, {error: 'too new', code: 'LUNAR_ECLIPSE'}))
    expect(await faultOf(clientFor(server.url, {transport}).jobs.list())).toMatchObject({code: 'CONFLICT', wireCode: 'LUNAR_ECLIPSE', status: 409, exit: 1})
  })

  test('calls an HTML page unexpected and names the address', async () => {
    const server = await startTestServer((_request, response) => response.writeHead(200, {'content-type': 'text/html'}).end('<html>'))
    const fault = await faultOf(clientFor(server.url, {transport}).jobs.list())
    expect(fault.code).toBe('UNEXPECTED_RESPONSE')
    expect(fault.message).toContain(`${server.url}/api/jobs answered 200 with text/html`)
  })

  test.each([
    ['broken JSON', '{"a":'],
    ['an array of an error', '["no"]'],
  ])('calls %s unexpected', async (_name, text) => {
    const server = await startTestServer((_request, response) => response.writeHead(400, {'content-type': 'application/json'}).end(text))
    expect((await faultOf(clientFor(server.url, {transport}).jobs.list())).code).toBe('UNEXPECTED_RESPONSE')
  })

  test('takes an empty answer as nothing', async () => {
    const server = await startTestServer((_request, response) => response.writeHead(204).end())
    expect(await clientFor(server.url, {transport}).tokens.revoke({params: {id: 'pat_1'}})).toBeUndefined()
  })

  test('tries a read again after a limit, a proxy error and a closed connection', async () => {
    const server = await startTestServer(
      inTurn(
        json(429, {error: 'slow', code: 'RATE_LIMITED'}, {'retry-after': '3'}),
        (_request, response) => response.writeHead(502, {'content-type': 'text/html'}).end('bad gateway'),
        (request) => request.socket.destroy(),
        json(200, {data: []}),
      ),
    )
    const pauses: number[] = []
    const client = clientFor(server.url, {
      transport, random: () => 1,
      wait: (ms) => {
        pauses.push(ms)
        return Promise.resolve()
      },
    })
    await client.tokens.list()
    expect(pauses).toEqual([3000, 400, 800])
  })

  test('gives up on a read after four tries', async () => {
    const server = await startTestServer((_request, response) => response.writeHead(503).end())
    expect((await faultOf(clientFor(server.url, {transport}).tokens.list())).code).toBe('UNEXPECTED_RESPONSE')
    expect(server.requests).toHaveLength(4)
  })

  test('does not wait for a limit that ends too late', async () => {
    const server = await startTestServer(json(429, {error: 'slow', code: 'RATE_LIMITED'}, {'retry-after': '3600'}))
    expect((await faultOf(clientFor(server.url, {transport}).tokens.list())).code).toBe('RATE_LIMITED')
    expect(server.requests).toHaveLength(1)
  })

  test('sends what changes something once, whatever comes back', async () => {
    const server = await startTestServer((request) => request.socket.destroy())
    const fault = await faultOf(clientFor(server.url, {transport}).jobs.run({params: {key: 'a'}}))
    expect(fault).toMatchObject({code: 'DAEMON_NOT_RUNNING', message: `no answer from ${server.url}: the connection was closed`})
    expect(server.requests).toHaveLength(1)
  })

  test('does not repeat a read whose 502 is the API speaking of a server', async () => {
    const server = await startTestServer(json(502, {error: 'web-1 refused', code: 'SERVER_UNREACHABLE'}))
    expect((await faultOf(clientFor(server.url, {transport}).servers.list())).code).toBe('SERVER_UNREACHABLE')
    expect(server.requests).toHaveLength(1)
  })

  test('says when nothing listens', async () => {
    const server = await startTestServer(json(200, {}))
    await new Promise((resolve) => server.server.close(resolve))
    expect(await faultOf(clientFor(server.url, {transport}).tokens.list())).toMatchObject({
      code: 'DAEMON_NOT_RUNNING', message: `no answer from ${server.url}: nothing listens there`,
    })
  })

  test.each<[string, RequestListener]>([
    ['no header comes', () => undefined],
    ['the body does not end', (_request, response) => void response.writeHead(200, {'content-type': 'application/json'}).write('{"data"')],
  ])('ends at its deadline when %s', async (_name, answer) => {
    const server = await startTestServer(answer)
    expect(await faultOf(clientFor(server.url, {transport, timeoutMs: 80}).tokens.list())).toMatchObject({code: 'DAEMON_NOT_RUNNING', message: expect.stringContaining('within 1 s') as unknown})
  })

  test('ends with the reason of the signal, and closes the connection', async () => {
    let onClosed = () => {}
    const closed = new Promise<void>((resolve) => (onClosed = resolve))
    const controller = new AbortController()
    const reason = new Error('enough')
    const server = await startTestServer((request) => {
      request.socket.on('close', () => onClosed())
      controller.abort(reason)
    })
    expect(await faultOf(clientFor(server.url, {transport}).tokens.list({}, {signal: controller.signal}))).toBe(reason)
    await closed
  })

  test('reads the events of a stream, pings apart, and sends the last id', async () => {
    const server = await startTestServer((_request, response) => {
      response.writeHead(200, {'content-type': 'text/event-stream; charset=utf-8'})
      response.write(': ok\n\nid: 5\nevent: snapshot\ndata: {"type":"snapshot","run":{"id":"jrun_1"}}\n\n')
      response.end('event: ping\ndata: {}\n\n')
    })
    const stream = await clientFor(server.url, {transport}).jobs.streamRun({params: {runId: 'jrun_1'}}, {lastEventId: '4'})
    const seen: unknown[] = []
    for await (const event of stream) seen.push(event)
    expect(seen).toEqual([{id: '5', data: {type: 'snapshot', run}}, {id: '5', data: {type: 'ping'}}])
    expect(server.requests[0]?.headers).toMatchObject({'last-event-id': '4', accept: 'text/event-stream'})
  })

  test('refuses a stream that is none', async () => {
    const server = await startTestServer(json(200, {data: {}}))
    expect((await faultOf(clientFor(server.url, {transport}).jobs.streamRun({params: {runId: 'r'}}))).code).toBe('UNEXPECTED_RESPONSE')
  })

  test('downloads bytes as they are', async () => {
    const bytes = Buffer.from([0, 255, 10, 13, 0])
    const server = await startTestServer((_request, response) => response.writeHead(200, {'content-type': 'application/octet-stream', 'content-length': '5'}).end(bytes))
    const download = await clientFor(server.url, {transport}).jobs.runOutput({params: {runId: 'jrun_1'}})
    const pieces: Uint8Array[] = []
    for await (const piece of download.bytes) pieces.push(piece)
    expect(Buffer.concat(pieces)).toEqual(bytes)
    expect(download.sizeBytes).toBe(5)
  })

  test('lets a slow reader hold back the sender', async () => {
    let written = 0
    const total = 64 * 1024 * 1024
    const server = await startTestServer((_request, response) => {
      response.writeHead(200, {'content-type': 'application/octet-stream'})
      const fill = () => {
        while (written < total) {
          written += 1024 * 1024
          if (!response.write(Buffer.alloc(1024 * 1024))) return void response.once('drain', fill)
        }
        response.end()
      }
      fill()
    })
    const download = await clientFor(server.url, {transport}).jobs.runOutput({params: {runId: 'jrun_1'}})
    for await (const piece of download.bytes) {
      if (piece.length > 0) break
    }
    expect(written).toBeLessThan(total / 2)
  })

  test('reports a download that stops short', async () => {
    const server = await startTestServer((_request, response) => {
      response.writeHead(200, {'content-length': '100'})
      response.write('short', () => response.destroy())
    })
    const download = await clientFor(server.url, {transport}).jobs.runOutput({params: {runId: 'jrun_1'}})
    const reading = async () => {
      for await (const piece of download.bytes) void piece
    }
    expect((await faultOf(reading())).code).toBe('DAEMON_NOT_RUNNING')
  })
})

test('a client asks where to connect once, and not before the first call', async () => {
  let asked = 0
  const server = await startTestServer(json(200, {data: []}))
  const client = clientFor(server.url, {
    connect: () => {
      asked += 1
      return Promise.resolve({baseUrl: server.url, token: undefined})
    },
  })
  expect(asked).toBe(0)
  await Promise.all([client.tokens.list(), client.tokens.list()])
  expect(asked).toBe(1)
  expect(server.requests[0]?.headers.authorization).toBeUndefined()
})

test('a parameter of dots stays one segment of the path', async () => {
  const server = await startTestServer(json(404, {error: 'Not found', code: 'NOT_FOUND'}))
  await faultOf(clientFor(server.url).jobs.show({params: {key: '..'}}))
  expect(server.requests[0]?.url).toMatch(/^\/api\/jobs\/[^/]+$/)
})
