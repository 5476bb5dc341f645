import {randomBytes} from 'node:crypto'
import {mkdtemp, rm} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {describe, expect, onTestFinished, test} from 'vitest'
import {systemClock} from '../../../../daemon/clock.js'
import {createEngines} from '../../../../daemon/servers/engine/engines.js'
import {addLocalServer} from '../../../../daemon/servers/local-server.js'
import {Servers, Workspaces, type ServerRecord} from '../../../../daemon/servers/records.js'
import {Runners} from '../../../../daemon/servers/runners.js'
import {sealContext} from '../../../../daemon/servers/server-target.js'
import {openFileStore} from '../../../../daemon/store/file-store.js'
import {createSealer} from '../../../../daemon/store/secrets.js'
import {dockerHostsMissing, startDockerHosts} from '../../../lab/docker-hosts.js'
import {sharedPart} from '../../../lab/shared-part.js'
import {labPool} from '../../../lab/ssh-target.js'
import {quietLog} from '../../jobs/run-records.js'

const signal = () => AbortSignal.timeout(30_000)

describe.skipIf(dockerHostsMissing() !== null)('the engines of the servers that are kept', () => {
  const lab = sharedPart(() => startDockerHosts(2))

  async function open() {
    const home = await mkdtemp(join(tmpdir(), 'moorage-engines-'))
    const {store} = await openFileStore({home, collections: [Servers, Workspaces], clock: systemClock, log: quietLog})
    const sealer = createSealer({current: {id: 'test', bytes: randomBytes(32)}, older: []})
    const pool = labPool()
    const runners = new Runners({store, clock: systemClock, sealer, pool, home, surroundings: {PATH: '/usr/sbin:/usr/bin:/sbin:/bin'}})
    const engines = createEngines({store, clock: systemClock, runners, dockerHost: lab.host(2).dockerHost})
    onTestFinished(async () => {
      engines.close()
      pool.close()
      await store.close()
      await rm(home, {recursive: true, force: true})
    })
    const id = 'srv_AAAAAAAAAAAAAAAA'
    await store.transaction(async (transaction) => {
      const now = new Date().toISOString()
      await addLocalServer(transaction, 'org_1', now)
      const [local] = await transaction.find(Servers, 'organization', ['org_1'])
      if (local === undefined) throw new Error('no local server')
      const {sshd} = lab.host(1)
      const key = sealer.seal(lab.key, sealContext(id, 'sshPrivateKey'))
      await transaction.insert(Servers, {...local, id, name: 'one', isLocal: false, sshHost: sshd.host, sshPort: sshd.port, sshUser: 'root', sshPrivateKey: key, hostKeyFingerprint: sshd.fingerprint()})
    })
    const edit = async (change: Partial<ServerRecord>) => {
      const server = await store.get(Servers, id)
      if (server === undefined) throw new Error('no server')
      await store.transaction((transaction) => transaction.put(Servers, {...server, ...change}))
      engines.drop(id)
      runners.drop(id)
    }
    return {store, engines, id, edit}
  }

  test('null is the machine of the daemon, whose DOCKER_HOST counts', async () => {
    const {engines, id} = await open()
    const local = await engines.engineFor(null)
    expect(await engines.engineFor(local.serverId)).toBe(local)
    expect(local.serverId).not.toBe(id)
    await lab.host(2).docker('tag', 'lab/base:1', 'lab/only:2')
    expect(await local.image('lab/only:2', {signal: signal()})).toBeDefined()
    expect(await (await engines.engineFor(id)).image('lab/only:2', {signal: signal()})).toBeUndefined()
  })

  test('an edit counts for those who hold the engine already', async () => {
    const {engines, id, edit} = await open()
    const engine = await engines.engineFor(id)
    expect(await engine.facts({signal: signal()})).toMatchObject({way: 'socket', folder: '/srv/moorage'})
    await edit({sshUser: 'member'})
    expect(await engine.facts({signal: signal()})).toMatchObject({folder: '/home/member/moorage'})
    expect(await engines.engineFor(id)).toBe(engine)
    await edit({sshUser: 'guest', name: 'renamed'})
    await expect(engine.facts({signal: signal()})).rejects.toMatchObject({code: 'ENGINE_UNAVAILABLE', message: /of renamed can not be used/})
  })

  test('an edit ends what is followed on the old way', async () => {
    const {engines, id, edit} = await open()
    const engine = await engines.engineFor(id)
    let isOpen = false
    const events = (async () => {
      for await (const event of engine.events({}, {signal: signal(), onOpen: () => (isOpen = true)})) expect(event.kind).toBe('container')
    })().catch((error: unknown) => error)
    await expect.poll(() => isOpen, {timeout: 15_000}).toBe(true)
    await edit({name: 'renamed'})
    expect(await events).toMatchObject({code: 'SERVER_UNREACHABLE'})
  })

  test('a server that is gone has no engine', async () => {
    const {store, engines, id} = await open()
    const engine = await engines.engineFor(id)
    await store.transaction((transaction) => transaction.delete(Servers, id))
    await expect(engines.engineFor(id)).rejects.toMatchObject({code: 'NOT_FOUND'})
    await expect(engine.facts({signal: signal()})).rejects.toMatchObject({code: 'NOT_FOUND'})
  })
})
