import {afterAll, beforeAll, beforeEach, describe, expect, it} from 'vitest'
import {dockerHostsMissing, startDockerHosts, type DockerHosts} from '../../../lab/docker-hosts.js'
import {untilServes} from '../../../lab/web-page.js'
import {deployLab, type DeployLab, type FolderProject} from './deploy-lab.js'

const web = (version: string) => ({web: {image: 'lab/web:1', environment: {VERSION: version}, ports: ['8140:80']}})

describe.skipIf(dockerHostsMissing() !== null)('rejecting the release that is served', {timeout: 120_000}, () => {
  let hosts: DockerHosts
  let lab: DeployLab
  let project: FolderProject
  beforeAll(async () => {
    hosts = await startDockerHosts(1)
  })
  beforeEach(async () => {
    lab = await deployLab(hosts, hosts.host(1))
    project = await lab.folder('Reject', web('1'))
  })
  afterAll(() => hosts?.stop())

  const release = async (version: string) => {
    await project.write(web(version))
    const deployment = await lab.deploy(project.id)
    expect(deployment.status, await lab.log(deployment.id)).toBe('ready')
    return deployment.id
  }
  const reject = (id: string, body?: object) => lab.daemon.call('POST', `/api/deployments/${id}/reject`, body)
  const show = async (id: string) => (await lab.daemon.call('GET', `/api/deployments/${id}`)).body.data
  const serves = (version: string) => untilServes(`http://${lab.host.address}:8140/`, `version ${version}`)

  it('goes back step by step, past what was rejected, and counts a release as rejected only once the one before is served', async () => {
    const [first, second, third] = [await release('1'), await release('2'), await release('3')]
    const {status, body} = await reject(third, {wait: false})
    expect([status, body]).toMatchObject([200, {restoredDeploymentId: second, deployment_id: expect.any(String)}])
    expect((await show(third)).status).toBe('ready')
    expect(await reject(third)).toMatchObject({status: 409, body: {code: 'CONFLICT'}})
    expect(await lab.ended(body.deployment_id)).toMatchObject({status: 'ready', version: 2, trigger: 'rollback'})
    expect(await show(third)).toMatchObject({status: 'rejected', restoredDeploymentId: second, isActive: false, version: 3, canRollback: true})
    await serves('2')
    const {body: further} = await reject(body.deployment_id)
    expect(further).toMatchObject({success: true, restoredDeploymentId: first})
    expect(await show(body.deployment_id)).toMatchObject({status: 'rejected'})
    await serves('1')
  })

  it('leaves everything as it is where the one before can not come up any more', async () => {
    await project.write({web: {...web('1').web, ports: ['8141:80']}})
    const first = await lab.deploy(project.id)
    const second = await release('2')
    await lab.host.docker('run', '--detach', '--name', 'holds-8141', '--publish', '8141:80', 'lab/web:1')
    try {
      const {status, body} = await reject(second)
      expect([status, body]).toMatchObject([500, {code: 'DEPLOYMENT_FAILED', error: expect.stringMatching(new RegExp(`^${first.id} could not be brought back: .*8141`)), deploymentId: expect.any(String)}])
      expect((await show(body.deploymentId)).status).toBe('action_required')
    } finally {
      await lab.host.docker('rm', '--force', 'holds-8141')
    }
    expect(await show(second)).toMatchObject({status: 'ready', isActive: true})
    await serves('2')
  })
})
