import {createHash} from 'node:crypto'
import {createServer, type RequestListener} from 'node:http'
import type {AddressInfo} from 'node:net'
import {describe, expect, onTestFinished, test} from 'vitest'
import {createClient, type ClientOptions} from '../../../src/client/client.js'
import {httpTransport} from '../../../src/client/http-transport.js'
import type {Transport} from '../../../src/client/transport.js'
import {undiciTransport} from '../../../src/client/undici-transport.js'
import {Fault} from '../../../src/contract/faults.js'

const transports: [string, Transport][] = [['node:http', httpTransport], ['undici', undiciTransport]]

/** A plain server that reads what comes as the test says. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function send(url: string, content: AsyncIterable<Uint8Array>, options: Partial<ClientOptions> & {signal?: AbortSignal} = {}) {
  const {signal, ...rest} = options
  const client = createClient({connect: () => Promise.resolve({baseUrl: url, token: 't'}), userAgent: 'moorage-cli/1.0.0', ...rest})
  return client.uploads.send({params: {sessionId: 'upl_1'}, headers: {'x-upload-ticket': 'ticket'}, content}, signal === undefined ? {} : {signal})
}

async function* pieces(count: number, size = 50_000): AsyncGenerator<Uint8Array> {
  for (let index = 0; index < count; index += 1) yield Buffer.alloc(size, index)
}

describe.each(transports)('bytes sent over %s', (_, transport) => {
  test('arrive whole, with the headers of the route', async () => {
    const hash = createHash('sha256')
    let seen: NodeJS.Dict<string | string[]> = {}
    const url = await serve((request, response) => {
      seen = request.headers
      request.on('data', (bytes: Buffer) => hash.update(bytes)).on('end', () => response.writeHead(200, {'content-type': 'application/json'}).end('{"success": true, "bytes": 1, "files": 1}'))
    })
    expect(await send(url, pieces(40), {transport})).toEqual({success: true, bytes: 1, files: 1})
    const wanted = createHash('sha256')
    for await (const bytes of pieces(40)) wanted.update(bytes)
    expect(hash.digest('hex')).toBe(wanted.digest('hex'))
    expect(seen).toMatchObject({'x-upload-ticket': 'ticket', 'content-type': 'application/octet-stream', 'transfer-encoding': 'chunked', 'authorization': 'Bearer t'})
  })

  test('are read no faster than they go', async () => {
    let given = 0
    async function* counted() {
      for await (const bytes of pieces(2000)) {
        given += bytes.length
        yield bytes
      }
    }
    let open = () => undefined as void
    const url = await serve((request, response) => {
      open = () => void request.resume().on('end', () => response.writeHead(200, {'content-type': 'application/json'}).end('{"success": true, "bytes": 1, "files": 1}'))
    })
    const sending = send(url, counted(), {transport})
    await expect.poll(() => given, {timeout: 5000}).toBeGreaterThan(0)
    for (let turn = 0; turn < 300; turn += 1) await new Promise((resolve) => setImmediate(resolve))
    expect(given).toBeLessThan(40_000_000)
    open()
    await sending
    expect(given).toBe(100_000_000)
  })

  test('stop where the answer comes before their end', async () => {
    const url = await serve((request, response) => {
      request.once('data', () => {
        const text = '{"error": "too large", "code": "PAYLOAD_TOO_LARGE"}'
        response.writeHead(413, {'content-type': 'application/json', 'connection': 'close', 'content-length': text.length})
        response.write(text)
      })
      request.on('end', () => response.end()).on('error', () => undefined)
    })
    let released = false
    async function* endless() {
      try {
        for (;;) {
          yield Buffer.alloc(50_000)
          await new Promise((resolve) => setImmediate(resolve))
        }
      } finally {
        released = true
      }
    }
    await expect(send(url, endless(), {transport})).rejects.toMatchObject({code: 'PAYLOAD_TOO_LARGE', message: 'too large'})
    await expect.poll(() => released, {timeout: 5000}).toBe(true)
  })

  test('that can not be read end the request with what kept them', async () => {
    const url = await serve((request) => void request.resume().on('error', () => undefined))
    async function* failing() {
      yield Buffer.alloc(1000)
      throw new Fault('USAGE', 'a file changed while it was read')
    }
    await expect(send(url, failing(), {transport})).rejects.toMatchObject({code: 'USAGE', message: 'a file changed while it was read'})
  })

  test('take as long as they take, unless nothing moves any more', async () => {
    const url = await serve((request, response) => void request.resume().on('end', () => response.writeHead(200, {'content-type': 'application/json'}).end('{"success": true, "bytes": 1, "files": 1}')))
    async function* slow() {
      for (let index = 0; index < 6; index += 1) {
        await new Promise((resolve) => setTimeout(resolve, 60))
        yield Buffer.alloc(10)
      }
    }
    expect(await send(url, slow(), {transport, timeoutMs: 250})).toMatchObject({success: true})
    const deaf = await serve(() => undefined)
    await expect(send(deaf, pieces(1), {transport, timeoutMs: 100})).rejects.toMatchObject({code: 'DAEMON_NOT_RUNNING', message: expect.stringContaining('within 1 s')})
  })

  test('stop when the caller wants no more', async () => {
    const url = await serve((request) => void request.resume().on('error', () => undefined))
    const stopping = new AbortController()
    async function* endless() {
      for (;;) {
        yield Buffer.alloc(1000)
        stopping.abort(new Error('interrupted'))
        await new Promise((resolve) => setImmediate(resolve))
      }
    }
    await expect(send(url, endless(), {transport, signal: stopping.signal})).rejects.toThrow('interrupted')
  })
})
