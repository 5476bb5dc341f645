import {describe, expect, it} from 'vitest'
import {dockerHostsMissing, startDockerHosts} from '../../../lab/docker-hosts.js'
import {startGitServers} from '../../../lab/git-server.js'
import {untilTrue} from '../../../lab/lab-processes.js'
import {sharedPart} from '../../../lab/shared-part.js'
import {untilServes} from '../../../lab/web-page.js'
import {deployLab, type DeployLab} from './deploy-lab.js'
import {holdAfterUp} from './hold-after-up.js'
import {everyStep, newGate, openStepShop} from './step-shop.js'

describe.skipIf(dockerHostsMissing() !== null)('a deployment that is cancelled or cut off', {timeout: 180_000}, () => {
  const hosts = sharedPart(() => startDockerHosts(1))
  const git = sharedPart(startGitServers)

  const show = async (lab: DeployLab, id: string) => (await lab.daemon.call('GET', `/api/deployments/${id}`)).body.data
  const untilStep = (lab: DeployLab, id: string, step: string) =>
    untilTrue(async () => (await show(lab, id)).steps.some((one: {step: string; status: string}) => one.step === step && one.status === 'running'), {what: `step ${step}`, withinMs: 60_000})

  it('ends as cancelled within seconds in whatever step it is, with the release before served', async () => {
    const gate = await newGate()
    const lab = await deployLab(hosts, hosts.host(1), {afterHealthy: holdAfterUp(gate)})
    const shop = await openStepShop({hosts, git, lab, name: 'cancel', port: 8140, gate})
    const {activeDeploymentId} = (await lab.daemon.call('GET', `/api/projects/${shop.project.id}`)).body.data
    await shop.turnTo('1')
    for (const step of everyStep) {
      const id = await shop.heldIn(lab, step)
      const behind = await lab.ask(shop.project.id)
      for (const each of [behind, id]) expect((await lab.daemon.call('POST', `/api/deployments/${each}/cancel`)).status, step).toBe(200)
      expect(await show(lab, behind)).toMatchObject({status: 'cancelled', endReason: 'user', startedAt: null})
      const asked = performance.now()
      const ended = await lab.ended(id)
      const ms = performance.now() - asked
      await shop.letGo()
      const isUp = step === 'deploy' || step === 'after-up'
      expect(ended, `${step}: ${await lab.log(id)}`).toMatchObject({status: 'cancelled', endReason: 'user', version: null, restoredDeploymentId: isUp ? activeDeploymentId : null})
      expect(ms, step).toBeLessThan(15_000)
      await shop.serves('0')
      expect((await lab.daemon.call('POST', `/api/deployments/${id}/cancel`)).body.code).toBe('DEPLOYMENT_FINISHED')
    }
    const last = await lab.deploy(shop.project.id)
    expect(last.status, await lab.log(last.id)).toBe('ready')
    await shop.serves('1')
  })

  it('lets the newest of those that waited go on', async () => {
    const lab = await deployLab(hosts, hosts.host(1))
    const project = await lab.folder('Queue', {web: {image: 'lab/web:1', environment: {VERSION: '1'}, ports: ['8140:80']}})
    const [first, second, third] = [await lab.ask(project.id), await lab.ask(project.id), await lab.ask(project.id)]
    expect((await lab.ended(first)).status).toBe('ready')
    expect(await lab.ended(second)).toMatchObject({status: 'cancelled', endReason: 'superseded'})
    expect((await lab.ended(third)).status).toBe('no_changes')
  })

  it('goes on when a connection that broke while services were replaced is there again', async () => {
    const lab = await deployLab(hosts, hosts.host(1))
    const service = (version: string) => ({web: {image: 'lab/healthy:1', environment: {VERSION: version}, ports: ['8140:80']}})
    const project = await lab.folder('Dropped', service('1'))
    await lab.deploy(project.id)
    await project.write(service('2'))
    const id = await lab.ask(project.id)
    await untilStep(lab, id, 'deploy')
    await lab.host.sshd.kill()
    await untilTrue(async () => (await show(lab, id)).status === 'reconciling', {what: 'the deployment to notice', withinMs: 60_000})
    await lab.host.sshd.start()
    expect(await lab.ended(id), await lab.log(id)).toMatchObject({status: 'ready', version: 2})
    await untilServes(`http://${lab.host.address}:8140/`, 'version 2')
  })

  it('is streamed with its log and its end, and again from the last line that was seen', async () => {
    const lab = await deployLab(hosts, hosts.host(1))
    const project = await lab.folder('Stream', {web: {image: 'lab/web:1', ports: ['8140:80']}})
    const {id} = await lab.deploy(project.id)
    const read = async (headers: Record<string, string> = {}) => {
      const response = await fetch(`${lab.daemon.daemon.url}/api/deployments/${id}/stream`, {headers: {authorization: `Bearer ${lab.daemon.token}`, ...headers}})
      return (await response.text()).split('\n\n').flatMap((frame) => {
        const data = /^data: (.*)$/m.exec(frame)?.[1]
        return data === undefined ? [] : [{id: /^id: (.*)$/m.exec(frame)?.[1], data: JSON.parse(data)}]
      })
    }
    const frames = await read()
    expect(frames[0]?.data.type).toBe('snapshot')
    expect(frames.slice(-2).map(({data}) => [data.type, data.status])).toEqual([['complete', 'ready'], ['end', 'ready']])
    const logs = frames.filter(({data}) => data.type === 'log')
    expect(logs.every(({data}) => Buffer.from(data.data, 'base64').toString() === data.message)).toBe(true)
    expect(frames.find(({data}) => data.type === 'service-status')?.data).toMatchObject({serviceName: 'web', status: 'running'})
    const again = await read({'last-event-id': logs.at(-2)?.id ?? ''})
    expect(again.filter(({data}) => data.type === 'log').map(({data}) => data.message)).toEqual([logs.at(-1)?.data.message])
  })
})
