import {chmod, readFile, writeFile} from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import {describe, expect, it, test} from 'vitest'
import {CapacityReader, type CapacityTarget} from '../../../daemon/apps/capacity.js'
import {compareCapacity} from '../../../daemon/apps/host-fit.js'
import {freePort} from '../../lab/lab-ports.js'
import {openSshMissing, startOpenSsh} from '../../lab/openssh.js'
import {sharedPart} from '../../lab/shared-part.js'
import type {LabServer} from '../../lab/sshd.js'
import {labRunner} from '../../lab/ssh-target.js'
import {ManualClock} from '../manual-clock.js'
import {startTestDaemon, temporaryFolder, type TestDaemon} from '../start-test-daemon.js'
import {addOrganization, app, catalogFolder, startAppDaemon} from './app-fixture.js'

const docker = (memoryMb: number, cpuCores = 8) => ({cpuCores, memoryMb, source: 'docker' as const})

describe('what an app recommends and what a host has', () => {
  it.each([
    [{memoryMb: 16384}, docker(15974), undefined],
    [{memoryMb: 4096}, docker(3686), {memory: {needed: 4096, available: 3686}}],
    [{memoryMb: 4096}, docker(3687), undefined],
    [{memoryMb: 2000}, docker(1800), undefined],
    [{cpuCores: 2}, docker(4096, 1), {cpu: {needed: 2, available: 1}}],
    [{cpuCores: 2.5, memoryMb: 8192}, docker(4096, 2), {cpu: {needed: 2.5, available: 2}, memory: {needed: 8192, available: 4096}}],
    [{memoryMb: 4096, cpuCores: 4}, {cpuCores: 0, memoryMb: 0, source: 'unknown' as const}, undefined],
    [undefined, docker(1), undefined],
  ])('%j on %j is short of %j', (minResources, capacity, short) => {
    expect(compareCapacity(minResources, capacity)).toEqual({minResources: minResources ?? null, capacity, fit: {ok: short === undefined, ...short}})
  })

  it('is short only past a tenth, and then says both figures', () => {
    fc.assert(
      fc.property(fc.integer({min: 1, max: 1_000_000}), fc.integer({min: 0, max: 1_000_000}), (needed, available) => {
        const {fit} = compareCapacity({memoryMb: needed}, docker(available))
        expect(fit.ok).toBe(available === 0 || available >= needed * 0.9 || Math.abs(available - needed * 0.9) < 1e-6)
        expect(fit.memory).toEqual(fit.ok ? undefined : {needed, available})
      }),
    )
  })
})

/** A folder with a program `docker` that prints this, and counts how often it ran. */
async function standIn(output: string, exitCode = 0): Promise<{folder: string; runs: () => Promise<number>}> {
  const folder = await temporaryFolder()
  await writeFile(path.join(folder, 'info.json'), output)
  await writeFile(path.join(folder, 'docker'), `#!/bin/sh\necho "$@" >> ${folder}/calls\n/bin/cat ${folder}/info.json\nexit ${exitCode}\n`)
  await writeFile(path.join(folder, 'calls'), '')
  await chmod(folder, 0o777)
  await chmod(path.join(folder, 'docker'), 0o755)
  await chmod(path.join(folder, 'calls'), 0o666)
  return {folder, runs: async () => (await readFile(path.join(folder, 'calls'), 'utf8')).split('\n').length - 1}
}

const info = (cpus: number, memoryMb: number) => JSON.stringify({ID: 'x', NCPU: cpus, MemTotal: memoryMb * 1_048_576 + 1000})
const big = app('big', {minResources: {memoryMb: 4096, cpuCores: 2}})
const apps = [big, app('small')]
const fitOf = async (daemon: TestDaemon, query = '', id = 'big', token?: string) => (await daemon.call('GET', `/api/apps/catalog/${id}/host-fit${query}`, undefined, token)).body.data
const unknown = {capacity: {cpuCores: 0, memoryMb: 0, source: 'unknown'}, fit: {ok: true}}
const ownMachine = {cpuCores: os.cpus().length, memoryMb: Math.floor(os.totalmem() / 1_048_576), source: 'local'}

