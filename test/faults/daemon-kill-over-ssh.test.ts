import {readdir, readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {temporaryFolder} from '../daemon/start-test-daemon.js'
import {openSshMissing, startOpenSsh} from '../lab/openssh.js'
import {sharedPart} from '../lab/shared-part.js'
import {bundleDaemon, createJob, DaemonProcess, endedRun, outputOf, startRun, until, type DaemonScript} from './daemon-fixture.js'

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

describe.skipIf(openSshMissing() !== null)('a daemon that is killed during runs over SSH', () => {
  const lab = sharedPart(startOpenSsh)
  const user = sharedPart(() => lab.user())
  const server = sharedPart(() => lab.server())
  let script: DaemonScript
  beforeAll(async () => {
    script = await bundleDaemon()
  })
  afterAll(async () => {
    await script.remove()
  })

  const once = (name: string) => join(user.home, `once-${name}`)

  async function addServer(daemon: DaemonProcess): Promise<string> {
    const {status, body} = await daemon.call('POST', '/api/system/servers', {
      name: 'web-1', sshHost: server.host, sshPort: server.port, sshUser: user.name, sshAuthMethod: 'key', sshPrivateKey: lab.key, hostKeyFingerprint: server.fingerprint(),
    })
    expect(status, JSON.stringify(body)).toBe(201)
    return body.id
  }

  const pad = 'x'.repeat(900)
  const numbered = (lines: number) => Array.from({length: lines}, (_, index) => `${index + 1} ${pad}\n`).join('')

  it('goes on with the run under the same id: megabytes of output whole, the command run once, its exit code told', {timeout: 90_000}, async () => {
    const home = await temporaryFolder()
    let daemon = await DaemonProcess.start(script, home)
    const serverId = await addServer(daemon)
    // 6 MB over some seconds, in bursts that fall into every part of the following.
    const command = 'echo x >>"$ONCE"; i=0; while [ $i -lt 60 ]; do i=$((i+1)); seq -f "%.0f $PAD" $(((i-1)*100+1)) $((i*100)); sleep 0.08; done; exit 9'
    await createJob(daemon, {name: 'big', command, serverId, env: {ONCE: once('big'), PAD: pad}})
    const runId = await startRun(daemon, 'big')
    for (let kills = 0; kills < 8; kills += 1) {
      await pause(Math.random() * 500)
      await daemon.kill()
      daemon = await DaemonProcess.start(script, home)
    }
    expect(await endedRun(daemon, runId)).toMatchObject({id: runId, status: 'failed', endReason: 'exit', summary: {exitCode: 9}})
    const output = await outputOf(daemon, runId)
    expect(output.length).toBe(numbered(6000).length)
    expect(output === numbered(6000)).toBe(true)
    expect(await readFile(once('big'), 'utf8')).toBe('x\n')
    expect((await daemon.call('GET', '/api/jobs/runs')).body.data).toHaveLength(1)
    expect(await daemon.stop()).toBe(0)
  })

  it.each(['between start and first output', 'in the final phase'])('runs each command once and whole when it is killed %s', {timeout: 90_000}, async (moment) => {
    const home = await temporaryFolder()
    let daemon = await DaemonProcess.start(script, home)
    const serverId = await addServer(daemon)
    const atStart = moment.startsWith('between')
    const command = 'echo x >>"$ONCE-$JOB_RUN_ID"; ' + (atStart ? 'sleep 0.3; ' : '') + 'seq 1 2000; exit 3'
    await createJob(daemon, {name: 'short', command, serverId, overlap: 'allow', env: {ONCE: once('short')}})
    const runs: string[] = []
    for (let kills = 0; kills < 10; kills += 1) {
      runs.push(await startRun(daemon, 'short'))
      await pause(Math.random() * (atStart ? 250 : 400))
      await daemon.kill()
      daemon = await DaemonProcess.start(script, home)
    }
    const expected = Array.from({length: 2000}, (_, index) => `${index + 1}\n`).join('')
    for (const runId of runs) {
      expect(await endedRun(daemon, runId), runId).toMatchObject({status: 'failed', endReason: 'exit', summary: {exitCode: 3}})
      expect((await outputOf(daemon, runId)) === expected, runId).toBe(true)
      expect(await readFile(`${once('short')}-${runId}`, 'utf8'), runId).toBe('x\n')
    }
    // Nothing of them stays on the server.
    await until(async () => (await readdir(join(user.home, '.moorage/runs'))).length === 0, 'clean server')
    expect((await daemon.call('GET', '/api/jobs/runs')).body.data).toHaveLength(runs.length)
    await daemon.stop()
  })
})
