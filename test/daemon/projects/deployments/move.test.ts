import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {dockerHostsMissing, startDockerHosts, type DockerHosts} from '../../../lab/docker-hosts.js'
import {addServer, deployLab, onServer} from './deploy-lab.js'

describe.skipIf(dockerHostsMissing() !== null)('a project that moves to another server', {timeout: 120_000}, () => {
  let hosts: DockerHosts
  beforeAll(async () => {
    hosts = await startDockerHosts(2)
  }, 120_000)
  afterAll(() => hosts?.stop())

  it('leaves neither containers nor images of its releases behind, and its name to others', async () => {
    const lab = await deployLab(hosts, hosts.host(1))
    const there = onServer(lab.daemon, hosts.host(2), await addServer(lab.daemon, hosts, hosts.host(2)))
    const inline = {build: {context: '.', dockerfile_inline: 'FROM lab/base:1\nRUN echo moving >/www/page\n'}, command: ['sleep', '600'], stop_signal: 'SIGKILL'}
    const project = await lab.folder('Moving', {web: inline})
    there.cleanUp(project.id)
    const first = await lab.deploy(project.id)
    expect(first.status, await lab.log(first.id)).toBe('ready')
    await lab.daemon.call('PATCH', `/api/projects/${project.id}`, {serverId: there.serverId, rollbackWindow: 0})
    const second = await lab.deploy(project.id)
    expect(second.status, await lab.log(second.id)).toBe('ready')
    const images = async ({host}: typeof lab) => (await host.docker('image', 'ls', '--format', '{{.Tag}}', 'moorage/moving-web')).trim()
    await expect.poll(() => images(lab), {timeout: 20_000}).toBe('')
    expect([await images(there), await lab.containers('moving')]).toEqual([second.id, {}])
    expect(Object.keys(await there.containers('moving'))).toEqual(['web'])
  })
})
