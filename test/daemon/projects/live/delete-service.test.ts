import {describe, expect, it, onTestFinished} from 'vitest'
import {dockerHostsMissing, startDockerHosts} from '../../../lab/docker-hosts.js'
import {sharedPart} from '../../../lab/shared-part.js'
import {engineOver} from '../../servers/engine/engine-fixture.js'
import {startLiveDaemon, type LiveDaemon} from './live-lab.js'

const keep = {name: 'keep', image: 'lab/base:1', commandArgv: ['sleep', '600'], restart: 'always'}
const extra = {name: 'extra', image: 'lab/base:1', commandArgv: ['sleep', '601'], volumes: ['extra-data:/data'], restart: 'always'}

describe.skipIf(dockerHostsMissing() !== null)('deleting a service that runs', () => {
  const lab = sharedPart(() => startDockerHosts(1))
  const host = sharedPart(() => lab.host(1))
  const reached = sharedPart(() => engineOver({lab, host, user: host.users.root}))

  const lines = (text: string) => text.trim().split('\n').filter((line) => line !== '')
  const containers = async (slug: string) => Object.fromEntries(lines(await host.docker('ps', '--all', '--no-trunc', '--filter', `label=com.docker.compose.project=moorage-${slug}`, '--format', '{{.Label "com.docker.compose.service"}} {{.ID}}')).map((line) => line.split(' ')))
  const described = async (daemon: LiveDaemon, projectId: string) => (await daemon.call('GET', `/api/projects/${projectId}/services`)).body.services.map(({name}: {name: string}) => name)

  it('takes its container away, and neither a start nor a restore brings it back', async () => {
    const daemon = await startLiveDaemon(reached)
    const {projectId} = await daemon.deploy('Shrinks', [keep, extra])
    const before = await containers('shrinks')
    expect((await daemon.call('DELETE', `/api/projects/${projectId}/services/extra`)).body).toEqual({success: true})
    expect(await containers('shrinks')).toEqual({keep: before['keep']})
    expect(await described(daemon, projectId)).toEqual(['keep'])
    expect(lines(await host.docker('volume', 'ls', '--quiet', '--filter', 'name=moorage-shrinks'))).toEqual(['moorage-shrinks-extra-data'])
    expect(await host.run('cat /srv/moorage/shrinks/compose.yml')).not.toContain('extra:')
    expect((await daemon.call('POST', `/api/projects/${projectId}/disable`)).status).toBe(200)
    expect((await daemon.call('POST', `/api/projects/${projectId}/enable`)).status).toBe(200)
    expect(await containers('shrinks')).toEqual({keep: before['keep']})
    await daemon.call('PATCH', `/api/projects/${projectId}/services/keep`, {commandArgv: ['no-such-program']})
    await expect(daemon.redeploy(projectId)).rejects.toThrow(/failed/)
    expect(Object.keys(await containers('shrinks'))).toEqual(['keep'])
    await daemon.call('DELETE', `/api/projects/${projectId}?wipeVolumes=true`)
  }, 90_000)

  it('takes its volumes along only where asked, and never one that another service mounts', async () => {
    const daemon = await startLiveDaemon(reached)
    const shared = 'shared:/shared'
    const {projectId} = await daemon.deploy('Wipes', [{...keep, volumes: [shared, 'kept:/kept']}, {...extra, volumes: [shared, 'extra-data:/data']}])
    const volumes = async () => lines(await host.docker('volume', 'ls', '--quiet', '--filter', 'name=moorage-wipes')).sort()
    expect(await volumes()).toEqual(['moorage-wipes-extra-data', 'moorage-wipes-kept', 'moorage-wipes-shared'])
    expect((await daemon.call('DELETE', `/api/projects/${projectId}/services/extra?wipeVolumes=true`)).body).toEqual({success: true})
    expect(await volumes()).toEqual(['moorage-wipes-kept', 'moorage-wipes-shared'])
    expect(Object.keys(await containers('wipes'))).toEqual(['keep'])
    expect((await daemon.call('DELETE', `/api/projects/${projectId}/services/keep`)).body).toEqual({success: true})
    expect(await volumes()).toEqual(['moorage-wipes-kept', 'moorage-wipes-shared'])
    await daemon.call('DELETE', `/api/projects/${projectId}?wipeVolumes=true`)
  }, 90_000)

  it('takes the project off its server with the last of its services, until the next deployment', async () => {
    const daemon = await startLiveDaemon(reached)
    const {projectId} = await daemon.deploy('Lonely', [keep])
    expect((await daemon.call('DELETE', `/api/projects/${projectId}/services/keep`)).body).toEqual({success: true})
    expect(await containers('lonely')).toEqual({})
    expect((await daemon.call('GET', `/api/projects/${projectId}`)).body.data).toMatchObject({activeDeploymentId: null, status: 'new'})
    expect((await daemon.call('POST', `/api/projects/${projectId}/enable`)).body.code).toBe('NOTHING_DEPLOYED')
    await daemon.call('POST', `/api/projects/${projectId}/services`, keep)
    await daemon.redeploy(projectId)
    expect(Object.keys(await containers('lonely'))).toEqual(['keep'])
    await daemon.call('DELETE', `/api/projects/${projectId}?wipeVolumes=true`)
  }, 90_000)

  it('is refused where another can not be without it, and where its server is away; nothing changes', async () => {
    const daemon = await startLiveDaemon(reached)
    const {projectId} = await daemon.deploy('Bound', [{...keep, dependsOn: ['extra']}, extra])
    const before = [await containers('bound'), await host.run('cat /srv/moorage/bound/compose.yml')]
    const dependent = await daemon.call('DELETE', `/api/projects/${projectId}/services/extra`)
    expect([dependent.status, dependent.body]).toMatchObject([409, {code: 'CONFLICT', dependents: ['keep']}])
    await host.sshd.kill()
    onTestFinished(() => host.sshd.start())
    expect((await daemon.call('DELETE', `/api/projects/${projectId}/services/keep`)).body.code).toBe('SERVER_UNREACHABLE')
    await host.sshd.start()
    expect([await containers('bound'), await host.run('cat /srv/moorage/bound/compose.yml')]).toEqual(before)
    expect(await described(daemon, projectId)).toEqual(['keep', 'extra'])
    await daemon.call('DELETE', `/api/projects/${projectId}?wipeVolumes=true`)
  }, 90_000)
})