describe('the fit of this machine', () => {
  it('is read from its container engine, over both paths', async () => {
    const {folder, runs} = await standIn(info(2, 1987))
    const daemon = await startAppDaemon(apps, {}, {environment: {PATH: folder}})
    const expected = {
      minResources: {memoryMb: 4096, cpuCores: 2}, capacity: {cpuCores: 2, memoryMb: 1987, source: 'docker'}, fit: {ok: false, memory: {needed: 4096, available: 1987}},
    }
    expect(await fitOf(daemon)).toEqual(expected)
    expect((await daemon.call('GET', '/apps/catalog/big/host-fit')).body).toEqual({data: expected})
    expect(await runs()).toBe(1)
    expect(await readFile(path.join(folder, 'calls'), 'utf8')).toBe('info --format {{json .}}\n')
  })

  it.each<[string, string, number]>([
    ['is not running', '{"NCPU": 0, "MemTotal": 0, "ServerErrors": ["no daemon"]}', 0], ['fails', '', 1], ['prints no JSON', 'Cannot connect', 0],
  ])('is read from the system where the engine %s', async (_what, output, exitCode) => {
    const {folder} = await standIn(output, exitCode)
    const daemon = await startAppDaemon(apps, {}, {environment: {PATH: folder}})
    expect((await fitOf(daemon)).capacity).toEqual(ownMachine)
  })

  it('is read from the system where there is no engine, and the local server by name is the same machine', async () => {
    const daemon = await startAppDaemon(apps, {}, {environment: {PATH: await temporaryFolder()}})
    expect((await fitOf(daemon)).capacity).toEqual(ownMachine)
    const [{id}] = (await daemon.call('GET', '/api/system/servers')).body
    expect((await fitOf(daemon, `?serverId=${id}`)).capacity).toEqual(ownMachine)
  })

  it('is not asked for where there is nothing to compare', async () => {
    const {folder, runs} = await standIn(info(2, 1987))
    const daemon = await startAppDaemon(apps, {}, {environment: {PATH: folder}})
    expect(await fitOf(daemon, '', 'small')).toEqual({minResources: null, ...unknown})
    expect(await fitOf(daemon, '', 'nothing')).toEqual({minResources: null, ...unknown})
    expect(await fitOf(daemon, '?deployTarget=cloud')).toEqual({minResources: {memoryMb: 4096, cpuCores: 2}, ...unknown})
    expect(await runs()).toBe(0)
    expect((await fitOf(daemon, '?deployTarget=moon&projectId=proj_none')).capacity.source).toBe('docker')
  })

  it('is nobody\'s to know on an instance in the cloud', async () => {
    const daemon = await startAppDaemon(apps, {mode: 'cloud'})
    expect((await fitOf(daemon)).capacity.source).toBe('unknown')
  })

  it('compares what an upload of the organization asks for', async () => {
    const {folder} = await standIn(info(2, 1987))
    const daemon = await startAppDaemon([], {}, {environment: {PATH: folder}})
    await daemon.call('POST', '/api/apps/custom', big)
    expect((await fitOf(daemon)).fit).toEqual({ok: false, memory: {needed: 4096, available: 1987}})
  })
})

