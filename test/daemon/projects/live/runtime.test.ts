import {describe, expect, it, onTestFinished} from 'vitest'
import {Events} from '../../../../daemon/events/records.js'
import {Deployments, Releases} from '../../../../daemon/projects/deployments/records.js'
import {ServicesWatch} from '../../../../daemon/projects/health-watch.js'
import {EnvVars, Projects, Services} from '../../../../daemon/projects/records.js'
import {dockerHostsMissing, startDockerHosts} from '../../../lab/docker-hosts.js'
import {sharedPart} from '../../../lab/shared-part.js'
import {engineOver} from '../../servers/engine/engine-fixture.js'
import {recordingLog} from '../../store/store-fixture.js'
import {startLiveDaemon, type LiveDaemon} from './live-lab.js'

describe.skipIf(dockerHostsMissing() !== null)('projects on their server', () => {
  const lab = sharedPart(() => startDockerHosts(1))
  const reached = sharedPart(() => engineOver({lab, host: lab.host(1), user: lab.host(1).users.root}))

  const web = {name: 'web', image: 'lab/healthy:1', volumes: ['kept:/kept'], restart: 'always'}
  const ours = async (kind: 'ps' | 'volume' | 'network', name: string) =>
    (await lab.host(1).docker(...(kind === 'ps' ? ['ps', '-aq'] : [kind, 'ls', '-q']), '--filter', `label=com.docker.compose.project=moorage-${name}`)).trim().split('\n').filter(Boolean).length
  const count = async (daemon: LiveDaemon) => {
    let rows = 0
    for (const collection of [Projects, Services, EnvVars, Deployments, Releases] as const) for await (const _ of daemon.store.all(collection as typeof Projects)) rows += 1
    return rows
  }

  it('are previewed and deleted: everything but the volumes goes, the row last', async () => {
    const daemon = await startLiveDaemon(reached)
    const {projectId} = await daemon.deploy('Gone', [web])
    await daemon.call('PATCH', `/api/projects/${projectId}/env`, {environment: 'production', upserts: [{key: 'A', value: 'b'}], deletes: []})
    const {data} = (await daemon.call('GET', `/api/projects/${projectId}/deletion-preview`)).body
    expect(data).toMatchObject({reachable: true, kept: [{kind: 'volume', name: 'moorage-gone-kept'}], activeDeploymentIds: []})
    expect(data.removed.map(({kind}: {kind: string}) => kind).sort()).toEqual(['container', 'file', 'image', 'network'])
    const {body} = await daemon.call('DELETE', `/api/projects/${projectId}`)
    expect(body).toMatchObject({ok: true, orphaned: [], steps: [{step: 'claim_lock', status: 'ok'}, {step: 'load_project', status: 'ok'}, {step: 'cancel_in_flight', status: 'skipped'}, {step: 'runtime_cleanup', status: 'ok'}, {step: 'unlink_consumers'}, {step: 'delete_db_row', status: 'ok'}]})
    expect([await ours('ps', 'gone'), await ours('network', 'gone'), await ours('volume', 'gone'), await count(daemon)]).toEqual([0, 0, 1, 0])
    expect(await lab.host(1).run('ls /srv/moorage')).not.toContain('gone')
    await lab.host(1).docker('volume', 'rm', 'moorage-gone-kept')
  }, 60_000)

  it('leave what services keep in folders of the project, unless that goes with the volumes', async () => {
    const daemon = await startLiveDaemon(reached)
    const rows = {name: 'rows', image: 'lab/base:1', volumes: ['./store:/store'], commandArgv: ['sh', '-c', 'echo kept >/store/row; exec sleep 600']}
    const {projectId} = await daemon.deploy('Rows', [rows])
    const place = '/srv/moorage/rows/data'
    const preview = async (query = '') => (await daemon.call('GET', `/api/projects/${projectId}/deletion-preview${query}`)).body.data.kept
    expect([await preview(), await preview('?wipeVolumes=true')]).toEqual([[{kind: 'file', name: place, service: null}], []])
    await daemon.call('DELETE', `/api/projects/${projectId}`)
    expect([await lab.host(1).run('ls -A /srv/moorage/rows'), await lab.host(1).run(`cat ${place}/store/row`)]).toEqual(['data\n', 'kept\n'])
    const again = await daemon.deploy('Rows', [rows])
    await daemon.call('DELETE', `/api/projects/${again.projectId}?wipeVolumes=true`)
    expect(await lab.host(1).run('ls /srv/moorage')).not.toContain('rows')
  }, 60_000)

  it('leave no volume where that is asked, and everything with recordOnly', async () => {
    const daemon = await startLiveDaemon(reached)
    const {projectId} = await daemon.deploy('Kept', [web])
    expect((await daemon.call('DELETE', `/api/projects/${projectId}?recordOnly=true`)).body.ok).toBe(true)
    expect([await ours('ps', 'kept'), await count(daemon)]).toEqual([1, 0])
    await lab.host(1).run('cd /srv/moorage/kept && docker-compose -p moorage-kept -f compose.yml down --volumes --timeout 1')
    const wiped = await daemon.deploy('Wiped', [web])
    await daemon.call('DELETE', `/api/projects/${wiped.projectId}?wipeVolumes=true`)
    expect(await ours('volume', 'wiped')).toBe(0)
  }, 60_000)

  it('stay where their server hangs, in bounded time, unless they may be orphaned', async () => {
    let hangs = false
    const hang = ({signal}: {signal: AbortSignal}) => new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))
    const daemon = await startLiveDaemon(reached, {limits: {cancelMs: 500, cleanupMs: 500}, engine: (real) => ({...real, facts: (options) => (hangs ? hang(options) : real.facts(options))})})
    const {projectId} = await daemon.deploy('Hung', [web])
    hangs = true
    const refused = await daemon.call('DELETE', `/api/projects/${projectId}`)
    expect([refused.status, refused.body]).toMatchObject([409, {code: 'PROJECT_TEARDOWN_FAILED', canForceOrphan: true}])
    expect((await daemon.call('GET', `/api/projects/${projectId}`)).body.data.deletionInProgress).toBe(false)
    const {body} = await daemon.call('DELETE', `/api/projects/${projectId}?forceOrphan=true`)
    expect(body).toMatchObject({ok: true, orphaned: [expect.stringContaining('moorage-hung')]})
    await lab.host(1).run('cd /srv/moorage/hung && docker-compose -p moorage-hung -f compose.yml down --volumes --timeout 1')
  }, 60_000)

  it('stop and start as a whole', async () => {
    const daemon = await startLiveDaemon(reached)
    const {projectId} = await daemon.deploy('Whole', [web])
    expect((await daemon.call('POST', `/api/projects/${projectId}/disable`)).body.success).toBe(true)
    expect((await daemon.call('GET', `/api/projects/${projectId}`)).body.data).toMatchObject({status: 'disabled', enabled: false})
    expect((await daemon.call('GET', `/api/projects/${projectId}/services/containers`)).body.containers).toMatchObject([{status: 'exited'}])
    expect((await daemon.call('POST', `/api/projects/${projectId}/enable`)).body.success).toBe(true)
    expect((await daemon.call('GET', `/api/projects/${projectId}/services/containers`)).body.containers).toMatchObject([{status: 'running'}])
    const acts = []
    for await (const {type, actor, payload} of daemon.store.all(Events)) if (type === 'project.updated') acts.push({userId: actor.userId, after: payload['after']})
    const person = expect.stringMatching(/^usr_/)
    expect(acts).toEqual(expect.arrayContaining([{userId: person, after: {enabled: false}}, {userId: person, after: {enabled: true}}]))
    await daemon.call('DELETE', `/api/projects/${projectId}?wipeVolumes=true`)
  }, 60_000)

  it('alarm once when a service fails, not again after a restart of the watch, and tell when it is well again', async () => {
    const daemon = await startLiveDaemon(reached)
    const check = {test: ['CMD-SHELL', 'test -f /tmp/ok'], interval: '1s', retries: 2, timeout: '5s'}
    const {projectId} = await daemon.deploy('Watched', [{name: 'job', image: 'lab/base:1', commandArgv: ['sh', '-c', 'touch /tmp/ok; exec sleep 600'], advanced: {healthcheck: check}}])
    const watch = async () => {
      const started = new ServicesWatch({...daemon.parts, log: recordingLog(), waits: {lookMs: 50, steadyMs: 500}})
      onTestFinished(() => started.stop())
      started.start()
      return started
    }
    const told = async () => {
      const found: string[] = []
      for await (const {type} of daemon.store.all(Events)) if (type === 'service.unhealthy' || type === 'service.recovered') found.push(type)
      return found.sort()
    }
    const until = (wanted: number) => new Promise<void>((resolve) => {
      const look = () => void told().then((types) => {
        if (types.length < wanted) return
        stop()
        resolve()
      })
      const stop = daemon.store.onCommit(look)
      look()
    })
    const exec = (command: string) => daemon.call('POST', `/api/projects/${projectId}/services/job/exec`, {command})
    const first = await watch()
    await exec('rm /tmp/ok')
    await until(1)
    await first.stop()
    await watch()
    await exec('touch /tmp/ok')
    await until(2)
    expect(await told()).toEqual(['service.recovered', 'service.unhealthy'])
    await daemon.call('POST', `/api/projects/${projectId}/services/job/stop`)
    await daemon.call('DELETE', `/api/projects/${projectId}`)
    expect(await told()).toHaveLength(2)
  }, 60_000)
})
