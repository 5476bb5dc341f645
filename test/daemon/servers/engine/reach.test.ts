import {mkdtemp, rm} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {describe, expect, onTestFinished, test} from 'vitest'
import {dockerHostsMissing, startDockerHosts} from '../../../lab/docker-hosts.js'
import type {LabUser} from '../../../lab/lab-users.js'
import {sharedPart} from '../../../lab/shared-part.js'
import {ManualClock} from '../../manual-clock.js'
import {engineHere, engineOver, type EngineWish, type TestEngine} from './engine-fixture.js'
import {refuseForwarding, refuseWays} from './ways.js'

const signal = () => AbortSignal.timeout(30_000)

describe.skipIf(dockerHostsMissing() !== null)('reaching the engine of a server', () => {
  const lab = sharedPart(() => startDockerHosts(1))
  const host = sharedPart(() => lab.host(1))

  function engineAs(user: LabUser, more: Partial<EngineWish> = {}): TestEngine {
    const reached = engineOver({lab, host, user, ...more})
    onTestFinished(() => reached.close())
    return reached
  }

  const facts = (reached: TestEngine) => reached.engine.facts({signal: signal()})
  const failure = (reached: TestEngine) => facts(reached).then(() => 'reached', (error: {code: string; message: string; details: {reason: string}}) => ({code: error.code, reason: error.details.reason, message: error.message}))

  test('says what it found', async () => {
    expect(await facts(engineAs(host.users.root))).toEqual({
      version: expect.stringMatching(/^20\.10\./), apiVersion: '1.41', way: 'socket', rootless: false, needsSudo: false, compose: {kind: 'standalone', version: '1.29.2'},
      architecture: process.arch === 'x64' ? 'amd64' : process.arch, cpuCores: expect.any(Number), memoryBytes: expect.any(Number), dataFolder: expect.stringMatching(/^\/.*docker/), folder: '/srv/moorage',
    })
  })

  test('goes as root, as a user of the group, through sudo with and without a password', async () => {
    const asked = await host.addUser({name: 'asked', sudo: 'with_password'})
    expect(await facts(engineAs(host.users.member))).toMatchObject({way: 'socket', needsSudo: false, folder: '/home/member/moorage'})
    expect(await facts(engineAs(host.users.sudoer))).toMatchObject({way: 'dial-stdio', needsSudo: true, folder: '/srv/moorage'})
    expect(await facts(engineAs(asked, {withPassword: true}))).toMatchObject({way: 'dial-stdio', needsSudo: true})
  })

  test('says what a user lacks, and takes a new group without a restart', async () => {
    const late = await host.addUser({name: 'late'})
    const reached = engineAs(late)
    expect(await failure(reached)).toEqual({code: 'ENGINE_UNAVAILABLE', reason: 'permission_denied', message: expect.stringMatching(/late may neither use \/var\/run\/docker\.sock nor become root with sudo$/)})
    await expect(facts(reached)).rejects.toMatchObject({details: {hint: expect.stringMatching(/usermod -aG docker/), serverId: 'srv_lab'}, suggestions: ['servers check srv_lab']})
    await host.run('usermod -aG docker late')
    expect(await facts(reached)).toMatchObject({way: 'socket'})
  })

  test('bridges through the client where the SSH server forwards nothing', async () => {
    onTestFinished(await refuseForwarding(host))
    for (const user of [host.users.root, host.users.member]) expect(await facts(engineAs(user))).toMatchObject({way: 'dial-stdio', needsSudo: false})
  })

  test('falls back to single commands where the client is no bridge either', async () => {
    onTestFinished(await refuseWays(host))
    for (const user of [host.users.root, host.users.member, host.users.sudoer]) expect(await facts(engineAs(user))).toMatchObject({way: 'cli', apiVersion: '1.41', version: expect.stringMatching(/^20\./)})
  })

  test('follows the context of the user, and says when what it names is not there', async () => {
    const user = await host.addUser({name: 'contextual', groups: ['docker']})
    // The SSH server of the lab names an engine for everyone; a context counts where nothing does.
    await host.run('echo "unset DOCKER_HOST" >~/.bashrc', {user})
    await host.run('docker context create away --docker host=unix:///srv/away.sock && docker context use away', {user})
    const message = expect.stringMatching(/names \/srv\/away\.sock, which is not there$/)
    expect(await failure(engineAs(user))).toEqual({code: 'ENGINE_UNAVAILABLE', reason: 'not_running', message})
    await host.run('ln -s /var/run/docker.sock /srv/away.sock')
    onTestFinished(async () => void (await host.run('rm /srv/away.sock')))
    expect(await facts(engineAs(user))).toMatchObject({way: 'socket'})
  })

  test('tells an engine that is stopped, one that was killed and none at all', async () => {
    const reached = engineAs(host.users.root)
    await facts(reached)
    onTestFinished(() => host.startDockerd())
    await host.killDockerd()
    await expect(reached.engine.containers({}, {signal: signal()})).rejects.toMatchObject({code: 'ENGINE_UNAVAILABLE', details: {reason: 'not_running'}})
    for (const user of [host.users.root, host.users.member, host.users.sudoer]) expect(await failure(engineAs(user))).toMatchObject({code: 'ENGINE_UNAVAILABLE', reason: 'not_running'})
    await host.startDockerd()
    expect(await reached.engine.containers({}, {signal: signal()})).toEqual([])
    await host.stopDockerd()
    await host.run('rm -f /var/run/docker.sock')
    expect(await failure(engineAs(host.users.root))).toMatchObject({code: 'ENGINE_UNAVAILABLE', reason: 'not_running'})
    await host.run(': >/srv/none && chmod 644 /srv/none && mount --bind /srv/none /usr/bin/docker')
    onTestFinished(async () => void (await host.run('umount /usr/bin/docker')))
    for (const user of [host.users.root, host.users.guest]) expect(await failure(engineAs(user))).toEqual({code: 'ENGINE_UNAVAILABLE', reason: 'not_installed', message: expect.stringMatching(/Docker is not installed there$/)})
  })

  test('says so where the socket is for root alone and nothing bridges to it', async () => {
    await host.run(': >/srv/none && chmod 644 /srv/none && mount --bind /srv/none /usr/bin/docker')
    onTestFinished(async () => void (await host.run('umount /usr/bin/docker')))
    expect(await facts(engineAs(host.users.root))).toMatchObject({way: 'socket'})
    expect(await failure(engineAs(host.users.sudoer))).toMatchObject({reason: 'not_installed', message: expect.stringMatching(/is for root alone, and there is no program docker/)})
  })

  test('keeps what it found for a minute, and looks again when asked to', async () => {
    const clock = new ManualClock(0)
    const reached = engineAs(host.users.root, {clock})
    const first = await facts(reached)
    expect(await facts(reached)).toBe(first)
    clock.advance(59_000)
    expect(await facts(reached)).toBe(first)
    clock.advance(2000)
    const second = await facts(reached)
    expect(second).not.toBe(first)
    expect(second).toEqual(first)
    expect(await reached.engine.facts({signal: signal(), fresh: true})).not.toBe(second)
  })

  test('those who ask at once share one look, and each gives up by itself', async () => {
    const reached = engineAs(host.users.root)
    const impatient = new AbortController()
    const asking = [reached.engine.facts({signal: impatient.signal}), facts(reached), facts(reached)] as const
    impatient.abort(new Error('enough'))
    await expect(asking[0]).rejects.toThrow('enough')
    expect(await asking[1]).toBe(await asking[2])
  })

  test('reaches the engine of this machine through its socket', async () => {
    const runs = await mkdtemp(join(tmpdir(), 'moorage-engine-'))
    onTestFinished(() => rm(runs, {recursive: true, force: true}))
    const reached = engineHere(host, runs)
    onTestFinished(() => reached.close())
    expect(await facts(reached)).toMatchObject({way: 'socket', folder: '/srv/moorage'})
    expect((await reached.engine.image('lab/web:1', {signal: signal()}))?.tags).toEqual(['lab/web:1'])
    expect(await reached.engine.image('lab/web:99', {signal: signal()})).toBeUndefined()
  })

  test('leaves nothing open that nobody uses', async () => {
    await Promise.all([host.users.root, host.users.sudoer].map(async (user) => {
      // One clock each: time that passes for one of them must not run out for the look of the other.
      const clock = new ManualClock(0)
      const {engine, pool} = engineAs(user, {clock})
      await Promise.all(Array.from({length: 12}, () => engine.image('lab/web:1', {signal: signal()})))
      await expect.poll(() => (clock.advance(301_000), pool.connectionCount('srv_lab')), {timeout: 20_000}).toBe(0)
    }))
    await expect.poll(async () => (await host.run('ps -eo args')).split('\n').filter((line) => line.includes('dial-stdio'))).toEqual([])
  })
})
