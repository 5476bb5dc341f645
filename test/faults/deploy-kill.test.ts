import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {temporaryFolder} from '../daemon/start-test-daemon.js'
import {addServer, onServer, type DeployLab} from '../daemon/projects/deployments/deploy-lab.js'
import {everyStep, newGate, openStepShop} from '../daemon/projects/deployments/step-shop.js'
import {dockerHostsMissing, startDockerHosts} from '../lab/docker-hosts.js'
import {startGitServers} from '../lab/git-server.js'
import {watchPage} from '../lab/page-watch.js'
import {sharedPart} from '../lab/shared-part.js'
import {untilServes} from '../lab/web-page.js'
import {bundleDaemon, DaemonProcess, type DaemonScript} from './daemon-fixture.js'

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const compose = (port: number) => JSON.stringify({services: {web: {build: '.', ports: [`${port}:80`]}, db: {image: 'lab/base:1', command: ['sleep', '1000'], stop_signal: 'SIGKILL'}}})
const dockerfile = (page: string) => `FROM lab/base:1\nRUN sleep 0.3; echo ${page} >/www/index.html\nCMD ["httpd", "-f", "-p", "80", "-h", "/www"]\nSTOPSIGNAL SIGKILL\n`
const rounds = 10
/** What a switch may take on a busy machine with a start of the daemon in the middle of it. */
const longestGapMs = 20_000

describe.skipIf(dockerHostsMissing() !== null)('a daemon that is killed while it deploys', {timeout: 300_000}, () => {
  const hosts = sharedPart(() => startDockerHosts(1))
  const git = sharedPart(startGitServers)
  let script: DaemonScript
  beforeAll(async () => {
    script = await bundleDaemon()
  })
  afterAll(() => script?.remove())

  interface KillableLab {
    lab: DeployLab<DaemonProcess>
    restart(): Promise<void>
  }

  async function openLab(variables: Readonly<Record<string, string>> = {}): Promise<KillableLab> {
    const home = await temporaryFolder()
    const daemon = await DaemonProcess.start(script, home, variables)
    const killable: KillableLab = {
      lab: onServer(daemon, hosts.host(1), await addServer(daemon, hosts, hosts.host(1))),
      async restart() {
        const {lab} = killable
        await lab.daemon.kill()
        killable.lab = onServer(await DaemonProcess.start(script, home, variables), lab.host, lab.serverId)
      },
    }
    return killable
  }

  it('goes on with the deployment in whatever step it is killed, while a release is served', async () => {
    const gate = await newGate()
    const killable = await openLab({MOORAGE_TEST_GATE: gate})
    const shop = await openStepShop({hosts, git, lab: killable.lab, name: 'kill', port: 8130, gate})
    for (const [index, step] of everyStep.entries()) {
      await shop.turnTo(String(index + 1))
      const id = await shop.heldIn(killable.lab, step)
      if (step !== 'deploy') await shop.serves(String(step === 'after-up' ? index + 1 : index))
      await killable.restart()
      await shop.letGo()
      const ended = await killable.lab.ended(id)
      expect(ended, `${step}: ${await killable.lab.log(id)}`).toMatchObject({status: 'ready', version: index + 2})
      await shop.serves(String(index + 1))
    }
  })

  it('in the middle of ten deployments in a row leaves none going on, and always a release that is served', async () => {
    const killable = await openLab()
    const repository = await git.repository('ten', [{message: 'page 0', files: {'compose.yml': compose(8131), Dockerfile: dockerfile('0')}}])
    const project = await killable.lab.project({name: 'ten', gitUrl: git.httpUrl('ten'), gitBranch: 'main'})
    const url = `http://${killable.lab.host.address}:8131/`
    expect((await killable.lab.deploy(project.id)).status).toBe('ready')
    await repository.commit({message: 'page 00', files: {Dockerfile: dockerfile('00')}})
    const {durationMs} = await killable.lab.deploy(project.id)
    await untilServes(url, '00')
    const watch = watchPage(url)
    const pages = ['00']
    for (let round = 1; round <= rounds; round += 1) {
      await repository.commit({message: `page ${round}`, files: {Dockerfile: dockerfile(String(round))}})
      const id = await killable.lab.ask(project.id)
      // One kill in each tenth of what it takes, a little of what follows included.
      await pause(((round - Math.random()) / rounds) * 1.1 * (durationMs ?? 0))
      await killable.restart()
      const {lab} = killable
      const ended = await lab.ended(id)
      expect(ended, await lab.log(id)).toMatchObject({status: 'ready'})
      pages.push(String(round))
      await untilServes(url, String(round))
      const {data} = (await lab.daemon.call('GET', `/api/projects/${project.id}`)).body
      const served = await lab.host.run(`docker inspect --format '{{index .Config.Labels "moorage.deployment"}}' ${(await lab.containers(project.slug))['web'] ?? ''}`)
      expect([data.activeDeploymentId, served.trim()]).toEqual([id, id])
    }
    const seen = await watch.stop()
    process.stdout.write(`ten deployments with a kill in each: ${seen.answers} answers, the longest time without one was ${seen.longestGapMs} ms\n`)
    expect(seen.longestGapMs).toBeLessThan(longestGapMs)
    expect(seen.texts).toEqual(pages)
    const {data} = (await killable.lab.daemon.call('GET', `/api/deployments?projectId=${project.id}`)).body
    expect(data.map(({status}: {status: string}) => status)).toEqual(Array.from({length: rounds + 2}, () => 'ready'))
  })
})
