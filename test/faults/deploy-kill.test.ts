import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {temporaryFolder} from '../daemon/start-test-daemon.js'
import {addServer, onServer, type DeployLab, type LabProject} from '../daemon/projects/deployments/deploy-lab.js'
import {dockerHostsMissing, startDockerHosts, type DockerHosts} from '../lab/docker-hosts.js'
import type {GitRepository} from '../lab/git-repository.js'
import {startGitServers, type GitServers} from '../lab/git-server.js'
import {untilServes} from '../lab/web-page.js'
import {bundleDaemon, DaemonProcess, until, type DaemonScript} from './daemon-fixture.js'

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const compose = (port: number) => JSON.stringify({services: {web: {build: '.', ports: [`${port}:80`]}, db: {image: 'lab/base:1', command: ['sleep', '1000'], stop_signal: 'SIGKILL'}}})
const dockerfile = (page: string) => `FROM lab/base:1\nRUN sleep 0.5; echo ${page} >/www/index.html\nCMD ["httpd", "-f", "-p", "80", "-h", "/www"]\nSTOPSIGNAL SIGKILL\n`

describe.skipIf(dockerHostsMissing() !== null)('a daemon that is killed while it deploys', {timeout: 400_000}, () => {
  let hosts: DockerHosts
  let git: GitServers
  let script: DaemonScript
  beforeAll(async () => {
    [hosts, git, script] = await Promise.all([startDockerHosts(1), startGitServers(), bundleDaemon()])
  })
  afterAll(async () => {
    await git?.stop()
    await hosts?.stop()
    await script?.remove()
  })

  interface Shop {
    readonly home: string
    readonly repository: GitRepository
    readonly project: LabProject
    readonly lab: DeployLab<DaemonProcess>
    readonly url: string
  }

  async function openShop(name: string, port: number): Promise<Shop> {
    const home = await temporaryFolder()
    const daemon = await DaemonProcess.start(script, home)
    const lab = onServer(daemon, hosts.host(1), await addServer(daemon, hosts, hosts.host(1)))
    const repository = await git.repository(name, [{message: 'page 0', files: {'compose.yml': compose(port), Dockerfile: dockerfile('0')}}])
    const project = await lab.project({name, gitUrl: git.httpUrl(name), gitBranch: 'main'})
    const first = await lab.deploy(project.id)
    expect(first.status, await lab.log(first.id)).toBe('ready')
    return {home, repository, project, lab, url: `http://${lab.host.address}:${port}/`}
  }

  async function restart(lab: DeployLab<DaemonProcess>, home: string): Promise<DeployLab<DaemonProcess>> {
    await lab.daemon.kill()
    return onServer(await DaemonProcess.start(script, home), lab.host, lab.serverId)
  }

  it.each(['prepare', 'clone', 'build', 'deploy'])('goes on with the deployment when it is killed in the step %s, while the release before is served', async (step) => {
    const shop = await openShop(`kill-${step}`, 8130)
    await shop.repository.commit({message: 'page 1', files: {Dockerfile: dockerfile('1')}})
    const id = await shop.lab.ask(shop.project.id)
    const stepOf = async (name: string) => (await shop.lab.daemon.call('GET', `/api/deployments/${id}`)).body.data.steps.find((one: {step: string}) => one.step === name)?.status
    await until(async () => ['running', 'completed'].includes(await stepOf(step)), `step ${step}`)
    if (step !== 'deploy') await untilServes(shop.url, '0')
    const lab = await restart(shop.lab, shop.home)
    const ended = await lab.ended(id)
    expect(ended, await lab.log(id)).toMatchObject({status: 'ready', version: 2})
    await untilServes(shop.url, '1')
  })

  it('in the middle of ten deployments in a row leaves none going on, and always a release that is served', async () => {
    const shop = await openShop('ten', 8131)
    let lab = shop.lab
    let version = 1
    for (let round = 1; round <= 10; round += 1) {
      await shop.repository.commit({message: `page ${round}`, files: {Dockerfile: dockerfile(String(round))}})
      const id = await lab.ask(shop.project.id)
      // From before its first step to after its last one.
      await pause(Math.random() * 6000)
      lab = await restart(lab, shop.home)
      const ended = await lab.ended(id)
      expect(['ready', 'failed'], `${JSON.stringify(ended)}\n${await lab.log(id)}`).toContain(ended.status)
      if (ended.status === 'ready') version = round
      else expect(ended.endReason).toBe('interrupted')
      await untilServes(shop.url, String(version))
      const {data} = (await lab.daemon.call('GET', `/api/projects/${shop.project.id}`)).body
      const served = await lab.host.run(`docker inspect --format '{{index .Config.Labels "moorage.deployment"}}' ${(await lab.containers(shop.project.slug))['web'] ?? ''}`)
      expect((await lab.daemon.call('GET', `/api/deployments/${data.activeDeploymentId}`)).body.data.status).toBe('ready')
      expect(served.trim()).toBe(data.activeDeploymentId)
    }
    const {data} = (await lab.daemon.call('GET', `/api/deployments?projectId=${shop.project.id}`)).body
    expect(data.filter(({status}: {status: string}) => !['ready', 'failed'].includes(status))).toEqual([])
  })
})
