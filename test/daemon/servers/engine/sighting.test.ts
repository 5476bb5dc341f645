import {once} from 'node:events'
import {chmod, mkdir, mkdtemp, rm, writeFile} from 'node:fs/promises'
import net from 'node:net'
import {tmpdir, userInfo} from 'node:os'
import {dirname, join} from 'node:path'
import {afterEach, beforeEach, expect, onTestFinished, test} from 'vitest'
import {systemClock} from '../../../../daemon/clock.js'
import {lookScript, parseSighting, type KnownCompose, type Sighting} from '../../../../daemon/servers/engine/sighting.js'
import {localRunner} from '../../../../daemon/servers/local.js'

let home: string
let programs: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'moorage-look-'))
  programs = join(home, 'bin')
  await mkdir(programs)
})
afterEach(() => rm(home, {recursive: true, force: true}))

const signal = () => AbortSignal.timeout(20_000)

/** Looks around with a home of its own and programs that stand before those of the machine. */
async function look(env: Readonly<Record<string, string>> = {}, known?: KnownCompose): Promise<Sighting> {
  const runner = localRunner({serverId: 'srv_local', clock: systemClock, runsFolder: home, surroundings: {PATH: `${programs}:/usr/bin:/bin`}})
  const {stdout} = await runner.exec(['/bin/sh', '-c', lookScript, 'sh', known?.stamp ?? ''], {env: {HOME: home, ...env}, signal: signal()})
  const sighting = parseSighting(`a login script says hello\n${stdout}`, known)
  if (sighting === undefined) throw new Error(`not understood: ${stdout}`)
  return sighting
}

async function program(name: string, script: string): Promise<void> {
  await writeFile(join(programs, name), `#!/bin/sh\n${script}\n`)
  await chmod(join(programs, name), 0o755)
}

async function socketAt(path: string): Promise<string> {
  await mkdir(dirname(path), {recursive: true})
  const server = net.createServer().listen(path)
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return path
}

test('says who and where we are', async () => {
  expect(await look()).toMatchObject({uid: userInfo().uid, user: userInfo().username, home, path: expect.stringMatching(new RegExp(`^${programs}:.*:/usr/sbin:`))})
})

test('sees the socket of a rootless engine where the session has it', async () => {
  const path = await socketAt(join(home, 'run', 'docker.sock'))
  expect((await look({XDG_RUNTIME_DIR: dirname(path)})).open).toContain(path)
})

test('sees the socket of a rootless engine where a session would have it', async () => {
  const {uid} = userInfo()
  const path = await socketAt(`/run/user/${uid}/docker.sock`)
  expect((await look()).open).toContain(path)
})

test('looks nowhere else where DOCKER_HOST names a socket, there or not', async () => {
  await socketAt(join(home, '.docker/run/docker.sock'))
  const path = await socketAt(join(home, 'my engine.sock'))
  expect(await look({DOCKER_HOST: `unix://${path}`})).toMatchObject({named: path, elsewhere: null, open: [path], closed: []})
  expect(await look({DOCKER_HOST: 'unix:///nowhere.sock'})).toMatchObject({named: '/nowhere.sock', open: [], closed: []})
  expect(await look({DOCKER_HOST: 'tcp://192.0.2.1:2376'})).toMatchObject({named: null, elsewhere: 'tcp://192.0.2.1:2376', open: [], closed: []})
})

test('asks the client for its context only where one is set', async () => {
  await program('docker', `echo "$*" >>${home}/asked\ncase $* in context*) echo unix://${home}/ctx.sock;; *) exit 1;; esac`)
  expect(await look()).toMatchObject({hasClient: true, named: null})
  await mkdir(join(home, '.docker'))
  await writeFile(join(home, '.docker/config.json'), '{"currentContext": "rootless"}')
  expect(await look()).toMatchObject({named: `${home}/ctx.sock`})
  expect(await look({DOCKER_HOST: 'unix:///other.sock'})).toMatchObject({named: '/other.sock'})
  await rm(join(home, '.docker'), {recursive: true})
  expect(await look({DOCKER_CONTEXT: 'rootless'})).toMatchObject({named: `${home}/ctx.sock`})
})

test('prefers the plugin to the program of its own, and takes versions as they are written', async () => {
  const standalone = (version: string) => program('docker-compose', `echo ${version}`)
  await program('docker', 'echo "docker: \'compose\' is not a docker command." >&2; exit 1')
  await program('docker-compose', 'exit 127')
  expect((await look()).compose.command).toBeNull()
  await standalone('1.29.2')
  expect((await look()).compose.command).toEqual({kind: 'standalone', version: '1.29.2'})
  await standalone('v2.24.5')
  expect((await look()).compose.command).toEqual({kind: 'standalone', version: '2.24.5'})
  await program('docker', '[ "$1" = compose ] && echo v2.27.0-desktop.2')
  expect((await look()).compose.command).toEqual({kind: 'plugin', version: '2.27.0-desktop.2'})
})

test('asks Compose for its version again only when its files changed', async () => {
  await program('docker', 'exit 1')
  await program('docker-compose', `echo asked >>${home}/asked; echo 1.29.2`)
  const {compose} = await look()
  await writeFile(join(home, 'asked'), '')
  const again = await look({}, compose)
  expect(again.compose).toEqual(compose)
  await rm(join(programs, 'docker-compose'))
  await program('docker-compose', 'echo 2.1.0')
  expect((await look({}, compose)).compose.command).toEqual({kind: 'standalone', version: '2.1.0'})
  await program('docker', '[ "$1" = compose ] && echo 2.3.0')
  expect((await look({}, compose)).compose.command).toEqual({kind: 'plugin', version: '2.3.0'})
})

test('output that is not that of the script is not understood', () => {
  expect(parseSighting('', undefined)).toBeUndefined()
  expect(parseSighting('@engine uid=zero\n@engine home=/\n@engine path=/bin\n', undefined)).toBeUndefined()
})
