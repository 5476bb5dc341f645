import {describe, expect, it} from 'vitest'
import {Events} from '../../../../daemon/events/records.js'
import {dockerHostsMissing, startDockerHosts} from '../../../lab/docker-hosts.js'
import {sharedPart} from '../../../lab/shared-part.js'
import {engineOver} from '../../servers/engine/engine-fixture.js'
import {startLiveDaemon, type LiveDaemon} from './live-lab.js'

describe.skipIf(dockerHostsMissing() !== null)('services that run', () => {
  const lab = sharedPart(() => startDockerHosts(1))
  const reached = sharedPart(() => engineOver({lab, host: lab.host(1), user: lab.host(1).users.root}))

  const talker = {name: 'talker', image: 'lab/base:1', commandArgv: ['sh', '-c', 'echo out; echo err >&2; i=0; while true; do i=$((i+1)); echo tick $i; sleep 1; done'], restart: 'always'}
  const lines = (answer: {body: {data: {message: string}[]}}) => answer.body.data.map(({message}) => message)
  const servicePath = (projectId: string, name = 'talker') => `/api/projects/${projectId}/services/${name}`

  async function eventsOf(daemon: LiveDaemon, type: string) {
    const found = []
    for await (const event of daemon.store.all(Events)) if (event.type === type) found.push(event)
    return found
  }

  it('are shown with their containers, further ones and those that nobody describes', async () => {
    const daemon = await startLiveDaemon(reached)
    const {projectId} = await daemon.deploy('Shown', [talker, {name: 'web', image: 'lab/healthy:1', ports: ['8085:80']}])
    const labels = ['com.docker.compose.project=moorage-shown', `moorage.project=${projectId}`]
    const run = async (name: string, more: readonly string[]) => (await lab.host(1).docker('run', '-d', '--name', name, ...[...labels, ...more].flatMap((label) => ['--label', label]), 'lab/base:1', 'sleep', '600')).trim()
    const talkerId = (await daemon.call('GET', servicePath(projectId))).body.service.id
    const twin = await run('shown-twin', [`moorage.service=${talkerId}`, 'com.docker.compose.service=talker'])
    const stray = await run('shown-stray', ['com.docker.compose.service=old'])
    const {containers} = (await daemon.call('GET', `/api/projects/${projectId}/services/containers`)).body
    const by = (name: string) => containers.find(({serviceName}: {serviceName: string}) => serviceName === name)
    expect(by('web')).toMatchObject({status: 'running', health: 'healthy', hostPort: 8085, matchedBy: 'label', duplicates: [], imageRef: 'lab/healthy:1', ip: expect.stringMatching(/^\d+\./)})
    expect([by('talker').containerId, ...by('talker').duplicates]).toContain(twin)
    expect(by('talker').duplicates).toHaveLength(1)
    expect(by('old')).toMatchObject({serviceId: null, containerId: stray, matchedBy: 'none'})
    await lab.host(1).docker('rm', '-f', twin, stray)
    await daemon.call('DELETE', `/api/projects/${projectId}?wipeVolumes=true`)
  }, 60_000)

  it('say that nothing is deployed, without asking a server', async () => {
    const real = await startLiveDaemon(reached)
    const {body} = await real.call('POST', '/api/projects', {name: 'Empty'})
    await real.call('POST', `/api/projects/${body.data.id}/services`, talker)
    const path = servicePath(body.data.id)
    for (const [method, route] of [['POST', '/start'], ['POST', '/stop'], ['POST', '/restart'], ['GET', '/logs'], ['GET', '/logs/stream']] as const) {
      expect([route, (await real.call(method, path + route)).body.code]).toEqual([route, 'NOTHING_DEPLOYED'])
    }
    expect((await real.call('GET', `/api/projects/${body.data.id}/services/containers`)).body.containers).toMatchObject([{serviceName: 'talker', status: 'none', containerId: null, matchedBy: 'none'}])
  }, 30_000)

  it('give their last lines, and follow them until the caller hangs up', async () => {
    const daemon = await startLiveDaemon(reached)
    const {projectId} = await daemon.deploy('Logs', [talker])
    const path = servicePath(projectId)
    const all = await daemon.call('GET', `${path}/logs?tail=1000`)
    expect(lines(all)).toEqual(expect.arrayContaining(['out', 'err', 'tick 1']))
    expect(all.body.data.find(({message}: {message: string}) => message === 'err')).toMatchObject({level: 'warn', serviceName: 'talker', timestamp: expect.stringMatching(/^\d{4}-.*Z$/)})
    expect(lines(await daemon.call('GET', `${path}/logs?tail=1`))).toHaveLength(1)
    expect(lines(await daemon.call('GET', `${path}/logs?since=2999-01-01T00:00:00Z`))).toEqual([])
    expect(lines(await daemon.call('GET', `${path}/logs?since=10m`))).toContain('out')
    expect((await daemon.call('GET', `${path}/logs?since=soon`)).body).toMatchObject({code: 'VALIDATION_ERROR', errors: [{path: '/since'}]})

    const hangUp = new AbortController()
    const response = await fetch(`${daemon.url}${path}/logs/stream?tail=2`, {headers: {authorization: `Bearer ${daemon.token}`}, signal: hangUp.signal})
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/)
    let text = ''
    const reading = (async () => {
      for await (const piece of response.body ?? []) {
        text += Buffer.from(piece).toString()
        if ((text.match(/event: log/g) ?? []).length >= 4) break
      }
    })()
    await reading
    hangUp.abort()
    const frames = [...text.matchAll(/data: (\{.*\})/g)].map(([, json = '']) => JSON.parse(json))
    const logged = frames.filter(({type}) => type === 'log')
    expect(logged[0]).toMatchObject({message: expect.stringMatching(/^(out|err|tick \d+)\n$/), serviceName: 'talker'})
    expect(Buffer.from(logged[0].data, 'base64').toString()).toBe(logged[0].message)
    await daemon.call('DELETE', `/api/projects/${projectId}`)
  }, 60_000)

  it('answer for their project: the lines of the one that people reach, and what all of them use', async () => {
    const daemon = await startLiveDaemon(reached)
    const {projectId, deploymentId} = await daemon.deploy('Whole', [talker, {name: 'web', image: 'lab/base:1', ports: ['8086:80'], commandArgv: ['sh', '-c', 'echo from web; sleep 600']}])
    expect(lines(await daemon.call('GET', `/api/projects/${projectId}/logs?tail=5`))).toEqual(['from web'])
    const {data} = (await daemon.call('GET', `/api/deployments/${deploymentId}/usage`)).body
    expect(data.services.map(({serviceName}: {serviceName: string}) => serviceName).sort()).toEqual(['talker', 'web'])
    expect(data.memoryMb).toBeGreaterThan(0)
    await daemon.call('DELETE', `/api/projects/${projectId}`)
  }, 60_000)

  it('end the stream of a container that ends', async () => {
    const daemon = await startLiveDaemon(reached)
    const {projectId} = await daemon.deploy('Ends', [talker])
    const stream = fetch(`${daemon.url}${servicePath(projectId)}/logs/stream?tail=1`, {headers: {authorization: `Bearer ${daemon.token}`}})
    const response = await stream
    expect((await daemon.call('POST', `${servicePath(projectId)}/stop`)).body).toMatchObject({success: true})
    expect(await response.text()).toMatch(/"type":"complete"/)
    await daemon.call('DELETE', `/api/projects/${projectId}`)
  }, 60_000)

  it('stop, start again, and are made anew where somebody removed them', async () => {
    const daemon = await startLiveDaemon(reached)
    const {projectId} = await daemon.deploy('Switch', [talker])
    const path = servicePath(projectId)
    const status = async () => (await daemon.call('GET', `/api/projects/${projectId}/services/containers`)).body.containers[0].status
    await daemon.call('POST', `${path}/stop`)
    expect(await status()).toBe('exited')
    expect((await daemon.call('POST', `${path}/exec`, {command: 'true'})).body.code).toBe('CONFLICT')
    const {containerId} = (await daemon.call('POST', `${path}/start`)).body
    expect(await status()).toBe('running')
    await lab.host(1).docker('rm', '-f', containerId)
    expect(await status()).toBe('none')
    const again = (await daemon.call('POST', `${path}/start`)).body
    expect([again.success, again.containerId === containerId, await status()]).toEqual([true, false, 'running'])
    expect((await eventsOf(daemon, 'service.changed')).flatMap(({payload}) => (payload['after'] as {action?: string}).action ?? [])).toEqual(['stop', 'start', 'start'])
    await daemon.call('DELETE', `/api/projects/${projectId}`)
  }, 60_000)

  it('refuse a restart that would not apply changed variables, and name them', async () => {
    const daemon = await startLiveDaemon(reached)
    const {projectId} = await daemon.deploy('Stale', [{...talker, environment: {KEPT: '1', GONE: '2'}}])
    const path = servicePath(projectId)
    const before = (await daemon.call('POST', `${path}/restart`)).body
    expect(before).toMatchObject({success: true})
    await daemon.call('PATCH', `/api/projects/${projectId}/env`, {environment: 'production', upserts: [{key: 'ADDED', value: 'x'}], deletes: []})
    await daemon.call('PATCH', path, {environment: {GONE: null}})
    const refused = await daemon.call('POST', `${path}/restart`)
    expect([refused.status, refused.body]).toMatchObject([409, {code: 'SERVICE_CONFIG_STALE', staleEnvKeys: ['ADDED', 'GONE'], serviceName: 'talker'}])
    expect((await daemon.call('POST', `${path}/restart?force=true`)).body).toMatchObject({success: true, containerId: before.containerId})
    await daemon.redeploy(projectId)
    expect((await daemon.call('POST', `${path}/restart`)).body.success).toBe(true)
    await daemon.call('DELETE', `/api/projects/${projectId}`)
  }, 90_000)

  it('run commands: both streams in order, exit code, folder, limits, and a trace of it without the text', async () => {
    const daemon = await startLiveDaemon(reached)
    const {projectId} = await daemon.deploy('Exec', [talker])
    const exec = async (body: object) => (await daemon.call('POST', `${servicePath(projectId)}/exec`, body)).body.data
    expect(await exec({command: 'echo one; echo two >&2; pwd; exit 3', cwd: '/tmp'})).toMatchObject({exitCode: 3, output: 'one\ntwo\n/tmp\n', timedOut: false, truncated: false})
    expect(await exec({command: 'yes planted-secret | head -c 5000', maxOutputBytes: 100})).toMatchObject({exitCode: 0, truncated: true, output: expect.stringMatching(/^[\s\S]{100}$/)})
    const slow = await exec({command: 'sleep 97', timeoutMs: 1000})
    expect(slow).toMatchObject({timedOut: true, exitCode: null})
    const events = await eventsOf(daemon, 'service.command_run')
    expect(events).toHaveLength(3)
    expect(JSON.stringify(events)).not.toContain('planted-secret')
    expect(events[0]?.payload).toMatchObject({after: {service: 'talker', exitCode: expect.any(Number)}})
    await daemon.call('DELETE', `/api/projects/${projectId}`)
  }, 60_000)
})
