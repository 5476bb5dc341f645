import {readFile, writeFile} from 'node:fs/promises'
import {describe, expect, it, onTestFinished} from 'vitest'
import {RunLeftovers} from '../../daemon/jobs/records.js'
import type {Runner} from '../../daemon/servers/runner.js'
import {openSshMissing, startOpenSsh} from '../lab/openssh.js'
import {sharedPart} from '../lab/shared-part.js'
import type {LabServer} from '../lab/sshd.js'
import {labPool, labRunner} from '../lab/ssh-target.js'
import {RunLab} from '../daemon/jobs/executor-fixture.js'
import type {ExecutorOptions} from '../daemon/jobs/run-parts.js'
import {person} from '../daemon/jobs/run-records.js'

describe.skipIf(openSshMissing() !== null)('runs over SSH', () => {
  const ssh = sharedPart(startOpenSsh)
  const user = sharedPart(() => ssh.user())

  async function open(options: ExecutorOptions = {}): Promise<{lab: RunLab; server: LabServer; runner: Runner}> {
    const server = await ssh.server()
    onTestFinished(() => server.kill())
    const pool = labPool()
    onTestFinished(() => pool.close())
    const runner = labRunner(ssh, server, user, pool)
    return {lab: await RunLab.open({...options, runners: {srv_ssh: runner}}), server, runner}
  }

  const counted = 'echo x >>"$ONCE"; i=0; while [ $i -lt 80 ]; do i=$((i+1)); echo "$i $KEY"; sleep 0.05; done; exit 7'
  const expected = Array.from({length: 80}, (_, index) => `${index + 1} ***\n`).join('')

  it('keeps following through dropped connections: whole output, run once, right exit code', async () => {
    const {lab, server} = await open()
    const job = await lab.addJob({key: 'custom:a', serverIds: ['srv_ssh'], command: counted, env: {ONCE: `${user.home}/once-1`}}, {KEY: 'planted-secret'})
    const run = await lab.request({job, trigger: 'manual'})
    for (const seen of ['\n10 ', '\n30 ', '\n55 ']) {
      await lab.hasOutput(run.id, seen)
      await server.dropConnections()
    }
    expect(await lab.ended(run.id)).toMatchObject({status: 'failed', endReason: 'exit', exitCode: 7, error: 'exit status 7'})
    expect(await lab.outputOf(run.id)).toBe(expected)
    expect(await readFile(`${user.home}/once-1`, 'utf8')).toBe('x\n')
  })

  it('goes on after a restart of the daemon in the middle', async () => {
    const {lab} = await open()
    const job = await lab.addJob({key: 'custom:a', serverIds: ['srv_ssh'], command: counted, env: {ONCE: `${user.home}/once-2`}}, {KEY: 'planted-secret'})
    const run = await lab.request({job, trigger: 'manual'})
    for (const seen of ['\n12 ', '\n40 ']) {
      await lab.hasOutput(run.id, seen)
      await lab.stop()
      await lab.start()
    }
    expect(await lab.ended(run.id)).toMatchObject({exitCode: 7})
    expect(await lab.outputOf(run.id)).toBe(expected)
    expect(await readFile(`${user.home}/once-2`, 'utf8')).toBe('x\n')
  })

  it('says that a server is away while its command goes on, and takes it up when it is back', async () => {
    const {lab, server} = await open()
    const command = 'echo begun; while [ ! -e "$GO" ]; do sleep 0.05; done; echo over'
    const job = await lab.addJob({key: 'custom:a', serverIds: ['srv_ssh'], command, env: {GO: `${user.home}/go-3`}})
    const run = await lab.request({job, trigger: 'manual'})
    await lab.hasOutput(run.id, 'begun')
    await server.kill()
    await lab.until(async () => ((await lab.get(run.id)).servers[0]?.error ?? '').includes('the command goes on'), 'the trouble')
    expect((await lab.get(run.id)).status).toBe('running')
    await server.start()
    await lab.until(async () => (await lab.get(run.id)).servers[0]?.error === null, 'the end of the trouble')
    await writeFile(`${user.home}/go-3`, '')
    expect(await lab.ended(run.id)).toMatchObject({status: 'success'})
    expect(await lab.outputOf(run.id)).toBe('begun\nover\n')
  })

  it('cancels a run whose server is away at once, and stops the command when the server is back', async () => {
    const {lab, server} = await open({limits: {cancelPatienceMs: 500, killGraceMs: 300}})
    const job = await lab.addJob({key: 'custom:a', serverIds: ['srv_ssh'], command: 'echo $$ >"$PID"; echo begun; sleep 300', env: {PID: `${user.home}/pid-4`}})
    const run = await lab.request({job, trigger: 'manual'})
    await lab.hasOutput(run.id, 'begun')
    const pid = Number(await readFile(`${user.home}/pid-4`, 'utf8'))
    await server.kill()
    await lab.executor.cancel(run.id, person)
    const ended = await lab.ended(run.id)
    expect(ended).toMatchObject({status: 'cancelled', endReason: 'user'})
    expect(ended.error).toContain('it is stopped there as soon as it answers')
    expect(isAlive(pid)).toBe(true)
    await server.start()
    await lab.until(async () => !isAlive(pid), 'the end of the command')
    await lab.until(async () => {
      for await (const _ of lab.store.all(RunLeftovers)) return false
      return true
    }, 'nothing left over')
  })

  it('fails as unreachable, after a few tries, where the server can not be reached at the start', async () => {
    const {lab, server} = await open({limits: {startTries: 3}})
    await server.kill()
    const run = await lab.run(await lab.addJob({key: 'custom:a', serverIds: ['srv_ssh', 'srv_local'], command: 'echo here'}))
    expect(run).toMatchObject({status: 'failed', endReason: 'unreachable', exitCode: 1})
    expect(run.servers).toMatchObject([{status: 'failed', endReason: 'unreachable', exitCode: null, attempts: 1}, {status: 'success'}])
  })

  it('tries a server that was away again under the same name, so that the command runs once', async () => {
    const {lab, server} = await open({limits: {startTries: 1}})
    await server.kill()
    const job = await lab.addJob({key: 'custom:a', serverIds: ['srv_ssh'], command: 'echo x >>"$ONCE"; echo "try $JOB_ATTEMPT"', env: {ONCE: `${user.home}/once-6`}, retry: {maxAttempts: 10, backoffSeconds: 1}})
    const run = await lab.request({job, trigger: 'manual'})
    await lab.until(async () => (await lab.get(run.id)).progress?.[0]?.attempt === 2, 'a second attempt')
    expect((await lab.get(run.id)).progress?.[0]).toMatchObject({launch: 1, started: false})
    await server.start()
    expect(await lab.ended(run.id)).toMatchObject({status: 'success'})
    expect(await readFile(`${user.home}/once-6`, 'utf8')).toBe('x\n')
  })

  it('has nothing left on the server when it is over', async () => {
    const {lab, runner} = await open()
    const run = await lab.request({job: await lab.addJob({key: 'custom:a', serverIds: ['srv_ssh'], command: 'echo begun; while [ ! -e "$GO" ]; do sleep 0.05; done', env: {GO: `${user.home}/go-7`}}), trigger: 'manual'})
    const find = async () => (await runner.exec(['find', user.home, '-name', `${run.id}*`], {signal: AbortSignal.timeout(10_000)})).stdout
    await lab.hasOutput(run.id, 'begun')
    expect(await find()).not.toBe('')
    await writeFile(`${user.home}/go-7`, '')
    await lab.ended(run.id)
    await lab.until(async () => (await find()) === '', 'an empty server')
  })
})

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