describe.skipIf(openSshMissing() !== null)('the fit of a server', () => {
  const lab = sharedPart(startOpenSsh)
  const user = sharedPart(() => lab.user())

  const addServer = async (daemon: TestDaemon, server: {host: string; port: number}) => {
    const body = {name: 'web', sshHost: server.host, sshPort: server.port, sshUser: user.name, sshAuthMethod: 'key', sshPrivateKey: lab.key}
    return (await daemon.call('POST', '/api/system/servers', body)).body.id as string
  }
  const serverWith = (folder: string): Promise<LabServer> => lab.server({options: [`SetEnv=PATH=${folder}:/usr/bin:/bin`]})

  test('is read from its engine over SSH, once for all who ask at once, and kept', async () => {
    const {folder, runs} = await standIn(info(4, 8000))
    const daemon = await startAppDaemon(apps)
    const id = await addServer(daemon, await serverWith(folder))
    const answers = await Promise.all(Array.from({length: 10}, () => fitOf(daemon, `?serverId=${id}`)))
    for (const answer of answers) expect(answer).toMatchObject({capacity: {cpuCores: 4, memoryMb: 8000, source: 'docker'}, fit: {ok: true}})
    await fitOf(daemon, `?serverId=${id}`)
    expect(await runs()).toBe(1)
  })

  test('is unknown where the server has no engine: this machine is never taken for it', async () => {
    const daemon = await startAppDaemon(apps)
    const id = await addServer(daemon, await serverWith(await temporaryFolder()))
    expect(await fitOf(daemon, `?serverId=${id}`)).toEqual({minResources: {memoryMb: 4096, cpuCores: 2}, ...unknown})
  })

  test('is unknown where the server can not be reached, and asked for again', async () => {
    const {folder} = await standIn(info(4, 8000))
    const server = await serverWith(folder)
    const daemon = await startAppDaemon(apps)
    const id = await addServer(daemon, server)
    await server.kill()
    expect((await fitOf(daemon, `?serverId=${id}`)).capacity.source).toBe('unknown')
    await server.start()
    expect((await fitOf(daemon, `?serverId=${id}`)).capacity.source).toBe('docker')
    const nobody = await addServer(daemon, {host: '127.0.0.1', port: await freePort()})
    expect(await fitOf(daemon, `?serverId=${nobody}`)).toMatchObject(unknown)
  })

  test('is unknown, and no other than of a server that is not there, where the caller may not read it or another organization has it', async () => {
    const {folder, runs} = await standIn(info(4, 8000))
    const first = await startAppDaemon(apps)
    const id = await addServer(first, await serverWith(folder))
    const project = (await first.call('POST', '/api/projects', {name: 'shop'})).body.data.id
    const grants = [{resourceType: 'project', resourceId: project, permissions: ['write']}]
    const limited = (await first.call('POST', '/api/tokens', {name: 't', grants})).body.data.token
    await first.daemon.stop()
    const other = await addOrganization(first.home, 'other')
    const daemon = await startTestDaemon({home: first.home}, {catalogFolder: await catalogFolder(apps)})
    for (const token of [limited, other]) {
      for (const asked of [id, 'srv_none']) expect(await fitOf(daemon, `?serverId=${asked}`, 'big', token)).toEqual({minResources: {memoryMb: 4096, cpuCores: 2}, ...unknown})
    }
    expect(await runs()).toBe(0)
    expect((await fitOf(daemon, `?serverId=${id}`, 'big', first.token)).capacity.source).toBe('docker')
  })

  test('is kept for five minutes, per organization, and until the server is edited', async () => {
    const {folder, runs} = await standIn(info(4, 8000))
    const runner = labRunner(lab, await serverWith(folder), user)
    const clock = new ManualClock('2026-06-01T12:00:00Z')
    const reader = new CapacityReader({clock, runnerFor: async () => runner, readLocal: () => ({cpuCores: 1, memoryBytes: 1})})
    const target: CapacityTarget = {organizationId: 'org_1', serverId: 'srv_1', isLocal: false, updatedAt: 'a'}
    const counted = async (changes: Partial<CapacityTarget> = {}) => {
      await reader.read({...target, ...changes})
      return runs()
    }
    expect([await counted(), await counted(), await counted({organizationId: 'org_2'}), await counted({updatedAt: 'b'})]).toEqual([1, 1, 2, 3])
    clock.advance(299_999)
    expect(await counted()).toBe(3)
    clock.advance(1)
    expect(await counted()).toBe(4)
    expect(clock.timers).toBe(0)
  })

  test('is given up after ten seconds, and held up by no stop', async () => {
    const folder = await temporaryFolder()
    await chmod(folder, 0o755)
    await writeFile(path.join(folder, 'docker'), '#!/bin/sh\nexec /bin/sleep 300\n', {mode: 0o755})
    const runner = labRunner(lab, await serverWith(folder), user)
    const clock = new ManualClock('2026-06-01T12:00:00Z')
    const target: CapacityTarget = {organizationId: 'org_1', serverId: 'srv_1', isLocal: false, updatedAt: 'a'}
    const make = () => new CapacityReader({clock, runnerFor: async () => runner, readLocal: () => ({cpuCores: 1, memoryBytes: 1})})
    const reading = make().read(target)
    await expect.poll(() => clock.timers).toBeGreaterThan(0)
    clock.advance(10_000)
    expect((await reading).source).toBe('unknown')
    const stopped = make()
    const last = stopped.read(target)
    await stopped.stop()
    expect((await last).source).toBe('unknown')
  })
})
