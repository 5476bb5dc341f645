import {createHash, randomBytes} from 'node:crypto'
import {request as httpRequest} from 'node:http'
import {createReadStream, existsSync} from 'node:fs'
import {mkdir, readdir, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {buffer} from 'node:stream/consumers'
import {describe, expect, it} from 'vitest'
import {ManualClock} from '../../../manual-clock.js'
import {startTestDaemon, type TestDaemon} from '../../../start-test-daemon.js'
import {gzipOf} from './make-tar.js'

interface Session {
  readonly sessionId: string
  readonly ticket: string
  readonly url: string
}

async function openSession(daemon: TestDaemon, token?: string): Promise<Session> {
  const {status, body} = await daemon.call('POST', '/api/projects/folder/session', {name: 'shop'}, token)
  expect([status, body.error]).toEqual([200, undefined])
  return {sessionId: body.sessionId, ticket: body.upload.headers['x-upload-ticket'], url: body.upload.absoluteUrl}
}

async function send({url, ticket}: Session, bytes: Buffer): Promise<{status: number; body: Record<string, unknown>}> {
  const response = await fetch(url, {method: 'POST', body: new Uint8Array(bytes), headers: {'x-upload-ticket': ticket, 'content-type': 'application/gzip'}})
  return {status: response.status, body: (await response.json()) as Record<string, unknown>}
}

const uploadsOf = (daemon: TestDaemon) => readdir(join(daemon.home, 'uploads'))
const compose = 'services:\n  web:\n    image: lab/web:1\n  api:\n    build: ./api\n'

describe('the upload of a folder', () => {
  it('goes from the session to a project', async () => {
    const daemon = await startTestDaemon()
    const opened = await daemon.call('POST', '/api/projects/folder/session', {name: 'shop', packageManager: 'pnpm', stack: 'next', anything: 'else'})
    const {sessionId, upload, limitBytes, expiresAt} = opened.body
    expect(opened.body).toMatchObject({success: true, limitBytes: 300_000_000, upload: {method: 'POST', requiresAuth: false, url: `projects/folder/upload/${sessionId}`, absoluteUrl: `${daemon.daemon.url}/api/projects/folder/upload/${sessionId}`}})
    expect([limitBytes, Date.parse(expiresAt) - Date.now() > 3_590_000, upload.headers['Content-Type']]).toEqual([300_000_000, true, 'application/gzip'])
    const early = await daemon.call('POST', `/api/projects/folder/scan/${sessionId}`, {})
    expect([early.status, early.body]).toMatchObject([400, {code: 'UPLOAD_REFUSED', reason: 'missing'}])
    const archive = await gzipOf([{name: 'compose.yml', text: compose}, {name: 'api/Dockerfile', text: 'FROM x'}, {name: 'package.json', text: '{"scripts": {"build": "b"}}'}])
    expect(await send({sessionId, ticket: upload.headers['x-upload-ticket'], url: upload.absoluteUrl}, archive)).toEqual({status: 200, body: {success: true, bytes: archive.length, files: 3}})
    const scan = await daemon.call('POST', `/api/projects/folder/scan/${sessionId}`)
    expect(scan.body).toMatchObject({
      success: true, name: 'shop', stack: 'compose', projectType: 'services', packageManager: 'pnpm', buildCommand: 'pnpm run build', composePath: 'compose.yml', dockerfile: null, configDiagnostics: {errors: [], warnings: []},
      services: [{name: 'web', image: 'lab/web:1', build: null}, {name: 'api', image: null, build: 'api'}],
    })
    const made = await daemon.call('POST', '/api/projects/ensure', {name: 'Shop', uploadSessionId: sessionId})
    expect(made.body).toMatchObject({success: true, created: true, project_id: expect.stringMatching(/^proj_/)})
    const again = await daemon.call('POST', '/api/projects/ensure', {name: 'Shop', uploadSessionId: sessionId})
    expect(again.body).toEqual({success: true, created: false, project_id: made.body.project_id})
    const byId = await daemon.call('POST', '/api/projects/ensure', {name: 'whatever', projectId: made.body.project_id})
    expect(byId.body).toEqual({success: true, created: false, project_id: made.body.project_id})
    expect((await daemon.call('GET', `/api/projects/${made.body.project_id}`)).body.data).toMatchObject({name: 'Shop', sourceKind: 'upload', gitProvider: 'upload'})
    expect((await daemon.call('GET', '/api/audit')).body.data.filter((entry: {eventType: string}) => entry.eventType === 'project.created')).toHaveLength(1)
  })

  it('goes with the project that was made of it', async () => {
    const daemon = await startTestDaemon()
    const session = await openSession(daemon)
    await send(session, await gzipOf([{name: 'compose.yml', text: compose}]))
    const {body} = await daemon.call('POST', '/api/projects/ensure', {name: 'Shop', uploadSessionId: session.sessionId})
    expect(await uploadsOf(daemon)).toEqual([session.sessionId])
    expect((await daemon.call('DELETE', `/api/projects/${body.project_id}`)).body).toMatchObject({ok: true})
    expect(await uploadsOf(daemon)).toEqual([])
    expect((await daemon.call('POST', `/api/projects/folder/scan/${session.sessionId}`)).status).toBe(404)
  })

  it('needs its ticket and a session that is there, and takes one archive', async () => {
    const daemon = await startTestDaemon()
    const session = await openSession(daemon)
    const archive = await gzipOf([{name: 'a', text: 'a'}])
    expect(await send({...session, ticket: 'wrong'}, archive)).toMatchObject({status: 403, body: {code: 'FORBIDDEN'}})
    const without = await fetch(session.url, {method: 'POST', body: 'x'})
    expect([without.status, ((await without.json()) as {code: string}).code]).toEqual([403, 'FORBIDDEN'])
    expect(await send({...session, url: session.url.replace(/upl_.*/, 'upl_AAAAAAAAAAAAAAAA')}, archive)).toMatchObject({status: 404, body: {code: 'NOT_FOUND'}})
    expect(await send({...session, url: session.url.replace(/upl_.*/, '..%2F..%2Fx')}, archive)).toMatchObject({status: 404})
    expect(await uploadsOf(daemon)).toEqual([])
    expect((await send(session, archive)).status).toBe(200)
    expect(await send(session, archive)).toMatchObject({status: 409, body: {code: 'CONFLICT'}})
    expect(await uploadsOf(daemon)).toEqual([session.sessionId])
    const stored = JSON.stringify(daemon.log)
    expect(stored).not.toContain(session.ticket)
  })

  it('may be tried again after a refusal, and one at a time', async () => {
    const daemon = await startTestDaemon({uploadLimitBytes: 20_000})
    const session = await openSession(daemon)
    expect(await send(session, await gzipOf([{name: '../evil', text: 'x'}]))).toMatchObject({status: 400, body: {code: 'UPLOAD_REFUSED', reason: 'path', suggestions: ['deploy .']}})
    expect(await send(session, await gzipOf([{name: 'big', text: randomBytes(60_000).toString('base64')}]))).toMatchObject({status: 413, body: {code: 'PAYLOAD_TOO_LARGE', limitBytes: 20_000}})
    const slow = httpRequest(session.url, {method: 'POST', headers: {'x-upload-ticket': session.ticket}})
    slow.write((await gzipOf([{name: 'a', text: 'a'}])).subarray(0, 20))
    for (let tries = 0; tries < 200 && !(await uploadsOf(daemon)).includes(`${session.sessionId}.part`); tries += 1) await new Promise((resolve) => setImmediate(resolve))
    expect(await send(session, await gzipOf([{name: 'a', text: 'a'}]))).toMatchObject({status: 409})
    slow.on('error', () => undefined).destroy()
    await expect.poll(() => uploadsOf(daemon), {timeout: 5000}).toEqual([])
    await expect.poll(async () => (await send(session, await gzipOf([{name: 'a', text: 'a'}]))).status, {timeout: 5000}).toBe(200)
    expect(daemon.log.filter((line) => line.includes('"error"'))).toEqual([])
  })

  it('is for its own organization, and for who may write projects', async () => {
    const daemon = await startTestDaemon()
    const session = await openSession(daemon)
    await send(session, await gzipOf([{name: 'a', text: 'a'}]))
    const mint = async (grants: unknown) => (await daemon.call('POST', '/api/tokens', {name: 't', grants})).body.data.token as string
    const {body: shop} = await daemon.call('POST', '/api/projects', {name: 'readable'})
    const reader = await mint([{resourceType: 'project', resourceId: shop.data.id, permissions: ['read']}])
    const creator = await mint([{resourceType: 'project', resourceId: '*', permissions: ['create']}])
    expect((await daemon.call('POST', '/api/projects/folder/session', {name: 'x'}, reader)).body).toMatchObject({code: 'FORBIDDEN'})
    expect((await daemon.call('POST', '/api/projects/folder/session', {name: 'x'}, creator)).status).toBe(200)
    const made = await daemon.call('POST', '/api/projects/ensure', {name: 'by token', uploadSessionId: session.sessionId}, creator)
    expect(made.body.created).toBe(true)
    expect((await daemon.call('POST', '/api/projects/ensure', {name: 'by token'}, creator)).body).toMatchObject({created: false})
    const other = await mint([{resourceType: 'project', resourceId: '*', permissions: ['create']}])
    expect((await daemon.call('POST', '/api/projects/ensure', {name: 'by token'}, other)).body).toMatchObject({code: 'PROJECT_EXISTS'})
    expect((await daemon.call('POST', '/api/projects/ensure', {name: 'x', projectId: made.body.project_id}, other)).body).toMatchObject({code: 'NOT_FOUND'})
    expect((await daemon.call('POST', '/api/projects/ensure', {name: 'x', uploadSessionId: 'upl_none'})).body).toMatchObject({code: 'NOT_FOUND'})
  })

  it('is forgotten when its time is over, unless a project uses it', async () => {
    const clock = new ManualClock('2030-01-01T00:00:00Z')
    const daemon = await startTestDaemon({}, {clock})
    const [used, unused, late] = [await openSession(daemon), await openSession(daemon), await openSession(daemon)]
    for (const session of [used, unused]) await send(session, await gzipOf([{name: 'a', text: 'a'}]))
    await daemon.call('POST', '/api/projects/ensure', {name: 'Shop', uploadSessionId: used.sessionId})
    await mkdir(join(daemon.home, 'uploads', 'upl_lost'))
    clock.advance(61 * 60_000)
    await expect.poll(() => uploadsOf(daemon), {timeout: 5000}).toEqual([used.sessionId])
    expect((await send(late, await gzipOf([{name: 'a', text: 'a'}]))).status).toBe(404)
    expect((await daemon.call('POST', `/api/projects/folder/scan/${used.sessionId}`)).status).toBe(200)
    expect((await daemon.call('POST', `/api/projects/folder/scan/${unused.sessionId}`)).status).toBe(404)
  })

  it('is not begun by more than a few at a time', async () => {
    const daemon = await startTestDaemon()
    for (let count = 0; count < 50; count += 1) await openSession(daemon)
    expect((await daemon.call('POST', '/api/projects/folder/session', {name: 'x'})).body).toMatchObject({code: 'CONFLICT'})
  })

  it('is told by the address that people use', async () => {
    const daemon = await startTestDaemon({publicUrl: 'https://moorage.example.com/base/'})
    expect((await openSession(daemon)).url).toMatch(/^https:\/\/moorage\.example\.com\/base\/api\/projects\/folder\/upload\/upl_/)
  })

  it('leaves nothing in the way of a daemon that was stopped in the middle of it', async () => {
    const first = await startTestDaemon()
    const session = await openSession(first)
    const sending = httpRequest(session.url, {method: 'POST', headers: {'x-upload-ticket': session.ticket}})
    sending.on('error', () => undefined).write((await gzipOf([{name: 'a', text: randomBytes(100_000).toString('hex')}])).subarray(0, 50_000))
    await expect.poll(() => uploadsOf(first), {timeout: 5000}).toEqual([`${session.sessionId}.part`])
    const closed = new Promise((resolve) => sending.once('close', resolve))
    await first.daemon.stop()
    await closed
    await mkdir(join(first.home, 'uploads', `${session.sessionId}.part`), {recursive: true})
    await mkdir(join(first.home, 'uploads', session.sessionId), {recursive: true})
    await writeFile(join(first.home, 'uploads', session.sessionId, 'content'), 'half')
    await mkdir(join(first.home, 'sources', 'temporary', 'key-x'))
    const second = await startTestDaemon({home: first.home})
    expect(existsSync(join(first.home, 'sources', 'temporary', 'key-x'))).toBe(false)
    expect(await send({...session, url: session.url.replace(first.daemon.url, second.daemon.url)}, await gzipOf([{name: 'a', text: 'a'}]))).toMatchObject({status: 200, body: {files: 1}})
    expect(await uploadsOf(second)).toEqual([session.sessionId])
  })

  it('keeps exactly the bytes that were sent', async () => {
    const daemon = await startTestDaemon()
    const session = await openSession(daemon)
    const noise = randomBytes(2_000_000)
    await send(session, await gzipOf([{name: 'noise', text: noise.toString('latin1')}]))
    const content = await buffer(createReadStream(join(daemon.home, 'uploads', session.sessionId, 'content')))
    expect(createHash('sha256').update(content).digest('hex')).toBe(createHash('sha256').update(Buffer.from(noise.toString('latin1'))).digest('hex'))
  })
})
