import {request} from 'node:http'
import {connect} from 'node:net'
import {expect, it} from 'vitest'
import {startTestDaemon} from '../start-test-daemon.js'

it('answers health without a credential, with a request id and cache rules', async () => {
  const daemon = await startTestDaemon()
  const live = await daemon.call('GET', '/api/health', undefined, null)
  expect(live.body).toMatchObject({status: 'ok', cloudMode: false})
  expect(live.headers.get('x-request-id')).toMatch(/^req_[\w-]{16}$/)
  const env = await daemon.call('GET', '/api/health/env', undefined, null)
  expect(env.headers.get('cache-control')).toBe('public, max-age=30')
  expect(env.body).toEqual({
    selfHosted: true, deployMode: 'bare', isServerHost: true, hostControlEnabled: true, version: '1.0.0', authMode: 'local', productMode: 'platform',
    teamMode: 'single_user', migrationTargetUrl: null, migrationInProgress: false, cloudAuthUrl: null, cloudApiUrl: null,
  })
})

it('tells a missing credential from a bad one', async () => {
  const daemon = await startTestDaemon()
  expect((await daemon.call('GET', '/api/tokens', undefined, null)).body).toMatchObject({code: 'UNAUTHORIZED', error: expect.any(String)})
  for (const authorization of ['Basic Zm9v', 'Bearer', 'Bearer  ']) {
    expect((await daemon.call('GET', '/api/tokens', undefined, null, {authorization})).body.code).toBe('UNAUTHORIZED')
  }
  expect((await daemon.call('GET', '/api/tokens', undefined, 'moor_pat_wrong')).body.code).toBe('INVALID_TOKEN')
  expect((await daemon.call('GET', '/api/tokens', undefined, null, {authorization: `bEaReR ${daemon.token}`})).status).toBe(200)
})

it('takes an empty body as no input, whatever its type', async () => {
  const daemon = await startTestDaemon()
  const answer = await daemon.call('POST', '/api/projects', undefined)
  expect(answer.body).toMatchObject({code: 'VALIDATION_ERROR', success: false, errors: [{path: '/name', message: 'is required'}]})
})

it.each([
  ['{"name":', 'application/json', 400, 'INVALID_JSON'],
  ['name=x', 'application/x-www-form-urlencoded', 415, 'UNSUPPORTED_MEDIA_TYPE'],
  ['[]', 'application/json', 400, 'VALIDATION_ERROR'],
  ['null', 'application/json', 400, 'VALIDATION_ERROR'],
  [`{"name":"${'x'.repeat(1_000_001)}"}`, 'application/json', 413, 'PAYLOAD_TOO_LARGE'],
])('refuses the body %.20s of type %s with %i %s', async (body, type, status, code) => {
  const daemon = await startTestDaemon()
  const answer = await daemon.call('POST', '/api/projects', body, daemon.token, {'content-type': type})
  expect([answer.status, answer.body.code]).toEqual([status, code])
  expect((await daemon.call('GET', '/api/projects')).body.data).toEqual([])
})

it('names every mistake of a request at once, and never repeats a value', async () => {
  const daemon = await startTestDaemon()
  const answer = await daemon.call('POST', '/api/projects', {name: 7, port: 99_999, slug: 'Sesame!', 'odd/key': 'hunter2'})
  expect(answer.body.errors).toEqual([
    {path: '/name', message: 'must be a text'},
    {path: '/slug', message: 'lower-case letters, digits and inner hyphens, at most 63'},
    {path: '/port', message: 'must be at most 65535'},
    {path: '/odd~1key', message: 'is not a known field'},
  ])
  expect(JSON.stringify(answer.body)).not.toMatch(/hunter2|Sesame/)
})

it.each(['limit=0', 'limit=201', 'limit=', 'limit=x', 'perPage=0', 'cursor=%ff', 'unknown=1'])('refuses the query %s with a path', async (query) => {
  const daemon = await startTestDaemon()
  const answer = await daemon.call('GET', `/api/projects?${query}`)
  expect([answer.status, answer.body.code]).toEqual([400, 'VALIDATION_ERROR'])
  expect(answer.body.errors[0].path).toBe(`/${query.split('=')[0]}`)
})

it('takes an empty text in a query as it is, and never as the number zero', async () => {
  const daemon = await startTestDaemon()
  expect((await daemon.call('GET', '/api/audit?eventType=&cursor=')).status).toBe(200)
  const answer = await daemon.call('GET', '/api/jobs/runs/none/stream?tail=')
  expect(answer.body).toMatchObject({code: 'VALIDATION_ERROR', errors: [{path: '/tail', message: 'must not be empty'}]})
})

it('answers an unknown route and a wrong method with NOT_FOUND as JSON', async () => {
  const daemon = await startTestDaemon()
  for (const [method, path] of [['GET', '/api/nothing'], ['PUT', '/api/projects'], ['GET', '/'], ['GET', '/api/projects/%zz']] as const) {
    expect((await daemon.call(method, path)).body).toEqual({error: 'Not found', code: 'NOT_FOUND'})
  }
})

