import {randomBytes} from 'node:crypto'
import {beforeAll, beforeEach, describe, expect, onTestFinished, test} from 'vitest'
import type {Engine, EngineEvent, LogLine} from '../../../../daemon/servers/engine/engine.js'
import {dockerHostsMissing, startDockerHosts} from '../../../lab/docker-hosts.js'
import {sharedPart} from '../../../lab/shared-part.js'
import {engineOver} from './engine-fixture.js'
import {refuseWays} from './ways.js'

const signal = () => AbortSignal.timeout(30_000)
const users = {'socket': 'root', 'dial-stdio': 'sudoer', 'cli': 'member'} as const

describe.skipIf(dockerHostsMissing() !== null).each(['socket', 'dial-stdio', 'cli'] as const)('calls of an engine by %s', (way) => {
  const lab = sharedPart(() => startDockerHosts(1))
  const host = sharedPart(() => lab.host(1))
  const reached = sharedPart(() => engineOver({lab, host, user: host.users[users[way]]}))
  let engine: Engine
  beforeAll(async () => {
    if (way === 'cli') await refuseWays(host)
    engine = reached.engine
    expect((await engine.facts({signal: signal()})).way).toBe(way)
  })

  let label: string
  beforeEach(() => {
    label = randomBytes(4).toString('hex')
  })

  async function run(...words: readonly string[]): Promise<string> {
    const id = (await host.docker('run', '--detach', '--label', `test=${label}`, ...words)).trim()
    onTestFinished(async () => void (await host.docker('rm', '--force', '--volumes', id).catch(() => undefined)))
    return id
  }

  test('images are found, tagged and removed', async () => {
    expect(await engine.image('lab/healthy:1', {signal: signal()})).toMatchObject({tags: ['lab/healthy:1'], hasHealthcheck: true, stopSignal: 'SIGKILL', sizeBytes: expect.any(Number)})
    expect(await engine.image('lab/nothing:1', {signal: signal()})).toBeUndefined()
    await engine.tag('lab/base:1', 'moorage/shop-web:dep_1', {signal: signal()})
    expect((await engine.image('moorage/shop-web:dep_1', {signal: signal()}))?.tags).toContain('lab/base:1')
    await run('moorage/shop-web:dep_1', 'sleep', '600')
    await engine.removeImage('moorage/shop-web:dep_1', {signal: signal()})
    await engine.removeImage('moorage/shop-web:dep_1', {signal: signal()})
    expect(await engine.image('lab/base:1', {signal: signal()})).toBeDefined()
    await expect(engine.tag('lab/nothing:1', 'moorage/x:1', {signal: signal()})).rejects.toMatchObject({code: 'NOT_FOUND'})
  })

  test('what a container uses is measured, and nothing where it has ended', async () => {
    const id = await run('--memory', '64m', 'lab/base:1', 'sh', '-c', 'dd if=/dev/zero of=/big bs=1000 count=3000 2>/dev/null; while true; do :; done')
    await expect.poll(async () => (await engine.usage(id, {signal: signal()})).cpuPercent, {timeout: 20_000}).toBeGreaterThan(5)
    const usage = await engine.usage(id, {signal: signal()})
    expect(usage).toMatchObject({memoryLimitBytes: 64 * 1024 * 1024, networkRxBytes: expect.any(Number)})
    expect(usage.memoryBytes).toBeGreaterThan(10_000)
    expect(usage.writtenBytes).toBeGreaterThanOrEqual(3_000_000)
    await engine.stop(id, {signal: signal(), graceSeconds: 0})
    expect(await engine.usage(id, {signal: signal()})).toMatchObject({cpuPercent: 0, memoryBytes: 0})
    await expect(engine.usage('nothing-of-this-name', {signal: signal()})).rejects.toMatchObject({code: 'NOT_FOUND'})
  })

  test('containers are described, by their labels too', async () => {
    const id = await run('--name', `web-${label}`, '--label', 'kind=web', '--publish', '127.0.0.1:8090:80', '--publish', '8091:53/udp', 'lab/healthy:1')
    await run('lab/base:1', 'true')
    const facts = await engine.container(id, {signal: signal()})
    expect(facts).toMatchObject({
      id, name: `web-${label}`, imageRef: 'lab/healthy:1', labels: {test: label, kind: 'web'}, state: 'running', exitCode: null, outOfMemory: false, restartCount: 0, finishedAt: null,
      startedAt: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/), addresses: {bridge: expect.stringMatching(/^172\./)},
    })
    expect(facts?.ports).toEqual(expect.arrayContaining([{containerPort: 80, protocol: 'tcp', hostAddress: '127.0.0.1', hostPort: 8090}, {containerPort: 53, protocol: 'udp', hostAddress: '0.0.0.0', hostPort: 8091}]))
    expect(facts?.imageId).toBe((await engine.image('lab/healthy:1', {signal: signal()}))?.id)
    await expect.poll(async () => (await engine.container(id, {signal: signal()}))?.health, {timeout: 10_000}).toBe('healthy')
    const both = await engine.containers({test: label}, {signal: signal()})
    expect(both.map(({labels}) => labels['kind']).sort()).toEqual(['web', undefined])
    expect((await engine.containers({test: label, kind: 'web'}, {signal: signal()})).map((each) => each.id)).toEqual([id])
    expect(await engine.containers({test: 'of nobody'}, {signal: signal()})).toEqual([])
    expect(await engine.container('nothing', {signal: signal()})).toBeUndefined()
  })

  test('a container listens where others can reach it, and not for itself alone, for the engine or in a network that is not its own', async () => {
    const network = (await host.docker('network', 'create', label)).trim()
    onTestFinished(async () => void (await host.docker('network', 'rm', network)))
    const listens = async (id: string) => {
      const facts = await engine.container(id, {signal: signal()})
      return facts === undefined ? undefined : engine.listeningPorts(facts, {signal: signal()})
    }
    const web = await run('--network', network, 'lab/web:1')
    await expect.poll(() => listens(web), {timeout: 5000}).toEqual([80])
    const ready = ['sh', '-c', 'httpd -p 127.0.0.1:80 -h /www; echo ready; exec sleep 600']
    const quiet = [await run('--network', network, 'lab/base:1', ...ready), await run('--network', 'host', 'lab/web:1'), await run('--network', `container:${web}`, 'lab/base:1', 'sleep', '600')]
    const [own = ''] = quiet
    await expect.poll(() => host.docker('logs', own), {timeout: 5000}).toBe('ready\n')
    expect(await Promise.all(quiet.map(listens))).toEqual([[], null, null])
    const facts = await engine.container(web, {signal: signal()})
    expect(facts?.pid).toBeGreaterThan(0)
    expect(await engine.listeningPorts({id: own, pid: facts?.pid ?? null, addresses: {bridge: '172.17.0.9'}}, {signal: signal()})).toBeNull()
  })

  test('a container that failed its health check, and one that ate its memory, say so', async () => {
    const sick = await run('lab/unhealthy:1')
    const eater = await run('--memory', '8m', '--memory-swap', '8m', 'lab/base:1', 'sh', '-c', 'sleep 1; x=a; while :; do x=$x$x; done')
    await expect.poll(async () => (await engine.container(sick, {signal: signal()}))?.health, {timeout: 15_000}).toBe('unhealthy')
    // It eats after a while: an engine begins to listen for want of memory when the container has started. It hears of the end and of its reason one after the other.
    await expect.poll(() => engine.container(eater, {signal: signal()}), {timeout: 15_000}).toMatchObject({state: 'exited', exitCode: 137, outOfMemory: true, health: null, healthOutput: null})
  })

  test('containers stop, start, restart and go', async () => {
    const id = await run('lab/web:1')
    const state = async () => (await engine.container(id, {signal: signal()}))?.state
    await engine.stop(id, {signal: signal(), graceSeconds: 1})
    await engine.stop(id, {signal: signal(), graceSeconds: 1})
    expect(await state()).toBe('exited')
    await engine.start(id, {signal: signal()})
    await engine.start(id, {signal: signal()})
    expect(await state()).toBe('running')
    const before = await engine.container(id, {signal: signal()})
    await engine.restart(id, {signal: signal(), graceSeconds: 1})
    expect((await engine.container(id, {signal: signal()}))?.startedAt).not.toBe(before?.startedAt)
    await engine.remove(id, {signal: signal()})
    await engine.remove(id, {signal: signal()})
    expect(await state()).toBeUndefined()
    await expect(engine.start(id, {signal: signal()})).rejects.toMatchObject({code: 'NOT_FOUND'})
  })

  test('a port that is taken fails the start with the words of the engine', async () => {
    await run('--publish', '8092:80', 'lab/web:1')
    const second = (await host.docker('create', '--label', `test=${label}`, '--publish', '8092:80', 'lab/web:1')).trim()
    onTestFinished(async () => void (await host.docker('rm', '--force', second)))
    await expect(engine.start(second, {signal: signal()})).rejects.toMatchObject({code: 'CONFLICT', message: /port is already allocated/})
  })

  test('volumes and networks are listed by their labels and removed', async () => {
    await host.docker('volume', 'create', '--label', `test=${label}`, '--label', 'key=data', `v-${label}`)
    await host.docker('network', 'create', '--label', `test=${label}`, `n-${label}`)
    expect(await engine.volumes({test: label}, {signal: signal()})).toEqual([{name: `v-${label}`, labels: {test: label, key: 'data'}}])
    const [network] = await engine.networks({test: label}, {signal: signal()})
    expect(network).toEqual({id: expect.stringMatching(/^[0-9a-f]{64}$/), name: `n-${label}`, labels: {test: label}})
    const user = await run('--volume', `v-${label}:/data`, '--network', `n-${label}`, 'lab/web:1')
    await expect(engine.removeVolume(`v-${label}`, {signal: signal()})).rejects.toMatchObject({code: 'CONFLICT', message: /in use/})
    await expect(engine.removeNetwork(network?.id ?? '', {signal: signal()})).rejects.toMatchObject({code: 'CONFLICT', message: /active endpoints/})
    await engine.remove(user, {signal: signal()})
    for (let times = 0; times < 2; times++) {
      await engine.removeVolume(`v-${label}`, {signal: signal()})
      await engine.removeNetwork(network?.id ?? '', {signal: signal()})
    }
    expect([await engine.volumes({test: label}, {signal: signal()}), await engine.networks({test: label}, {signal: signal()})]).toEqual([[], []])
  })

  test('networks are made once, take containers under further names, and let go of them when they are to be removed', async () => {
    const wish = {signal: signal(), labels: {test: label}, internal: true}
    for (let times = 0; times < 2; times++) await engine.createNetwork(`link-${label}`, wish)
    const networks = await engine.networks({test: label}, {signal: signal()})
    expect(networks).toEqual([{id: expect.any(String), name: `link-${label}`, labels: {test: label}}])
    expect((await host.docker('network', 'inspect', '--format', '{{.Internal}}', `link-${label}`)).trim()).toBe('true')
    const web = await run('lab/web:1')
    for (let times = 0; times < 2; times++) await engine.connect(`link-${label}`, web, {aliases: ['shop'], signal: signal()})
    const asker = await run('--network', `link-${label}`, 'lab/base:1', 'sleep', '600')
    expect((await engine.exec(asker, ['wget', '-q', '-O', '-', 'http://shop/'], {signal: signal()})).stdout).toBe('version 1\n')
    await expect(engine.connect(`link-${label}`, 'nothing', {aliases: [], signal: signal()})).rejects.toMatchObject({code: 'NOT_FOUND'})
    for (let times = 0; times < 2; times++) await engine.removeNetwork(networks[0]?.id ?? '', {signal: signal(), force: true})
    expect([await engine.networks({test: label}, {signal: signal()}), (await engine.container(asker, {signal: signal()}))?.state]).toEqual([[], 'running'])
  })

  test('commands run in a container: output, exit code, folder, variables, limit', async () => {
    const id = await run('lab/base:1', 'sleep', '600')
    const result = await engine.exec(id, ['sh', '-c', 'pwd; echo "$WORD-$PATH"; echo bad >&2; exit 7'], {signal: signal(), cwd: '/tmp', env: {WORD: "it's", PATH: '/bin'}})
    expect(result).toEqual({exitCode: 7, signal: null, stdout: "/tmp\nit's-/bin\n", stderr: 'bad\n', truncated: false})
    const much = await engine.exec(id, ['sh', '-c', 'yes | head -c 3000000'], {signal: signal(), maxOutputBytes: 1000})
    expect([much.stdout.length, much.truncated, much.exitCode]).toEqual([1000, true, 0])
    expect((await engine.exec(id, ['no-such-program'], {signal: signal()})).exitCode).toBeGreaterThan(125)
    expect((await engine.exec(id, ['sh', '-c', 'echo "Error: mine" >&2; exit 1'], {signal: signal()})).exitCode).toBe(1)
    await expect(engine.exec('nothing', ['true'], {signal: signal()})).rejects.toMatchObject({code: 'NOT_FOUND'})
    await engine.stop(id, {signal: signal(), graceSeconds: 1})
    await expect(engine.exec(id, ['true'], {signal: signal()})).rejects.toMatchObject({code: 'CONFLICT', message: /is not running/})
  })

  // Which of the two ends it depends on who may signal processes of the engine.
  test.skipIf(way === 'cli')('a command in a container ends with its signal', async () => {
    const id = await run('lab/base:1', 'sleep', '600')
    const stop = new AbortController()
    const running = engine.exec(id, ['sleep', '7533'], {signal: stop.signal})
    const sleeping = async () => (await host.run('ps -eo args')).split('\n').filter((line) => line.trim() === 'sleep 7533').length
    await expect.poll(sleeping, {timeout: 10_000}).toBe(1)
    stop.abort(new Error('enough'))
    await expect(running).rejects.toThrow('enough')
    await expect.poll(sleeping, {timeout: 10_000}).toBe(0)
  })

  async function logs(id: string, wish: Partial<Parameters<Engine['logs']>[1]> = {}): Promise<LogLine[]> {
    const lines: LogLine[] = []
    await engine.logs(id, {signal: signal(), follow: false, ...wish, onLine: (line) => lines.push(line)})
    return lines
  }

  test('logs come line by line with stream and time, the last ones or those since', async () => {
    const id = await run('lab/base:1', 'sh', '-c', 'echo one; sleep 0.1; echo two >&2; sleep 0.1; echo; sleep 0.1; printf "three é\\nlast"')
    await host.docker('wait', id)
    const all = await logs(id)
    expect([...all].sort((one, other) => (one.at < other.at ? -1 : 1)).map(({stream, text}) => `${stream} ${text}`)).toEqual(['stdout one', 'stderr two', 'stdout ', 'stdout three é', 'stdout last'])
    for (const {at} of all) expect(at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/)
    expect((await logs(id, {tail: 2})).map(({text}) => text)).toEqual(['three é', 'last'])
    const since = all.find(({text}) => text === 'two')?.at ?? ''
    expect((await logs(id, {since})).map(({text}) => text).sort()).toEqual(['', 'last', 'three é', 'two'])
    await expect(logs('nothing')).rejects.toMatchObject({code: 'NOT_FOUND'})
  })

  test('logs of a container with a terminal, and lines longer than the engine keeps in one piece', async () => {
    const tty = await run('--tty', 'lab/base:1', 'sh', '-c', 'echo out; echo err >&2; head -c 50000 /dev/zero | tr "\\0" x; echo end')
    const plain = await run('lab/base:1', 'sh', '-c', 'head -c 50000 /dev/zero | tr "\\0" y; echo end')
    for (const id of [tty, plain]) await host.docker('wait', id)
    expect((await logs(tty)).map(({stream, text}) => `${stream} ${text}`)).toEqual(['stdout out', 'stdout err', `stdout ${'x'.repeat(50_000)}end`])
    expect((await logs(plain)).map(({text}) => text)).toEqual([`${'y'.repeat(50_000)}end`])
  })

  test('logs are followed until the container ends, or the signal fires', async () => {
    const id = await run('lab/base:1', 'sh', '-c', 'while [ ! -e /go ]; do echo tick; sleep 0.1; done; echo done')
    const stop = new AbortController()
    const following = engine.logs(id, {signal: stop.signal, follow: true, tail: 0, onLine: () => stop.abort(new Error('enough'))})
    await expect(following).rejects.toThrow('enough')
    const lines: string[] = []
    const toTheEnd = engine.logs(id, {signal: signal(), follow: true, onLine: ({text}) => lines.push(text)})
    await expect.poll(() => lines.length).toBeGreaterThan(2)
    await engine.exec(id, ['touch', '/go'], {signal: signal()})
    await toTheEnd
    expect(lines.at(-1)).toBe('done')
  })

  test('events tell what becomes of containers with the labels, none missed from the opening on', async () => {
    const stop = new AbortController()
    const seen: EngineEvent[] = []
    let opened = () => undefined as void
    const isOpen = new Promise<void>((resolve) => (opened = resolve))
    const reading = (async () => {
      for await (const event of engine.events({test: label}, {signal: stop.signal, onOpen: opened})) seen.push(event)
    })()
    await isOpen
    await host.docker('run', '--rm', 'lab/base:1', 'true')
    const id = await run('--label', 'kind=web', 'lab/healthy:1')
    await expect.poll(() => seen.map(({action}) => action), {timeout: 15_000}).toContain('health_status: healthy')
    await host.docker('rm', '--force', id)
    await expect.poll(() => seen.at(-1)?.action, {timeout: 10_000}).toBe('destroy')
    expect(seen.map(({action}) => action)).toEqual(['create', 'start', 'health_status: healthy', 'kill', 'die', 'destroy'])
    for (const event of seen) expect(event).toMatchObject({kind: 'container', containerId: id, labels: {test: label, kind: 'web'}, at: expect.stringMatching(/\.\d{3}Z$/)})
    stop.abort(new Error('enough'))
    await reading
  })

  test('whoever stops reading events lets go of the connection', async () => {
    const id = await run('lab/web:1')
    const events = engine.events({test: label}, {signal: signal(), onOpen: () => void engine.restart(id, {signal: signal(), graceSeconds: 1})})
    for await (const event of events) if (event.action === 'restart') break
    expect((await engine.container(id, {signal: signal()}))?.state).toBe('running')
  })

  test('ports that are taken: of containers with their labels, and of the host', async () => {
    await run('--name', `ports-${label}`, '--publish', '8093:80', '--publish', '127.0.0.1:8094:81/udp', 'lab/web:1')
    await host.docker('create', '--label', `test=${label}`, '--publish', '8095:80', 'lab/web:1')
    const ports = await engine.takenPorts({signal: signal()})
    const mine = ports.filter(({labels}) => labels['test'] === label)
    expect(mine).toEqual(expect.arrayContaining([
      {hostAddress: '0.0.0.0', port: 8093, protocol: 'tcp', by: `ports-${label}`, labels: {test: label}},
      {hostAddress: '127.0.0.1', port: 8094, protocol: 'udp', by: `ports-${label}`, labels: {test: label}},
    ]))
    expect(ports.some(({port}) => port === 8095)).toBe(false)
    expect(ports).toContainEqual({hostAddress: host.address, port: 22, protocol: 'tcp', by: null, labels: {}})
    expect(ports.filter(({port, hostAddress}) => port === 8093 && hostAddress === '0.0.0.0')).toHaveLength(1)
  })

  test('files are written whole with their mode, read and removed, below our folder alone', async () => {
    const {folder} = await engine.facts({signal: signal()})
    const content = "services: {}\n# it's $HOME\0é"
    await engine.writeFile('shop/releases/dep_1/compose.yml', content, {signal: signal()})
    expect(await engine.readFile('shop/releases/dep_1/compose.yml', {signal: signal()})).toBe(content)
    expect(await engine.readFile(`${folder}/shop/releases/dep_1/compose.yml`, {signal: signal()})).toBe(content)
    await engine.writeFile('shop/run.sh', Buffer.from('#!/bin/sh\n'), {signal: signal(), mode: 0o755})
    await engine.writeFile('shop/run.sh', '#!/bin/sh\ntrue\n', {signal: signal(), mode: 0o755})
    const listed = await host.run(`stat -c '%a %n' ${folder} ${folder}/shop ${folder}/shop/releases/dep_1/compose.yml ${folder}/shop/run.sh; ls -A ${folder}/shop`)
    expect(listed).toBe(`700 ${folder}\n700 ${folder}/shop\n600 ${folder}/shop/releases/dep_1/compose.yml\n755 ${folder}/shop/run.sh\nreleases\nrun.sh\n`)
    expect(await engine.readFile('shop/nothing', {signal: signal()})).toBeUndefined()
    for (const path of ['/etc/passwd', '../other', 'shop/../../x', '.', '', folder]) {
      await expect(engine.writeFile(path, 'x', {signal: signal()})).rejects.toMatchObject({code: 'VALIDATION_ERROR'})
      await expect(engine.removeFolder(path, {signal: signal()})).rejects.toMatchObject({code: 'VALIDATION_ERROR'})
    }
    await expect(engine.writeFile('shop/releases', 'x', {signal: signal()})).rejects.toMatchObject({code: 'CONFLICT', message: /releases is a folder/})
    for (const path of ['shop/data/rows', 'shop/.env']) await engine.writeFile(path, 'x', {signal: signal()})
    await engine.removeFolder('shop', {signal: signal(), keep: 'data'})
    expect(await host.run(`find ${folder}/shop -type f`)).toBe(`${folder}/shop/data/rows\n`)
    await engine.removeFolder('shop/data', {signal: signal(), keep: 'nothing'})
    await engine.removeFolder('shop', {signal: signal()})
    await engine.removeFolder('shop', {signal: signal()})
    expect(await host.run(`ls -A ${folder}`)).toBe('')
  })

  test('Compose brings a project up and down, its output line by line', async () => {
    const {folder} = await engine.facts({signal: signal()})
    const slug = `moorage-${label}`
    await engine.writeFile(`${label}/compose.yml`, JSON.stringify({version: '3.8', services: {web: {image: 'lab/web:2', labels: {test: label}}}}), {signal: signal()})
    const cwd = `${folder}/${label}`
    const lines: string[] = []
    const compose = (...args: readonly string[]) => engine.compose(['-p', slug, '-f', 'compose.yml', ...args], {signal: signal(), cwd, onLine: (line) => lines.push(line)})
    onTestFinished(async () => void (await compose('down', '--timeout', '1')))
    expect(await compose('up', '-d', '--no-build', '--remove-orphans')).toMatchObject({exitCode: 0})
    expect(lines.join('\n')).toMatch(/Creating .*web/)
    expect(lines.join('')).not.toMatch(/\x1b/)
    expect((await engine.containers({test: label}, {signal: signal()}))[0]).toMatchObject({state: 'running', labels: {'com.docker.compose.project': slug}})
    const bad = await compose('up', '-d', 'no-such-service')
    expect(bad.exitCode).not.toBe(0)
    expect(bad.stderr).toMatch(/no-such-service/)
    expect(lines.at(-1)).toMatch(/no-such-service/)
  })
})
