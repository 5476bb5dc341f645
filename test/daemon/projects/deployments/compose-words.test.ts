import {describe, expect, it} from 'vitest'
import {dockerHostsMissing, startDockerHosts} from '../../../lab/docker-hosts.js'
import {sharedPart} from '../../../lab/shared-part.js'
import {deployLab} from './deploy-lab.js'

describe.skipIf(dockerHostsMissing() !== null)('what a Compose file says', () => {
  const lab = sharedPart(() => startDockerHosts(1))

  it('clears the command of an image with an empty list, and says where that is not possible', async () => {
    const host = lab.host(1)
    await host.buildImage({name: 'lab/entry:1', dockerfile: 'FROM lab/base:1\nENTRYPOINT ["sh", "-c", "echo $# words; exec sleep 600", "sh"]\nCMD ["one", "two"]\n'})
    const shop = await deployLab(lab, host)
    const entry = {image: 'lab/entry:1', pull_policy: 'never'}
    const services = {usual: entry, cleared: {...entry, command: []}, plain: {image: 'lab/web:1', pull_policy: 'never', command: []}}
    const project = await shop.folder('Words', services)
    const deployment = await shop.deploy(project.id)
    expect(deployment, deployment.errorMessage ?? '').toMatchObject({status: 'ready'})
    const containers = await shop.containers(project.slug)
    const said = (name: string) => host.docker('logs', containers[name] ?? '')
    await expect.poll(() => said('usual')).toBe('2 words\n')
    await expect.poll(() => said('cleared')).toBe('0 words\n')
    expect(await shop.log(deployment.id)).toContain('command: [] of plain changes nothing')
    expect(await shop.deploy(project.id)).toMatchObject({status: 'no_changes'})
  }, 60_000)

  it('stops a deployment that the Compose of the server would not understand, before anything is touched', async () => {
    const host = lab.host(1)
    const shop = await deployLab(lab, host)
    const web = {image: 'lab/web:1', pull_policy: 'never'}
    const project = await shop.folder('Newer', {web})
    expect(await shop.deploy(project.id)).toMatchObject({status: 'ready'})
    const before = await shop.containers(project.slug)
    await project.write({web: {...web, uts: 'host'}})
    const refused = await shop.deploy(project.id)
    expect(refused).toMatchObject({status: 'failed', endReason: 'source', errorCode: 'COMPOSE_INVALID', errorDetails: {problems: [{service: 'web', key: 'uts'}]}})
    expect(refused.errorMessage).toMatch(/docker-compose 1\.29\.2 of the server does not know uts of web/)
    expect(await shop.containers(project.slug)).toEqual(before)
  }, 60_000)
})