it('stops reading a body that grows past the limit without a declared length', async () => {
  const daemon = await startTestDaemon()
  const status = await new Promise<number>((resolve, reject) => {
    const call = request(`${daemon.daemon.url}/api/projects`, {
      method: 'POST',
      headers: {authorization: `Bearer ${daemon.token}`, 'content-type': 'application/json', 'transfer-encoding': 'chunked'},
    }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    call.on('error', reject)
    call.write('{"name":"')
    for (let i = 0; i < 20; i++) call.write('x'.repeat(100_000))
    call.end('"}')
  })
  expect(status).toBe(413)
})

/** Sends bytes as they are and answers what came back until the daemon hung up. */
function sendRaw(url: string, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const {hostname, port} = new URL(url)
    const socket = connect(Number(port), hostname, () => socket.write(text))
    let received = ''
    socket.setEncoding('utf8').on('data', (chunk: string) => (received += chunk))
    socket.on('close', () => resolve(received)).on('error', reject)
  })
}

it.each(['foo', ';', 'a/b/c', 'application/json, text/plain'])('refuses a body whose Content-Type %j is none', async (type) => {
  const daemon = await startTestDaemon()
  const answer = await daemon.call('POST', '/api/projects', '{}', daemon.token, {'content-type': type})
  expect([answer.status, answer.body.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE'])
})

it.each(['', 'foo'])('takes an empty body with the Content-Type %j as no input', async (type) => {
  const daemon = await startTestDaemon()
  const head = `POST /api/projects HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${daemon.token}\r\nContent-Type: ${type}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`
  expect(await sendRaw(daemon.daemon.url, head)).toContain('"path":"/name","message":"is required"')
})

it('answers a parameter of the path that is longer than any id as not found', async () => {
  const daemon = await startTestDaemon()
  expect(await daemon.call('GET', `/api/jobs/${'a'.repeat(501)}`)).toMatchObject({status: 404, body: {error: 'Not found', code: 'NOT_FOUND'}})
})

it('answers HEAD like GET, without the body', async () => {
  const daemon = await startTestDaemon()
  const answer = await daemon.call('HEAD', '/api/health', undefined, null)
  expect([answer.status, answer.body, answer.headers.get('content-type')]).toEqual([200, undefined, 'application/json; charset=utf-8'])
  expect((await daemon.call('HEAD', '/api/tokens', undefined, null)).status).toBe(401)
  expect((await daemon.call('HEAD', '/api/tokens')).status).toBe(200)
})

it('gives every answer a request id, also what is no request and the document of the routes', async () => {
  const daemon = await startTestDaemon()
  expect((await daemon.call('GET', '/api/openapi.json', undefined, null)).headers.get('x-request-id')).toMatch(/^req_/)
  expect(await sendRaw(daemon.daemon.url, 'nonsense\r\n\r\n')).toMatch(/^HTTP\/1.1 400 [^]*x-request-id: req_[^]*"this is not a valid HTTP request"/)
  const large = `GET /api/health HTTP/1.1\r\nHost: x\r\nX-Large: ${'a'.repeat(20_000)}\r\n\r\n`
  expect(await sendRaw(daemon.daemon.url, large)).toMatch(/x-request-id: req_[^]*"the headers are larger than this server takes"/)
})

it('tells how much of the limit is left with every limited answer, once an instance is public', async () => {
  const daemon = await startTestDaemon({publicUrl: 'https://moorage.example'})
  const listed = await daemon.call('GET', '/api/tokens')
  expect(listed.status).toBe(200)
  expect([listed.headers.get('x-ratelimit-limit'), listed.headers.get('x-ratelimit-remaining')]).toEqual(['3000', '2999'])
  expect(Number(listed.headers.get('x-ratelimit-reset'))).toBeGreaterThan(Date.now() / 1000)
  expect((await daemon.call('GET', '/api/jobs/custom:none')).headers.get('x-ratelimit-remaining')).toBe('2998')
  expect((await daemon.call('GET', '/api/health', undefined, null)).headers.get('x-ratelimit-limit')).toBeNull()
})

it('does not count a refused request as a use of the token', async () => {
  const daemon = await startTestDaemon()
  const made = await daemon.call('POST', '/api/tokens', {name: 'reader', fullAccess: true, readOnly: true})
  const {id, token} = made.body.data
  expect((await daemon.call('POST', '/api/projects', {name: 'x'}, token)).body.code).toBe('TOKEN_READ_ONLY')
  const rows = (await daemon.call('GET', '/api/tokens')).body.data
  expect(rows.find((row: {id: string}) => row.id === id)).toMatchObject({useCount: 0, lastUsedAt: null})
})

it('says what kept it from a server beside the code of the answer', async () => {
  const daemon = await startTestDaemon()
  const server = await daemon.call('POST', '/api/system/servers', {sshHost: '127.0.0.1', sshPort: 1})
  const answer = await daemon.call('POST', `/api/system/servers/${server.body.id}/exec`, {command: 'true'})
  expect(answer).toMatchObject({status: 502, body: {code: 'SERVER_UNREACHABLE', reason: 'refused', serverId: server.body.id}})
})
