import {beforeAll, describe, expect, onTestFinished, test} from 'vitest'
import {dockerHostsMissing, startDockerHosts} from '../../../lab/docker-hosts.js'
import {startRegistry} from '../../../lab/registry.js'
import {sharedPart} from '../../../lab/shared-part.js'
import {engineOver, type TestEngine} from './engine-fixture.js'
import {refuseWays} from './ways.js'

const signal = () => AbortSignal.timeout(40_000)
const users = {'socket': 'root', 'dial-stdio': 'sudoer', 'cli': 'member'} as const
const gone = {
  'the connection drops': {code: 'SERVER_UNREACHABLE', details: {code: 'unreachable'}},
  'the engine is killed': {code: 'ENGINE_UNAVAILABLE'},
} as const

describe.skipIf(dockerHostsMissing() !== null).each(['socket', 'dial-stdio', 'cli'] as const)('an engine that goes away in the middle, by %s', (way) => {
  const lab = sharedPart(() => startDockerHosts(1))
  const host = sharedPart(() => lab.host(1))
  beforeAll(async () => {
    if (way === 'cli') await refuseWays(host)
  })

  function reach(): TestEngine {
    const reached = engineOver({lab, host, user: host.users[users[way]]})
    onTestFinished(() => reached.close())
    return reached
  }

  const ends = {
    'the connection drops': () => host.sshd.dropConnections(),
    'the engine is killed': () => host.killDockerd(),
  }

  describe.each(['the connection drops', 'the engine is killed'] as const)('as %s', (how) => {
    test('followed logs, events, a command and a pull end with a fault, and calls go on once it is back', async () => {
      const {engine, pool} = reach()
      expect((await engine.facts({signal: signal()})).way).toBe(way)
      const registry = await startRegistry({address: lab.gateway})
      onTestFinished(() => registry.stop())
      const ref = await registry.add(`slow-${how.length}`, '1', [{file: how}])
      const id = (await host.docker('run', '--detach', '--label', `kind=${how}`, 'lab/base:1', 'sh', '-c', 'while echo tick; do sleep 0.1; done')).trim()
      onTestFinished(async () => {
        await host.startDockerd()
        await host.docker('rm', '--force', id)
      })
      registry.hold(true)
      const seen = {logs: 0, events: false}
      const failures = [
        engine.logs(id, {signal: signal(), follow: true, onLine: () => seen.logs++}),
        (async () => {
          for await (const event of engine.events({kind: how}, {signal: signal(), onOpen: () => (seen.events = true)})) expect(event.containerId).toBe(id)
        })(),
        engine.exec(id, ['sleep', '600'], {signal: signal()}),
        engine.pull(ref, {signal: signal(), onLine: () => undefined}),
      ].map((call) => call.then(() => 'ended well', (error: unknown) => error))
      await expect.poll(() => seen.logs > 3 && seen.events && registry.asked.length > 0, {timeout: 20_000}).toBe(true)
      await expect.poll(async () => (await host.docker('top', id)).includes('sleep 600'), {timeout: 20_000}).toBe(true)
      await ends[how]()
      const [logs, events, exec, pull] = await Promise.all(failures)
      // What a command of the client ends with that loses its engine is up to the client.
      for (const failure of way === 'cli' && how === 'the engine is killed' ? [logs, events] : [logs, events, exec, pull]) expect(failure).toMatchObject(gone[how])
      registry.hold(false)
      await host.startDockerd()
      expect((await engine.container(id, {signal: signal()}))?.id).toBe(id)
      expect((await engine.pull(ref, {signal: signal(), onLine: () => undefined})).tags).toEqual([ref])
      expect(pool.connectionCount('srv_lab')).toBeLessThanOrEqual(2)
    })
  })

  test('an engine that stops in order fails calls as one that is not running, until it runs again', async () => {
    const {engine} = reach()
    await engine.containers({}, {signal: signal()})
    await host.stopDockerd()
    onTestFinished(() => host.startDockerd())
    await expect(engine.containers({}, {signal: signal()})).rejects.toMatchObject({code: 'ENGINE_UNAVAILABLE', details: {reason: 'not_running'}})
    await expect(engine.start('any', {signal: signal()})).rejects.toMatchObject({code: 'ENGINE_UNAVAILABLE', details: {reason: 'not_running'}})
    await host.startDockerd()
    expect(await engine.containers({}, {signal: signal()})).toEqual([])
  })

  test('a server that is away is told as such, at once for those who wait for the same look', async () => {
    const {engine} = reach()
    await host.sshd.kill()
    onTestFinished(() => host.sshd.start())
    const failures = await Promise.all([0, 1, 2].map(() => engine.facts({signal: signal()}).catch((error: unknown) => error)))
    for (const failure of failures) expect(failure).toMatchObject({code: 'SERVER_UNREACHABLE', details: {code: 'refused'}})
    await host.sshd.start()
    expect(await engine.facts({signal: signal()})).toMatchObject({way})
  })
})
