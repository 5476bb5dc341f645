import {describe, expect, it, onTestFinished} from 'vitest'
import {Events} from '../../../../daemon/events/records.js'
import {ServicesWatch} from '../../../../daemon/projects/health-watch.js'
import {ServiceHealthRecords} from '../../../../daemon/projects/live/service-health.js'
import type {Engine} from '../../../../daemon/servers/engine/engine.js'
import {dockerHostsMissing, startDockerHosts} from '../../../lab/docker-hosts.js'
import {sharedPart} from '../../../lab/shared-part.js'
import {engineOver} from '../../servers/engine/engine-fixture.js'
import {recordingLog} from '../../store/store-fixture.js'
import {startLiveDaemon, type LiveDaemon} from './live-lab.js'

const waits = {lookMs: 100, steadyMs: 3_000, firstRetryMs: 50, lastRetryMs: 200}
const patiently = {timeout: 25_000, interval: 50}

describe.skipIf(dockerHostsMissing() !== null)('watching services', () => {
  const lab = sharedPart(() => startDockerHosts(1))
  const host = sharedPart(() => lab.host(1))
  const reached = sharedPart(() => engineOver({lab, host, user: host.users.root}))

  const sleeper = {name: 'sleeper', image: 'lab/base:1', commandArgv: ['sleep', '600'], restart: 'always'}
  const checked = {
    name: 'checked', image: 'lab/base:1', commandArgv: ['sleep', '600'], restart: 'always',
    advanced: {healthcheck: {test: ['CMD-SHELL', 'if [ -e /tmp/bad ]; then echo it is bad; exit 1; fi'], interval: '1s', retries: 2}},
  }

  async function told(daemon: LiveDaemon) {
    const found: {type: string; service: unknown; reason: unknown}[] = []
    for await (const {type, payload} of daemon.store.all(Events)) {
      if (type === 'service.unhealthy' || type === 'service.recovered') found.push({type, service: payload['serviceName'], reason: payload['reason']})
    }
    return found
  }

  const containersOf = async (daemon: LiveDaemon, projectId: string) => (await daemon.call('GET', `/api/projects/${projectId}/services/containers`)).body.containers as {serviceName: string; serviceId: string; containerId: string}[]
  async function containerOf(daemon: LiveDaemon, projectId: string, name: string) {
    const found = (await containersOf(daemon, projectId)).find(({serviceName}) => serviceName === name)
    if (found === undefined) throw new Error(`no container of ${name}`)
    return found
  }

  // As a crash would: nobody asked the engine to end it.
  async function crash(containerId: string): Promise<void> {
    const pid = async () => (await host.docker('inspect', '--format', '{{.State.Pid}}', containerId)).trim()
    const before = await pid()
    await host.run(`kill -9 ${before}`)
    await expect.poll(async () => ['0', before].includes(await pid()), patiently).toBe(false)
  }

  it('tells once of a service whose check begins to fail, and once that it is well again', async () => {
    const daemon = await startLiveDaemon(reached, {watchWaits: waits})
    const {projectId} = await daemon.deploy('Checked', [checked, sleeper])
    const {containerId} = await containerOf(daemon, projectId, 'checked')
    await host.docker('exec', containerId, 'touch', '/tmp/bad')
    await expect.poll(() => told(daemon), patiently).toHaveLength(1)
    await host.docker('exec', containerId, 'rm', '/tmp/bad')
    await expect.poll(() => told(daemon), patiently).toHaveLength(2)
    const reason = 'its health check failed several times in a row: it is bad'
    expect(await told(daemon)).toEqual([{type: 'service.unhealthy', service: 'checked', reason}, {type: 'service.recovered', service: 'checked', reason}])
    await daemon.call('DELETE', `/api/projects/${projectId}`)
  }, 60_000)

  it('tells of a service that is killed over and over, not of a single end, and that it stays up in the end', async () => {
    const daemon = await startLiveDaemon(reached, {watchWaits: waits})
    const {projectId} = await daemon.deploy('Killed', [sleeper])
    const {containerId, serviceId} = await containerOf(daemon, projectId, 'sleeper')
    await crash(containerId)
    await crash(containerId)
    expect(await told(daemon)).toEqual([])
    await crash(containerId)
    await expect.poll(() => told(daemon), patiently).toMatchObject([{type: 'service.unhealthy', service: 'sleeper', reason: expect.stringMatching(/^it keeps ending/)}])
    await crash(containerId)
    await expect.poll(() => told(daemon), patiently).toHaveLength(2)
    expect((await told(daemon))[1]).toMatchObject({type: 'service.recovered', service: 'sleeper'})
    expect(await daemon.store.get(ServiceHealthRecords, serviceId)).toMatchObject({status: 'well', reason: null})
    await daemon.call('DELETE', `/api/projects/${projectId}`)
  }, 60_000)

  it('takes a service that keeps ending for well only when it ran on, although nobody listened before', async () => {
    const daemon = await startLiveDaemon(reached, {watchWaits: {lookMs: 3_600_000}})
    const {projectId} = await daemon.deploy('Flaps', [sleeper])
    const {containerId} = await containerOf(daemon, projectId, 'sleeper')
    let looks = 0
    const engine: Engine = {...daemon.engine, containers: (labels, options) => daemon.engine.containers(labels, options).finally(() => looks++)}
    const watch = () => {
      looks = 0
      const started = new ServicesWatch({...daemon.parts, engines: {engineFor: async () => engine}, log: recordingLog(), waits: {...waits, steadyMs: 3_600_000}})
      onTestFinished(() => started.stop())
      started.start()
      return started
    }
    const first = watch()
    await expect.poll(() => looks, patiently).toBeGreaterThan(0)
    for (let times = 0; times < 3; times += 1) await crash(containerId)
    await expect.poll(() => told(daemon), patiently).toHaveLength(1)
    await first.stop()
    const second = watch()
    await expect.poll(() => looks, patiently).toBeGreaterThan(0)
    // It ends after what it does with what it saw.
    await second.stop()
    expect(await told(daemon)).toMatchObject([{type: 'service.unhealthy'}])
    await daemon.call('DELETE', `/api/projects/${projectId}`)
  }, 60_000)

  it('tells soon of a service that was up and then keeps ending, and shows it', async () => {
    const daemon = await startLiveDaemon(reached)
    const began = Date.now()
    const {projectId, deploymentId} = await daemon.deploy('Loop', [{...sleeper, name: 'loop', commandArgv: ['sh', '-c', 'sleep 2; exit 3']}])
    await expect.poll(() => told(daemon), patiently).toMatchObject([{type: 'service.unhealthy', service: 'loop', reason: expect.stringMatching(/keeps ending/)}])
    expect(Date.now() - began).toBeLessThan(20_000)
    const {containers} = (await daemon.call('GET', `/api/projects/${projectId}/services/containers`)).body
    expect(containers).toMatchObject([{serviceName: 'loop', unhealthyReason: expect.stringMatching(/keeps ending/)}])
    expect(containers[0].restartCount).toBeGreaterThan(1)
    expect((await daemon.call('GET', `/api/deployments/${deploymentId}`)).body.data).toMatchObject({status: 'ready', warningMessage: expect.stringMatching(/^loop is unhealthy: it keeps ending/)})
    await daemon.call('DELETE', `/api/projects/${projectId}`)
  }, 60_000)

  it('tells nothing where somebody stops a service and starts it again, nor while it is deployed anew', async () => {
    const daemon = await startLiveDaemon(reached, {watchWaits: waits})
    const {projectId} = await daemon.deploy('Stopped', [sleeper])
    const {serviceId} = await containerOf(daemon, projectId, 'sleeper')
    const status = async () => (await daemon.store.get(ServiceHealthRecords, serviceId))?.status
    const path = `/api/projects/${projectId}/services/sleeper`
    await daemon.call('POST', `${path}/stop`)
    await expect.poll(status, patiently).toBe('stopped')
    await daemon.call('POST', `${path}/start`)
    await expect.poll(status, patiently).toBe('well')
    await daemon.call('PATCH', path, {environment: {CHANGED: 'yes'}})
    await daemon.redeploy(projectId)
    await daemon.call('POST', `${path}/stop`)
    await expect.poll(status, patiently).toBe('stopped')
    expect(await told(daemon)).toEqual([])
    await daemon.call('DELETE', `/api/projects/${projectId}`)
  }, 60_000)

  it('listens only where something is served, takes it up again after a drop, and lets go', async () => {
    const streams: AbortSignal[] = []
    const counting = (real: Engine): Engine => ({
      ...real,
      events(labels, options) {
        if (labels['moorage.managed'] !== undefined) streams.push(options.signal)
        return real.events(labels, options)
      },
    })
    const daemon = await startLiveDaemon(reached, {watchWaits: waits, engine: counting})
    await daemon.call('POST', '/api/projects', {name: 'Idle'})
    expect(streams).toEqual([])
    const {projectId} = await daemon.deploy('Served', [sleeper])
    await expect.poll(() => streams.length, patiently).toBe(1)
    await host.sshd.dropConnections()
    await expect.poll(() => streams.length, patiently).toBeGreaterThan(1)
    const {containerId, serviceId} = await containerOf(daemon, projectId, 'sleeper')
    await daemon.call('POST', `/api/projects/${projectId}/services/sleeper/stop`)
    await expect.poll(async () => (await daemon.store.get(ServiceHealthRecords, serviceId))?.containerId, patiently).toBe(containerId)
    expect(streams.at(-1)?.aborted).toBe(false)
    await daemon.call('DELETE', `/api/projects/${projectId}`)
    await expect.poll(() => streams.at(-1)?.aborted, patiently).toBe(true)
  }, 60_000)
})
