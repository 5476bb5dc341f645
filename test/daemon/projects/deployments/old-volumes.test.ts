import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {dockerHostsMissing, startDockerHosts, type DockerHosts} from '../../../lab/docker-hosts.js'
import {app, startAppDaemon} from '../../apps/app-fixture.js'
import {addServer, deployLab, onServer} from './deploy-lab.js'

describe.skipIf(dockerHostsMissing() !== null)('volumes that a deleted project left', {timeout: 120_000}, () => {
  let hosts: DockerHosts
  beforeAll(async () => {
    hosts = await startDockerHosts(1)
  }, 90_000)
  afterAll(() => hosts?.stop())

  const command = ['sh', '-c', 'echo run >>/data/runs; exec sleep 600']
  const service = {image: 'lab/base:1', command, volumes: ['data:/data'], stop_signal: 'SIGKILL'}

  it('are used by the next of its name, which says so, or taken away where that is asked', async () => {
    const lab = await deployLab(hosts, hosts.host(1))
    const runs = async () => (await lab.host.docker('run', '--rm', '--volume', 'moorage-left-data:/data', 'lab/base:1', 'cat', '/data/runs')).trim()
    const again = async (wish?: object) => {
      const project = await lab.folder('Left', {web: service})
      const ended = await lab.deploy(project.id, wish)
      const log = await lab.log(ended.id)
      expect(ended.status, log).toBe('ready')
      const found = await runs()
      await lab.daemon.call('DELETE', `/api/projects/${project.id}`)
      return {id: project.id, log, found}
    }
    const first = await again()
    expect([first.found, first.log.includes('is deleted')]).toEqual(['run', false])
    const second = await again()
    expect(second.found).toBe('run\nrun')
    expect(second.log).toContain(`moorage-left-data of ${first.id}, which is deleted, are used with what is in them`)
    const third = await again({oldVolumes: 'wipe'})
    expect(third.found).toBe('run')
    expect(third.log).toContain('volume moorage-left-data is taken away')
  })

  it('keep an app whose secrets are new from starting until somebody decides', async () => {
    const daemon = await startAppDaemon([app('vault', {
      services: [{name: 'web', image: 'lab/base:1', command: command.join(' ').replace(/-c (.*)$/, "-c '$1'"), volumes: ['store:/data'], environment: {PASSWORD: '{{config:PASSWORD}}'}}],
      configFields: [{key: 'PASSWORD', service: 'web', label: 'Password', generate: 'secret', secret: true}],
    })])
    const lab = onServer(daemon, hosts.host(1), await addServer(daemon, hosts, hosts.host(1)))
    const install = async () => {
      const {status, body} = await daemon.call('POST', '/api/apps', {templateId: 'vault', serverId: lab.serverId})
      expect(status, JSON.stringify(body)).toBe(200)
      lab.cleanUp(body.data.projectId)
      return body.data as {projectId: string; slug: string}
    }
    const first = await install()
    const live = await lab.deploy(first.projectId)
    expect(live.status, await lab.log(live.id)).toBe('ready')
    await daemon.call('DELETE', `/api/projects/${first.projectId}`)
    const second = await install()
    const volume = `moorage-${second.slug}-store`
    const refused = await lab.deploy(second.projectId)
    expect(refused, await lab.log(refused.id)).toMatchObject({status: 'action_required', endReason: 'volumes', errorCode: 'OLD_VOLUMES', errorDetails: {volumes: [volume]}})
    expect(refused.errorMessage).toMatch(/nothing was started.*--old-volumes wipe/)
    expect(await lab.containers(second.slug)).toEqual({})
    const used = await lab.deploy(second.projectId, {oldVolumes: 'use'})
    expect(used.status, await lab.log(used.id)).toBe('ready')
    expect((await lab.deploy(second.projectId)).status).toBe('no_changes')
  })
})
