import {readFile, rm, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {expect, onTestFinished} from 'vitest'
import type {DockerHosts} from '../../../lab/docker-hosts.js'
import type {GitRepository} from '../../../lab/git-repository.js'
import type {GitServers} from '../../../lab/git-server.js'
import {startHeldPort} from '../../../lab/held-port.js'
import {untilTrue} from '../../../lab/lab-processes.js'
import {startRegistry} from '../../../lab/registry.js'
import {untilServes} from '../../../lab/web-page.js'
import {temporaryFolder, type TestDaemon} from '../../start-test-daemon.js'
import type {DeployLab, LabProject} from './deploy-lab.js'
import {heldNote} from './hold-after-up.js'

/** All that a deployment goes through; the last one is between its services being up and the release being live. */
export const everyStep = ['prepare', 'clone', 'install', 'build', 'deploy', 'after-up'] as const
export type Step = (typeof everyStep)[number]

/** A project that takes every step when it is deployed, and can be kept in each. */
export interface StepShop {
  readonly project: LabProject
  readonly url: string
  /** Commits another page. */
  turnTo(page: string): Promise<void>
  /** Asks for a deployment; answers its id when it is in the step and stays there for a while. */
  heldIn(lab: DeployLab<Pick<TestDaemon, 'call'>>, step: Step): Promise<string>
  /** Lets it go on. */
  letGo(): Promise<void>
  serves(page: string): Promise<void>
  /** Breaks off whoever talks to the repository. */
  dropGit(): void
}

export interface StepShopParts {
  readonly hosts: DockerHosts
  readonly git: GitServers
  readonly lab: DeployLab<Pick<TestDaemon, 'call'>>
  readonly name: string
  readonly port: number
  /** While it is there, `holdAfterUp` keeps the deployment. */
  readonly gate: string
}

// Building and starting take a while by themselves, so that they can be met in the middle.
const dockerfile = (page: string) => `FROM lab/base:1\nRUN sleep 1; echo ${page} >/www/index.html\nCMD ["sh", "-c", "sleep 1; exec httpd -f -p 80 -h /www"]\nSTOPSIGNAL SIGKILL\n`
const healthcheck = {test: ['CMD', 'wget', '-q', '-O', '/dev/null', 'http://127.0.0.1/'], interval: '1s', retries: 30}

/** The first release of it serves the page `0`. */
export async function openStepShop({hosts, git, lab, name, port, gate}: StepShopParts): Promise<StepShop> {
  const registry = await startRegistry({address: hosts.gateway})
  onTestFinished(() => registry.stop())
  const image = await registry.add(name, '1', [{'bin/busybox': await readFile('/bin/busybox')}])
  const compose = JSON.stringify({services: {
    web: {build: '.', ports: [`${port}:80`], healthcheck, restart: 'always'},
    side: {image, command: ['/bin/busybox', 'sleep', '1000'], stop_signal: 'SIGKILL', restart: 'always'},
  }})
  const repository: GitRepository = await git.repository(name, [{message: 'page 0', files: {'compose.yml': compose, Dockerfile: dockerfile('0')}}])
  const direct = new URL(git.httpUrl(name))
  const gitPort = await startHeldPort(Number(direct.port))
  onTestFinished(() => gitPort.close())
  direct.port = String(gitPort.port)
  const project = await lab.project({name, gitUrl: direct.href, gitBranch: 'main'})
  const url = `http://${lab.host.address}:${port}/`
  const first = await lab.deploy(project.id)
  expect(first.status, await lab.log(first.id)).toBe('ready')

  const hold: Partial<Record<Step, () => Promise<unknown> | void>> = {
    prepare: () => lab.host.pauseDockerd(), clone: () => gitPort.hold(), install: () => registry.hold(true), 'after-up': () => writeFile(gate, ''),
  }
  return {
    project, url,
    async turnTo(page) {
      await repository.commit({message: `page ${page}`, files: {Dockerfile: dockerfile(page)}})
    },
    async heldIn(asking, step) {
      await hold[step]?.()
      const asked = registry.asked.length
      const id = await asking.ask(project.id)
      const statusOfStep = async (): Promise<string> => (await asking.daemon.call('GET', `/api/deployments/${id}`)).body.data.steps.find((one: {step: string}) => one.step === step).status
      const isRunning = async () => (await statusOfStep()) === 'running'
      const isThere = {
        // Where the engine is known already, it is asked for the first time a little later.
        prepare: async () => (await statusOfStep()) !== 'pending',
        build: isRunning,
        deploy: isRunning,
        clone: async () => gitPort.heldCount() > 0,
        install: async () => registry.asked.length > asked,
        'after-up': async () => (await asking.log(id)).includes(heldNote),
      }
      await untilTrue(isThere[step], {what: `step ${step}`, withinMs: 60_000}).catch(async (error: unknown) => {
        throw new Error(`${String(error)}\n${await asking.log(id)}`)
      })
      return id
    },
    async letGo() {
      await lab.host.resumeDockerd()
      gitPort.free()
      registry.hold(false)
      await rm(gate, {force: true})
    },
    serves: (page) => untilServes(url, page),
    dropGit: () => gitPort.drop(),
  }
}

export async function newGate(): Promise<string> {
  return join(await temporaryFolder(), 'gate')
}
