import {createCipheriv} from 'node:crypto'
import {request as httpRequest, type ClientRequest} from 'node:http'
import {readdir, readFile, stat} from 'node:fs/promises'
import {join} from 'node:path'
import {Readable} from 'node:stream'
import {json} from 'node:stream/consumers'
import {createGzip} from 'node:zlib'
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {temporaryFolder} from '../daemon/start-test-daemon.js'
import {tarStream, type TarItem} from '../../src/tree/tar-stream.js'
import {bundleDaemon, DaemonProcess, until, type DaemonScript} from './daemon-fixture.js'
import {smallDiskMissing, withSmallDisk} from './small-disk.js'

const megabyte = 1_000_000

/** Bytes that can not be packed any smaller, made as they are taken. */
async function* noise(bytes: number): AsyncGenerator<Uint8Array> {
  const cipher = createCipheriv('aes-256-ctr', Buffer.alloc(32, 1), Buffer.alloc(16))
  const zeros = Buffer.alloc(64_000)
  for (let left = bytes; left > 0; left -= zeros.length) yield cipher.update(zeros.subarray(0, Math.min(left, zeros.length)))
}

function archiveOf(files: number, bytesEach: number): Readable {
  const items = Array.from({length: files}, (_, index): TarItem => ({path: `f${index}`, type: 'file', mode: 0o644, size: bytesEach, content: () => noise(bytesEach)}))
  return tarStream(items, () => new Error('changed')).pipe(createGzip({level: 1}))
}

interface Session {
  readonly id: string
  readonly url: string
  readonly ticket: string
}

async function openSession(daemon: DaemonProcess): Promise<Session> {
  const {body} = await daemon.call('POST', '/api/projects/folder/session', {name: 'shop'})
  return {id: body.sessionId, url: `${daemon.url}/api/${body.upload.url}`, ticket: body.upload.headers['x-upload-ticket']}
}

function begin({url, ticket}: Session): ClientRequest {
  return httpRequest(url, {method: 'POST', headers: {'x-upload-ticket': ticket}, agent: false})
}

function answerOf(request: ClientRequest): Promise<{status: number; body: Record<string, unknown>}> {
  return new Promise((resolve, reject) => {
    request.once('error', reject).once('response', (response) => {
      json(response).then((body) => resolve({status: response.statusCode ?? 0, body: body as Record<string, unknown>}), reject)
    })
  })
}

async function memoryOf(pid: number): Promise<{readonly now: number; readonly peak: number}> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8')
  const of = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0) * 1024
  return {now: of('VmRSS'), peak: of('VmHWM')}
}

describe('an upload', () => {
  let script: DaemonScript
  beforeAll(async () => {
    script = await bundleDaemon()
  })
  afterAll(() => script?.remove())
  const uploadsOf = (home: string) => readdir(join(home, 'uploads'))

  it('of 500 MB takes less than 100 MB of memory', async () => {
    const home = await temporaryFolder()
    const daemon = await DaemonProcess.start(script, home, {MOORAGE_UPLOAD_LIMIT: String(600 * megabyte)})
    const session = await openSession(daemon)
    const before = await memoryOf(daemon.pid)
    const request = begin(session)
    const answer = answerOf(request)
    archiveOf(50, 10 * megabyte).pipe(request)
    const {status, body} = await answer
    const after = await memoryOf(daemon.pid)
    process.stdout.write(`an upload of 500 MB took ${((after.peak - before.now) / megabyte).toFixed(1)} MB of memory more at most\n`)
    expect([status, body['files']]).toEqual([200, 50])
    expect(Number(body['bytes'])).toBeGreaterThan(500 * megabyte)
    expect((await stat(join(home, 'uploads', session.id, 'content'))).size).toBe(500 * megabyte)
    expect(after.peak - before.now).toBeLessThan(100 * megabyte)
  }, 180_000)

  it('that a kill cuts off leaves nothing in the way, and may be sent again', async () => {
    const home = await temporaryFolder()
    const first = await DaemonProcess.start(script, home)
    const session = await openSession(first)
    const request = begin(session).on('error', () => undefined)
    archiveOf(50, megabyte).on('error', () => undefined).pipe(request, {end: false})
    const part = join(home, 'uploads', `${session.id}.part`, 'content')
    await until(async () => (await stat(part).catch(() => undefined))?.size !== undefined && (await stat(part)).size > megabyte, 'begun upload')
    await first.kill()
    request.destroy()
    expect(await uploadsOf(home)).toEqual([`${session.id}.part`])
    const second = await DaemonProcess.start(script, home)
    expect(await uploadsOf(home)).toEqual([])
    const again = begin({...session, url: session.url.replace(first.url, second.url)})
    const answer = answerOf(again)
    archiveOf(3, megabyte).pipe(again)
    expect(await answer).toMatchObject({status: 200, body: {files: 3}})
    expect(await uploadsOf(home)).toEqual([session.id])
  })

  it.skipIf(smallDiskMissing() !== undefined)('that the disk has no room for is refused as that, and the next one is taken', async () => {
    await withSmallDisk('30m', async ({folder}) => {
      const home = join(folder, 'home')
      const daemon = await DaemonProcess.start(script, home)
      const session = await openSession(daemon)
      const request = begin(session).on('error', () => undefined)
      const answer = answerOf(request)
      archiveOf(60, megabyte).on('error', () => undefined).pipe(request)
      expect(await answer).toMatchObject({status: 507, body: {code: 'STORE_FULL'}})
      await until(async () => (await uploadsOf(home)).length === 0, 'empty folder')
      const small = begin(session)
      const taken = answerOf(small)
      archiveOf(2, megabyte).pipe(small)
      expect(await taken).toMatchObject({status: 200, body: {files: 2}})
      expect((await daemon.call('GET', '/api/health')).status).toBe(200)
      await daemon.stop()
    })
  })
})
