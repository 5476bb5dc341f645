import {readFile, stat} from 'node:fs/promises'
import path from 'node:path'
import {expect, it} from 'vitest'
import {startDaemon} from '../../daemon/main.js'
import {startTestDaemon, temporaryFolder, testSettings} from './start-test-daemon.js'

const quiet = {writeLog: () => undefined}

it('writes where it is to be found, and takes that back when it stops', async () => {
  const home = await temporaryFolder()
  const daemon = await startDaemon(testSettings(home), quiet)
  const address = JSON.parse(await readFile(path.join(home, 'daemon.json'), 'utf8'))
  expect(address).toEqual({pid: process.pid, url: daemon.url, version: '1.0.0', startedAt: expect.stringMatching(/Z$/)})
  await Promise.all([daemon.stop(), daemon.stop()])
  await daemon.done
  await expect(stat(path.join(home, 'daemon.json'))).rejects.toMatchObject({code: 'ENOENT'})
  await expect(fetch(`${daemon.url}/api/health`)).rejects.toThrow()
})

it('keeps the first token for commands on this machine, readable by its owner only', async () => {
  const daemon = await startTestDaemon()
  const file = path.join(daemon.home, 'local-token')
  expect((await readFile(file, 'utf8')).trim()).toBe(daemon.token)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
})

it('shows the first token again while it is the only one, and never after', async () => {
  const home = await temporaryFolder()
  const first = await startTestDaemon({home})
  await first.daemon.stop()
  const second = await startTestDaemon({home})
  expect([second.daemon.firstToken, second.daemon.soleToken]).toEqual([null, first.token])
  await second.call('POST', '/api/tokens', {name: 'another', fullAccess: true})
  await second.daemon.stop()
  const third = await startTestDaemon({home})
  expect(third.daemon.soleToken).toBeNull()
})

it('refuses a second daemon on the same home and names the first', async () => {
  const daemon = await startTestDaemon()
  await expect(startDaemon(testSettings(daemon.home), quiet)).rejects.toMatchObject({code: 'HOME_IN_USE', message: expect.stringContaining(String(process.pid))})
  expect((await daemon.call('GET', '/api/tokens')).status).toBe(200)
})

it('gives back what it has taken when a part does not come up', async () => {
  const home = await temporaryFolder()
  const other = await startTestDaemon()
  const busy = Number(new URL(other.daemon.url).port)
  await expect(startDaemon(testSettings(home, {port: busy}), quiet)).rejects.toMatchObject({code: 'CONFIGURATION', message: expect.stringContaining(String(busy))})
  const daemon = await startTestDaemon({home})
  expect((await daemon.call('GET', '/api/health')).status).toBe(200)
})

it('keeps everything it acknowledged over a restart', async () => {
  const home = await temporaryFolder()
  const first = await startTestDaemon({home})
  const made = await first.call('POST', '/api/projects', {name: 'shop'})
  await first.daemon.stop()
  const second = await startTestDaemon({home})
  expect((await second.call('GET', '/api/projects')).body.data).toEqual([made.body.data])
})

it('stops when its signal ends', async () => {
  const abort = new AbortController()
  const daemon = await startDaemon(testSettings(await temporaryFolder()), {...quiet, signal: abort.signal})
  abort.abort()
  await daemon.done
  await expect(fetch(`${daemon.url}/api/health`)).rejects.toThrow()
})
