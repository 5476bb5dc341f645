import {open, readdir} from 'node:fs/promises'
import {join} from 'node:path'
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {runCommand} from '../commands/run-command.js'
import {temporaryFolder} from '../daemon/start-test-daemon.js'
import {bundleDaemon, createJob, DaemonProcess, endedRun, localServer, outputOf, startRun, until, type DaemonScript} from './daemon-fixture.js'
import {smallDiskMissing, withSmallDisk} from './small-disk.js'

describe.skipIf(smallDiskMissing() !== undefined)('a daemon whose disk is full', () => {
  let script: DaemonScript
  beforeAll(async () => {
    script = await bundleDaemon()
  })
  afterAll(() => script.remove())

  const exists = (path: string) => open(path).then((file) => file.close().then(() => true), () => false)
  const storeOf = async (daemon: DaemonProcess) => (await daemon.call('GET', '/api/system/status')).body.store
  // The last page of the journal has room for a few small writes: asks until there is none.
  const untilRefused = async (daemon: DaemonProcess, method: string, route: string, bodyOf: (number: number) => object | undefined) => {
    for (let number = 0; ; number += 1) {
      const answer = await daemon.call(method, route, bodyOf(number))
      if (answer.status >= 300 || number === 100) return answer
    }
  }
  const projects = (number: number) => ({name: `${number}-`.padEnd(100, 'p')})
  const fullAnswer = (daemon: DaemonProcess) => untilRefused(daemon, 'POST', '/api/projects', projects)

  it('refuses writes, goes on reading, loses no fire and tells what output it lost, and goes on by itself when there is room', {timeout: 60_000}, async () => {
    const elsewhere = await temporaryFolder()
    await withSmallDisk('8m', async (disk) => {
      const home = join(disk.folder, 'home')
      const daemon = await DaemonProcess.start(script, home)
      const serverId = await localServer(daemon)
      // Its output goes on while the disk is full, and is more than what is left of any page.
      const pad = 'x'.repeat(300)
      const command = 'i=0; while [ $i -lt 200 ]; do i=$((i+1)); echo "$i $PAD"; sleep 0.02; done; : >"$DONE"; exit 5'
      await createJob(daemon, {name: 'talker', command, serverId, env: {PAD: pad, DONE: join(elsewhere, 'done')}})
      await createJob(daemon, {name: 'short', command: 'true', serverId, overlap: 'allow'})
      const runId = await startRun(daemon, 'talker')
      await until(async () => (await outputOf(daemon, runId)).includes('\n10 '), 'some output')
      const dueAt = new Date(Math.ceil((Date.now() + 1500) / 1000) * 1000).toISOString()
      await createJob(daemon, {name: 'due', command: 'echo fired >>"$FIRED"', serverId, scheduleType: 'once', runAt: dueAt, env: {FIRED: join(elsewhere, 'fired')}})
      await disk.fill()

      for (const [method, route, bodyOf] of [
        ['POST', '/api/projects', projects],
        ['PATCH', '/api/jobs/custom:talker', (number: number) => ({label: `${number}`.padEnd(100, 'x')})],
        ['POST', '/api/system/servers', (number: number) => ({name: `web-${number}`, sshHost: '127.0.0.1', sshPort: number + 1})],
        ['POST', '/api/tokens', (number: number) => ({name: `more ${number}`, fullAccess: true})],
        ['POST', '/api/jobs/custom:short/run', () => undefined],
      ] as const) {
        const answer = await untilRefused(daemon, method, route, bodyOf)
        expect([answer.status, answer.body.code, answer.body.error], route).toEqual([507, 'STORE_FULL', expect.stringContaining('full')])
      }
      for (const route of ['/api/health', '/api/health/env', '/api/jobs', '/api/projects', '/api/tokens', '/api/audit', `/api/jobs/runs/${runId}`, '/api/auth/whoami']) {
        expect((await daemon.call('GET', route)).status, route).toBe(200)
      }
      expect(await storeOf(daemon)).toMatchObject({state: 'full', message: expect.stringContaining('full')})
      await until(() => Date.now() > Date.parse(dueAt) + 500 && exists(join(elsewhere, 'done')), 'end of the command and the due time', 30_000)
      expect(await exists(join(elsewhere, 'fired'))).toBe(false)

      await disk.free()
      expect(await endedRun(daemon, runId)).toMatchObject({status: 'failed', endReason: 'exit', summary: {exitCode: 5}})
      // The run keeps its output on the same disk: what found no room there is told, and everything before it is whole.
      const whole = Array.from({length: 200}, (_, index) => `${index + 1} ${pad}\n`).join('')
      const [kept = '', missing] = (await outputOf(daemon, runId)).split('\n… at least ')
      expect(whole.startsWith(kept)).toBe(true)
      expect(kept).toContain('\n10 ')
      expect(missing).toMatch(/^\d+ bytes were not kept: the disk of the server was full …\n$/)
      expect(Number.parseInt(missing ?? '', 10) + kept.length).toBeGreaterThan(whole.length - 65_536)
      await until(() => exists(join(elsewhere, 'fired')), 'the fire')
      const {body} = await daemon.call('GET', '/api/jobs/runs?jobKey=custom:due')
      expect(body.data).toMatchObject([{trigger: 'once', scheduledFor: dueAt}])
      expect((await daemon.call('POST', '/api/projects', {name: 'after'})).status).toBe(201)
      expect(await storeOf(daemon)).toEqual({engine: 'file', state: 'ok', message: null})
      expect(await daemon.stop()).toBe(0)
    })
  })

  it('is refused a start in plain words, leaves nothing behind, and starts when there is room', {timeout: 60_000}, async () => {
    await withSmallDisk('8m', async (disk) => {
      const home = join(disk.folder, 'home')
      const first = await DaemonProcess.start(script, home)
      expect((await first.call('POST', '/api/projects', {name: 'kept'})).status).toBe(201)
      await first.kill()
      await disk.fill()
      const before = await readdir(home)
      const {stderr, exitCode} = await runCommand(['daemon', 'run'], {home})
      expect([exitCode, stderr]).toEqual([1, expect.stringContaining(`the disk of ${home} is full`)])
      expect(await readdir(home)).toEqual(before)
      await disk.free()
      const daemon = await DaemonProcess.start(script, home)
      expect((await daemon.call('GET', '/api/projects')).body.data).toMatchObject([{name: 'kept'}])
      expect(await daemon.stop()).toBe(0)
    })
  })

  it('stops within seconds on a full disk, and ends its runs truthfully after the next start', {timeout: 60_000}, async () => {
    const elsewhere = await temporaryFolder()
    await withSmallDisk('8m', async (disk) => {
      const home = join(disk.folder, 'home')
      const first = await DaemonProcess.start(script, home)
      await createJob(first, {name: 'quiet', command: 'echo begun; while [ ! -e "$GO" ]; do sleep 0.05; done; echo over; exit 6', serverId: await localServer(first), env: {GO: join(elsewhere, 'go')}})
      const runId = await startRun(first, 'quiet')
      await until(async () => (await outputOf(first, runId)).includes('begun'), 'begin')
      await disk.fill()
      expect((await fullAnswer(first)).status).toBe(507)
      const stoppedAt = Date.now()
      await first.stop()
      expect(Date.now() - stoppedAt).toBeLessThan(10_000)
      await disk.free()
      const daemon = await DaemonProcess.start(script, home)
      await (await open(join(elsewhere, 'go'), 'w')).close()
      expect(await endedRun(daemon, runId)).toMatchObject({status: 'failed', endReason: 'exit', summary: {exitCode: 6}})
      expect(await outputOf(daemon, runId)).toBe('begun\nover\n')
      await daemon.stop()
    })
  })
})
