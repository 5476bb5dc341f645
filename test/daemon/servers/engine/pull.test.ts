import {randomBytes} from 'node:crypto'
import {describe, expect, onTestFinished, test} from 'vitest'
import type {Engine} from '../../../../daemon/servers/engine/engine.js'
import {dockerHostsMissing, startDockerHosts} from '../../../lab/docker-hosts.js'
import {startRegistry} from '../../../lab/registry.js'
import {sharedPart} from '../../../lab/shared-part.js'
import {engineOver, type TestEngine} from './engine-fixture.js'
import {refuseWays} from './ways.js'

const signal = () => AbortSignal.timeout(30_000)
const login = {username: 'reader', password: 'p@ss "word"'}

describe.skipIf(dockerHostsMissing() !== null)('pulling images', () => {
  const lab = sharedPart(() => startDockerHosts(1))
  const host = sharedPart(() => lab.host(1))
  const registry = sharedPart(() => startRegistry({address: lab.gateway}))
  const guarded = sharedPart(() => startRegistry({address: lab.gateway, credentials: login}))

  function engineAs(user: 'root' | 'sudoer' | 'member'): TestEngine {
    const reached = engineOver({lab, host, user: host.users[user]})
    onTestFinished(() => reached.close())
    return reached
  }

  async function pull(engine: Engine, ref: string, more: {login?: {server: string; username: string; password: string}} = {}) {
    const lines: string[] = []
    return {image: await engine.pull(ref, {signal: signal(), onLine: (line) => lines.push(line), ...more}), lines}
  }

  test('tells a line for each layer and what it came to', async () => {
    const {engine} = engineAs('root')
    const shared = {'base/file': randomBytes(3_000_000)}
    const ref = await registry.add('shop/web', '1', [shared, {'app/file': 'one'}])
    const first = await pull(engine, ref)
    const digest = first.image.digests[0]?.split('@')[1] ?? ''
    expect(first.lines).toHaveLength(4)
    expect(first.lines).toEqual(expect.arrayContaining([expect.stringMatching(/^layer [0-9a-f]{12} is complete \(3\.0 MB\)$/), expect.stringMatching(/^layer [0-9a-f]{12} is complete/)]))
    expect(first.lines.slice(2)).toEqual([`Digest: ${digest}`, expect.stringMatching(new RegExp(`^Downloaded newer image for ${ref} \\(2 layers, 3\\.0 MB fetched\\)$`))])
    expect(first.image).toMatchObject({tags: [ref], digests: [`${registry.host}/shop/web@${digest}`]})
    const next = await pull(engine, await registry.add('shop/web', '2', [shared, {'app/file': 'two'}]))
    expect(next.lines).toEqual(expect.arrayContaining([expect.stringMatching(/^layer [0-9a-f]{12} is there already$/)]))
    const again = await pull(engine, `${registry.host}/shop/web@${digest}`)
    expect(again.image.id).toBe(first.image.id)
    expect(again.lines.at(-1)).toMatch(/^Image is up to date/)
  })

  test('pulls one image where no tag is given, not all of them', async () => {
    const {engine} = engineAs('root')
    await registry.add('shop/many', 'other', [{file: 'other'}])
    await registry.add('shop/many', 'latest', [{file: 'latest'}])
    expect((await pull(engine, `${registry.host}/shop/many`)).image.tags).toEqual([`${registry.host}/shop/many:latest`])
    expect(await engine.image(`${registry.host}/shop/many:other`, {signal: signal()})).toBeUndefined()
  })

  for (const user of ['root', 'sudoer', 'cli'] as const) {
    test(`gives the login to the registry and to nobody else, ${user === 'cli' ? 'by single commands' : `as ${user}`}`, async () => {
      if (user === 'cli') onTestFinished(await refuseWays(host))
      const {engine} = engineAs(user === 'cli' ? 'member' : user)
      expect((await engine.facts({signal: signal()})).way).toBe({root: 'socket', sudoer: 'dial-stdio', cli: 'cli'}[user])
      const ref = await guarded.add(`private-${user}`, '1', [{file: user}])
      await expect(pull(engine, ref)).rejects.toMatchObject({code: 'SOURCE_UNAVAILABLE', details: {reason: 'login_required', image: ref}})
      await expect(pull(engine, ref, {login: {server: guarded.host, username: 'reader', password: 'wrong'}})).rejects.toMatchObject({code: 'SOURCE_UNAVAILABLE', details: {reason: 'login_refused'}})
      guarded.hold(true)
      const before = guarded.asked.length
      const pulling = pull(engine, ref, {login: {server: guarded.host, ...login}})
      await expect.poll(() => guarded.asked.length, {timeout: 20_000}).toBeGreaterThan(before)
      const said = await host.run('cat /proc/[0-9]*/cmdline | tr "\\0" " "')
      guarded.hold(false)
      expect((await pulling).image.tags).toEqual([ref])
      expect(said).not.toContain(login.password)
      expect(said).not.toContain(Buffer.from(login.password).toString('base64').slice(0, 12))
      expect((await host.attempt('cat /root/.docker/config.json /home/*/.docker/config.json; ls -d /tmp/tmp.*')).stdout).toBe('')
    })
  }

  test('tells what stands in the way', async () => {
    const {engine} = engineAs('member')
    const reason = (ref: string) => engine.pull(ref, {signal: signal(), onLine: () => undefined}).then(() => 'pulled', (error: {code: string; details: {reason: string}}) => `${error.code} ${error.details.reason}`)
    const ref = await registry.add('shop/there', '1', [{file: '1'}])
    expect(await reason(`${registry.host}/shop/nothing:1`)).toBe('NOT_FOUND image_not_found')
    expect(await reason(ref.replace(/1$/, '2'))).toBe('NOT_FOUND image_not_found')
    expect(await reason(`${lab.gateway}:1/thing:1`)).toBe('SOURCE_UNAVAILABLE registry_unreachable')
    expect(await reason('registry.example.test/thing:1')).toBe('SOURCE_UNAVAILABLE registry_unreachable')
    await expect(engine.pull('Not An Image', {signal: signal(), onLine: () => undefined})).rejects.toMatchObject({code: 'VALIDATION_ERROR'})
  })

  test('ends with its signal while the registry keeps it waiting', async () => {
    const {engine, pool} = engineAs('root')
    const ref = await registry.add('shop/slow', '1', [{file: 'slow'}])
    registry.hold(true)
    onTestFinished(() => registry.hold(false))
    const stop = new AbortController()
    const before = registry.asked.length
    const pulling = engine.pull(ref, {signal: stop.signal, onLine: () => undefined})
    await expect.poll(() => registry.asked.length > before, {timeout: 20_000}).toBe(true)
    stop.abort(new Error('enough'))
    await expect(pulling).rejects.toThrow('enough')
    expect(pool.connectionCount('srv_lab')).toBe(1)
  })

  test('says that the disk of the server is full', async () => {
    await host.stopDockerd()
    await host.run('mount -t tmpfs -o size=24m small /var/lib/docker')
    await host.startDockerd()
    onTestFinished(async () => {
      await host.stopDockerd()
      await host.run('umount /var/lib/docker')
      await host.startDockerd()
    })
    const {engine} = engineAs('root')
    const ref = await registry.add('shop/big', '1', [{file: randomBytes(30_000_000)}])
    await expect(pull(engine, ref)).rejects.toMatchObject({code: 'CONFLICT', message: /the disk of docker-1 is full/, details: {reason: 'disk_full', image: ref}})
  })
})
