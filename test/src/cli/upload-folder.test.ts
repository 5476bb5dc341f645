import {randomBytes} from 'node:crypto'
import {mkdir, readdir, symlink, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {describe, expect, test} from 'vitest'
import {uploadFolder, type UploadWish} from '../../../src/cli/upload-folder.js'
import {createClient} from '../../../src/client/client.js'
import {startTestDaemon, temporaryFolder, type TestDaemon} from '../../daemon/start-test-daemon.js'
import {idle} from '../../daemon/projects/sources/tar-entries.js'

/** What was told to the person. */
function teller() {
  const lines: string[] = []
  return {
    lines,
    out: {
      warn: (text: string) => void lines.push(`warning: ${text}`),
      progress(text: string) {
        lines.push(text)
        return {update: (line: string) => void lines.push(line), end: (line?: string) => void (line !== undefined && lines.push(line))}
      },
    },
  }
}

async function upload(daemon: TestDaemon, folder: string, changes: Partial<UploadWish> = {}) {
  const {lines, out} = teller()
  const api = createClient({connect: () => Promise.resolve({baseUrl: daemon.daemon.url, token: daemon.token}), userAgent: 'moorage-cli/1.0.0'})
  const sent = uploadFolder(api, {folder, name: 'shop', signal: idle, ...changes}, out)
  return {lines, sent}
}

describe('a folder sent to the daemon', () => {
  test('arrives, with progress for who waits and warnings for what stays', async () => {
    const daemon = await startTestDaemon()
    const folder = await temporaryFolder()
    await mkdir(join(folder, 'api'))
    await writeFile(join(folder, 'Dockerfile'), 'FROM lab/base:1\nEXPOSE 8080\n')
    await writeFile(join(folder, 'noise'), randomBytes(3_000_000))
    await symlink('/etc/passwd', join(folder, 'out'))
    const {lines, sent} = await upload(daemon, folder)
    const {sessionId, bytes, files} = await sent
    expect(files).toBe(2)
    expect(bytes).toBeGreaterThan(3_000_000)
    expect(lines[0]).toBe('warning: out is not sent: it is a link out of the folder, to /etc/passwd')
    expect(lines[1]).toBe(`sending ${folder} (2.9 MiB in 3 entries)`)
    expect(lines.filter((line) => / of 2\.9 MiB$/.test(line)).length).toBeGreaterThan(1)
    expect(lines.at(-1)).toBe('sent 2 files, 2.9 MiB packed')
    const scan = await daemon.call('POST', `/api/projects/folder/scan/${sessionId}`)
    expect(scan.body).toMatchObject({name: 'shop', projectType: 'docker', stack: 'dockerfile', port: 8080, dockerfile: 'Dockerfile', configDiagnostics: {errors: [], warnings: []}})
  })

  test('is refused before anything is sent where it is too large, naming what is large', async () => {
    const daemon = await startTestDaemon({uploadLimitBytes: 50_000})
    const folder = await temporaryFolder()
    await mkdir(join(folder, 'media'))
    await writeFile(join(folder, 'media', 'film'), randomBytes(200_000))
    await writeFile(join(folder, 'small'), 'x')
    const {lines, sent} = await upload(daemon, folder)
    await expect(sent).rejects.toMatchObject({code: 'PAYLOAD_TOO_LARGE', details: {limitBytes: 50_000}, message: expect.stringMatching(/\.dockerignore .*Largest: media \(195 KiB\), small/)})
    expect(lines).toEqual([])
    expect(await readdir(join(daemon.home, 'uploads'))).toEqual([])
  })

  test('is sent where only unpacked it would be too large', async () => {
    const daemon = await startTestDaemon({uploadLimitBytes: 50_000})
    const folder = await temporaryFolder()
    await writeFile(join(folder, 'zeros'), Buffer.alloc(400_000))
    const {sent} = await upload(daemon, folder)
    expect((await sent).files).toBe(1)
  })

  test('is not there, empty, or given up', async () => {
    const daemon = await startTestDaemon()
    const folder = await temporaryFolder()
    await expect((await upload(daemon, folder)).sent).rejects.toMatchObject({code: 'USAGE', message: `there is nothing to send in ${folder}`})
    await expect((await upload(daemon, join(folder, 'none'))).sent).rejects.toMatchObject({code: 'USAGE'})
    await writeFile(join(folder, 'noise'), randomBytes(20_000_000))
    const stopping = new AbortController()
    const {lines, sent} = await upload(daemon, folder, {signal: stopping.signal})
    sent.catch(() => undefined)
    await expect.poll(() => lines.length, {timeout: 5000}).toBeGreaterThan(1)
    stopping.abort(new Error('interrupted'))
    await expect(sent).rejects.toThrow('interrupted')
    await expect.poll(() => readdir(join(daemon.home, 'uploads')), {timeout: 5000}).toEqual([])
  })
})
