import {describe, expect, it} from 'vitest'
import {deployLab} from '../daemon/projects/deployments/deploy-lab.js'
import {holdAfterUp} from '../daemon/projects/deployments/hold-after-up.js'
import {everyStep, newGate, openStepShop, type Step, type StepShop} from '../daemon/projects/deployments/step-shop.js'
import type {DockerHost} from '../lab/docker-host.js'
import {dockerHostsMissing, startDockerHosts} from '../lab/docker-hosts.js'
import {startGitServers} from '../lab/git-server.js'
import {sharedPart} from '../lab/shared-part.js'

interface Drop {
  readonly steps: readonly Step[]
  /** Where the release that was being started must go live all the same. */
  readonly goesOn: readonly Step[]
  /** What it may end with instead. */
  readonly reasons: readonly string[]
  drop(host: DockerHost, shop: StepShop): Promise<unknown> | void
  restore(host: DockerHost): Promise<unknown>
}

const up: readonly Step[] = ['deploy', 'after-up']
const drops: Readonly<Record<string, Drop>> = {
  'the connection to the server drops': {steps: everyStep, goesOn: ['clone', ...up], reasons: ['unreachable'], drop: (host) => host.sshd.dropConnections(), restore: async () => undefined},
  'the server is away for a while': {steps: ['build', 'deploy'], goesOn: up, reasons: ['unreachable'], drop: (host) => host.sshd.kill(), restore: (host) => host.sshd.start()},
  'the engine is killed': {steps: ['install', 'build', 'deploy'], goesOn: [], reasons: ['unreachable', 'build', 'start'], drop: (host) => host.killDockerd(), restore: (host) => host.startDockerd()},
  'the connection to the repository drops': {steps: ['clone'], goesOn: [], reasons: ['source'], drop: (_host, shop) => shop.dropGit(), restore: async () => undefined},
}

describe.skipIf(dockerHostsMissing() !== null)('a deployment', {timeout: 300_000}, () => {
  const hosts = sharedPart(() => startDockerHosts(1))
  const git = sharedPart(startGitServers)

  it('goes on or says why it ended, in whatever step a connection or the engine is lost, and a release is served', async () => {
    const gate = await newGate()
    const lab = await deployLab(hosts, hosts.host(1), {afterHealthy: holdAfterUp(gate)})
    const shop = await openStepShop({hosts, git, lab, name: 'drops', port: 8150, gate})
    let [served, page] = ['0', 0]
    for (const [what, {steps, goesOn, reasons, drop, restore}] of Object.entries(drops)) {
      for (const step of steps) {
        page += 1
        await shop.turnTo(String(page))
        const id = await shop.heldIn(lab, step)
        await drop(lab.host, shop)
        await shop.letGo()
        await restore(lab.host)
        const ended = await lab.ended(id)
        const told = `${what}, ${step}: ${await lab.log(id)}`
        if (ended.status === 'ready') served = String(page)
        else {
          expect(goesOn, told).not.toContain(step)
          expect(ended, told).toMatchObject({status: 'failed', endReason: expect.toBeOneOf([...reasons]), errorMessage: expect.stringMatching(/\w{3}/)})
        }
        await shop.serves(served)
      }
    }
    await shop.turnTo('last')
    const last = await lab.deploy(shop.project.id)
    expect(last.status, await lab.log(last.id)).toBe('ready')
    await shop.serves('last')
  })
})
