import {createHash, randomBytes} from 'node:crypto'
import {Readable} from 'node:stream'
import {pack} from 'tar-stream'
import {describe, expect, onTestFinished, test} from 'vitest'
import type {Engine} from '../../../../daemon/servers/engine/engine.js'
import type {DockerHost} from '../../../lab/docker-host.js'
import {dockerHostsMissing, startDockerHosts} from '../../../lab/docker-hosts.js'
import {startRegistry} from '../../../lab/registry.js'
import {sharedPart} from '../../../lab/shared-part.js'
import {engineOver, type TestEngine} from './engine-fixture.js'
import {contextOf} from './tar-context.js'
import {refuseWays} from './ways.js'

const signal = () => AbortSignal.timeout(60_000)
const dockerfile = 'FROM lab/base:1 AS first\nARG WORD=none\nCOPY file /file\nRUN echo "the word is $WORD" >&2 && echo "$WORD" >>/file\nFROM first\nRUN echo second\n'

/** By version 2 of control groups, or version 1. */
const readShare = 'cat /sys/fs/cgroup/cpu.weight 2>/dev/null || cat /sys/fs/cgroup/cpu/cpu.shares'

type BuildWish = Partial<Omit<Parameters<Engine['build']>[1], 'onLine'>>

describe.skipIf(dockerHostsMissing() !== null)('building images', () => {
  const lab = sharedPart(() => startDockerHosts(1))
  const host = sharedPart(() => lab.host(1))

  function engineAs(user: 'root' | 'sudoer' | 'member'): TestEngine {
    const reached = engineOver({lab, host, user: host.users[user]})
    onTestFinished(() => reached.close())
    return reached
  }

  /** A build that is under way, with its lines so far. */
  function start(engine: Engine, context: Readable, wish: BuildWish = {}) {
    const lines: string[] = []
    const image = engine.build(context, {signal: signal(), dockerfile: 'Dockerfile', tag: 'moorage/shop-web:1', args: {}, labels: {}, ...wish, onLine: (line) => lines.push(line)})
    image.catch(() => undefined)
    return {image, lines}
  }

  for (const way of ['socket', 'dial-stdio', 'cli'] as const) {
    test(`takes arguments, labels, a target and another file, by ${way}`, async () => {
      if (way === 'cli') onTestFinished(await refuseWays(host))
      const {engine} = engineAs(({socket: 'root', 'dial-stdio': 'sudoer', cli: 'member'} as const)[way])
      const tag = `moorage/shop-web:${way}`
      const files = {'file': 'content\n', 'deep/Other.dockerfile': dockerfile}
      const {image, lines} = start(engine, contextOf(files), {dockerfile: 'deep/Other.dockerfile', tag, args: {WORD: "it's $HOME", PATH: '/bin'}, labels: {'moorage.project': 'prj=1'}, target: 'first'})
      expect((await image).tags).toContain(tag)
      expect((await engine.facts({signal: signal()})).way).toBe(way)
      expect(lines).toEqual(expect.arrayContaining(['Step 1/5 : FROM lab/base:1 AS first', "the word is it's $HOME"]))
      expect(lines).not.toContain('second')
      expect(await host.docker('run', '--rm', tag, 'cat', '/file')).toBe("content\nit's $HOME\n")
      expect(await host.docker('image', 'inspect', '--format', '{{json .Config.Labels}}', tag)).toBe('{"moorage.project":"prj=1"}\n')
      const cached = start(engine, contextOf(files), {dockerfile: 'deep/Other.dockerfile', tag, args: {WORD: "it's $HOME", PATH: '/bin'}})
      await cached.image
      expect(cached.lines.filter((line) => line.includes('Using cache')).length).toBeGreaterThanOrEqual(2)
      const anew = start(engine, contextOf(files), {dockerfile: 'deep/Other.dockerfile', tag, noCache: true})
      await anew.image
      expect(anew.lines.filter((line) => line.includes('Using cache'))).toEqual([])
    })

    test(`gives way to containers that serve, by ${way}`, async () => {
      if (way === 'cli') onTestFinished(await refuseWays(host))
      const {engine} = engineAs(({socket: 'root', 'dial-stdio': 'sudoer', cli: 'member'} as const)[way])
      const {image, lines} = start(engine, contextOf({Dockerfile: `FROM lab/base:1\nRUN echo "share ${way} $(${readShare})"\n`}))
      await image
      const usual = Number(await host.docker('run', '--rm', 'lab/base:1', 'sh', '-c', readShare))
      const share = Number(lines.find((line) => line.startsWith(`share ${way} `))?.split(' ').at(-1))
      expect(share).toBeGreaterThan(0)
      expect(share).toBeLessThan(usual / 2)
    })

    test(`says which step failed, by ${way}`, async () => {
      if (way === 'cli') onTestFinished(await refuseWays(host))
      const {engine} = engineAs(({socket: 'root', 'dial-stdio': 'sudoer', cli: 'member'} as const)[way])
      const {image} = start(engine, contextOf({Dockerfile: 'FROM lab/base:1\nRUN echo trying && exit 9\n'}))
      await expect(image).rejects.toMatchObject({code: 'CONFLICT', message: /^the build failed at step 2\/2: RUN echo trying && exit 9: .*returned a non-zero code: 9/, details: {reason: 'build_failed', step: 'step 2/2: RUN echo trying && exit 9'}})
      const noFile = start(engine, contextOf({Dockerfile: 'FROM lab/base:1\nCOPY nothing /\n'}))
      await expect(noFile.image).rejects.toMatchObject({code: 'CONFLICT', message: /nothing/, details: {step: 'step 2/2: COPY nothing /'}})
      const bad = start(engine, contextOf({Dockerfile: 'FORM lab/base:1\n'}))
      await expect(bad.image).rejects.toMatchObject({code: 'CONFLICT', message: /^the build failed: .*FORM/i})
      const missing = start(engine, contextOf({file: 'no Dockerfile'}))
      await expect(missing.image).rejects.toMatchObject({code: 'CONFLICT', message: /Dockerfile/})
    })

    test(`ends on the server too when it is cancelled, by ${way}`, async () => {
      if (way === 'cli') onTestFinished(await refuseWays(host))
      const {engine} = engineAs(({socket: 'root', 'dial-stdio': 'sudoer', cli: 'member'} as const)[way])
      const stop = new AbortController()
      const {image, lines} = start(engine, contextOf({Dockerfile: 'FROM lab/base:1\nRUN echo begun && sleep 7531\n'}), {signal: stop.signal})
      await expect.poll(() => lines, {timeout: 20_000}).toContain('begun')
      expect(await sleepers(host)).toBe(1)
      stop.abort(new Error('cancelled'))
      await expect(image).rejects.toThrow('cancelled')
      await expect.poll(() => sleepers(host), {timeout: 20_000}).toBe(0)
      await expect.poll(() => host.docker('ps', '--all', '--quiet'), {timeout: 20_000}).toBe('')
    })
  }

  test('gives up a context that never comes when it is cancelled', async () => {
    const {engine} = engineAs('root')
    const stop = new AbortController()
    const context = new Readable({read: () => undefined})
    const {image} = start(engine, context, {signal: stop.signal})
    await engine.facts({signal: signal()})
    stop.abort(new Error('cancelled'))
    await expect(image).rejects.toThrow('cancelled')
    expect(context.destroyed).toBe(true)
  })

  test('fails with the reason of a context that breaks off', async () => {
    const {engine} = engineAs('root')
    const context = Readable.from((function* () {
      yield Buffer.alloc(100_000)
      throw new Error('the upload was cut')
    })())
    await expect(start(engine, context).image).rejects.toThrow('the upload was cut')
  })

  test('fails as unreachable where the connection drops, and nothing goes on there', async () => {
    const {engine, pool} = engineAs('root')
    const {image, lines} = start(engine, contextOf({Dockerfile: 'FROM lab/base:1\nRUN echo begun && sleep 7532\n'}))
    await expect.poll(() => lines, {timeout: 20_000}).toContain('begun')
    await host.sshd.dropConnections()
    await expect(image).rejects.toMatchObject({code: 'SERVER_UNREACHABLE'})
    await expect.poll(() => sleepers(host), {timeout: 20_000}).toBe(0)
    expect((await start(engine, contextOf({Dockerfile: 'FROM lab/base:1\n'})).image).tags).toContain('moorage/shop-web:1')
    expect(pool.connectionCount('srv_lab')).toBe(1)
  })

  test('says that the disk of the server is full, in a step and while the context is taken', async () => {
    await host.stopDockerd()
    await host.run('mount -t tmpfs -o size=48m small /var/lib/docker')
    await host.startDockerd()
    onTestFinished(async () => {
      await host.stopDockerd()
      await host.run('umount /var/lib/docker')
      await host.startDockerd()
    })
    await host.run('tar -C /bin -c busybox | docker import - lab/tiny:1')
    const {engine} = engineAs('root')
    const inStep = start(engine, contextOf({Dockerfile: 'FROM lab/tiny:1\nSHELL ["/busybox", "sh", "-c"]\nRUN /busybox dd if=/dev/zero of=/file bs=1M count=100\n'}))
    await expect(inStep.image).rejects.toMatchObject({code: 'CONFLICT', message: /the disk of docker-1 is full; the build failed/, details: {reason: 'disk_full'}})
    const inContext = start(engine, zerosContext(80 * 1024 * 1024))
    await expect(inContext.image).rejects.toMatchObject({code: 'CONFLICT', details: {reason: 'disk_full'}})
  })

  test.each(['socket', 'cli'] as const)('starts from an image of a registry that wants a login, by %s, and leaves none of it behind', async (way) => {
    const credentials = {username: 'reader', password: 'secret-of-the-registry'}
    if (way === 'cli') onTestFinished(await refuseWays(host))
    const registry = await startRegistry({address: lab.gateway, credentials})
    onTestFinished(() => registry.stop())
    const from = await registry.add('base', '1', [{file: 'of the registry'}])
    const {engine} = engineAs(way === 'cli' ? 'member' : 'root')
    const context = () => contextOf({Dockerfile: `FROM ${from}\nCOPY Dockerfile /\n`, large: randomBytes(300_000)})
    const hint = `registries add ${registry.host}`
    await expect(start(engine, context()).image).rejects.toMatchObject({code: 'CONFLICT', message: expect.stringMatching(new RegExp(`step 1/2.*${hint}`, 's'))})
    registry.hold(true)
    const {image, lines} = start(engine, context(), {logins: [{server: 'other.test', username: 'x', password: 'y'}, {server: registry.host, ...credentials}]})
    const before = registry.asked.length
    await expect.poll(() => registry.asked.length, {timeout: 20_000}).toBeGreaterThan(before)
    const said = await host.run('cat /proc/[0-9]*/cmdline | tr "\\0" " "')
    registry.hold(false)
    expect((await image).tags).toEqual(['moorage/shop-web:1'])
    if (way === 'socket') expect(lines).toEqual(expect.arrayContaining([expect.stringMatching(/^layer [0-9a-f]{12} is complete/)]))
    expect(said).not.toContain(credentials.password)
    expect((await host.attempt('cat /root/.docker/config.json /home/*/.docker/config.json; ls -d /tmp/tmp.*')).stdout).toBe('')
  })

  test('uses the logins that its user has there, too, where only the client is allowed', async () => {
    const credentials = {username: 'reader', password: 'secret-of-the-user'}
    onTestFinished(await refuseWays(host))
    const registry = await startRegistry({address: lab.gateway, credentials})
    onTestFinished(() => registry.stop())
    const from = await registry.add('base', '1', [{file: 'of the registry'}])
    const {engine} = engineAs('member')
    const config = JSON.stringify({auths: {[registry.host]: {auth: Buffer.from('reader:secret-of-the-user').toString('base64')}}})
    const home = (await host.run(`getent passwd ${host.users.member.name} | cut -d: -f6`)).trim()
    await host.run(`mkdir -p ${home}/.docker && echo '${config}' >${home}/.docker/config.json && chown -R ${host.users.member.name} ${home}/.docker`)
    onTestFinished(async () => void (await host.run(`rm -rf ${home}/.docker`)))
    const {image} = start(engine, contextOf({Dockerfile: `FROM ${from}\nCOPY Dockerfile /\n`}), {logins: [{server: 'other.test', username: 'x', password: 'y'}]})
    expect((await image).tags).toEqual(['moorage/shop-web:1'])
    expect(await host.run(`cat ${home}/.docker/config.json; ls -d /tmp/tmp.* 2>/dev/null || true`)).toBe(`${config}\n`)
  })

  test('streams 200 MB of context within bounded memory', async () => {
    const {engine} = engineAs('root')
    await engine.facts({signal: signal()})
    const before = process.memoryUsage.rss()
    let most = before
    const context = zerosContext(200 * 1024 * 1024, () => (most = Math.max(most, process.memoryUsage.rss())))
    const {image} = start(engine, context)
    await image
    expect((most - before) / 1e6).toBeLessThan(80)
    const sum = createHash('sha256')
    for (let index = 0; index < 3200; index++) sum.update(piece)
    expect((await host.docker('run', '--rm', 'moorage/shop-web:1', 'sha256sum', '/big')).split(' ')[0]).toBe(sum.digest('hex'))
  }, 120_000)
})

const piece = Buffer.alloc(64 * 1024, 'moorage ')

/** A context with one big file, made as it is read. */
function zerosContext(bytes: number, onPiece: () => void = () => undefined): Readable {
  const tar = pack()
  tar.entry({name: 'Dockerfile'}, 'FROM lab/base:1\nCOPY big /big\n')
  const entry = tar.entry({name: 'big', size: bytes})
  let left = bytes / piece.length
  const write = () => {
    while (left > 0) {
      left--
      onPiece()
      if (!entry.write(piece)) return void entry.once('drain', write)
    }
    entry.end(undefined)
    tar.finalize()
  }
  write()
  return Readable.from(tar, {objectMode: false})
}

async function sleepers(host: DockerHost): Promise<number> {
  return (await host.run('ps -eo args')).split('\n').filter((line) => /^sleep 753[12]$/.test(line.trim())).length
}
