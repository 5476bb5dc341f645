import {mkdir, writeFile} from 'node:fs/promises'
import {dirname, join} from 'node:path'
import {expect, onTestFinished} from 'vitest'
import type {Deployment} from '../../../../src/contract/deployments.js'
import {untilTrue} from '../../../lab/lab-processes.js'
import type {DockerHost} from '../../../lab/docker-host.js'
import type {DockerHosts} from '../../../lab/docker-hosts.js'
import {startTestDaemon, temporaryFolder, type TestDaemon} from '../../start-test-daemon.js'

type Caller = Pick<TestDaemon, 'call'>

export interface DeployLab<D extends Caller = TestDaemon> {
  readonly daemon: D
  readonly host: DockerHost
  readonly serverId: string
  project(wish: object): Promise<LabProject>
  /** Leaves nothing of a project on its host once the test is over. */
  cleanUp(projectId: string): void
  /** A project of a folder of this machine that holds a Compose file, with a volume `data`, and what else is given. */
  folder(name: string, services: object, files?: Readonly<Record<string, string>>): Promise<FolderProject>
  /** Asks, waits for the end, and answers with it. */
  deploy(projectId: string, wish?: object): Promise<Deployment>
  /** Only asks. */
  ask(projectId: string, wish?: object): Promise<string>
  ended(id: string): Promise<Deployment>
  log(id: string): Promise<string>
  /** Ids of the containers of a project by service. */
  containers(slug: string): Promise<Record<string, string>>
}

export interface LabProject {
  readonly id: string
  readonly slug: string
}

export interface FolderProject extends LabProject {
  write(services: object, files?: Readonly<Record<string, string>>): Promise<void>
}

const endedStates = new Set(['ready', 'no_changes', 'failed', 'action_required', 'cancelled', 'partial_failure', 'rejected'])

/** A daemon of its own that knows a Docker host of the lab. */
export async function deployLab(lab: DockerHosts, host: DockerHost, options: Parameters<typeof startTestDaemon>[1] = {}): Promise<DeployLab> {
  const daemon = await startTestDaemon({}, options)
  return onServer(daemon, host, await addServer(daemon, lab, host))
}

/** Makes a Docker host of the lab known to a daemon; answers the id that it has there. */
export async function addServer(daemon: Caller, lab: DockerHosts, host: DockerHost, user = host.users.root): Promise<string> {
  const {status, body} = await daemon.call('POST', '/api/system/servers', {name: host.name, sshHost: host.address, sshPort: host.sshd.port, sshUser: user.name, sshAuthMethod: 'key', sshPrivateKey: lab.key})
  expect(status, JSON.stringify(body)).toBe(201)
  return body.id as string
}

export function onServer<D extends Caller>(daemon: D, host: DockerHost, serverId: string): DeployLab<D> {
  const log = async (id: string): Promise<string> => {
    const {body} = await daemon.call('GET', `/api/deployments/${id}/logs`)
    return body.data.map((entry: {timestamp: string; step?: string; serviceName?: string; message: string}) => `${entry.timestamp.slice(17)} ${entry.step ?? ''} ${entry.serviceName ?? '-'}: ${entry.message}`).join('\n')
  }
  const ended = async (id: string) => {
    let deployment: Deployment | undefined
    await untilTrue(async () => {
      deployment = (await daemon.call('GET', `/api/deployments/${id}`)).body.data
      return deployment !== undefined && endedStates.has(deployment.status)
    }, {what: `deployment ${id} to end`, withinMs: 90_000}).catch(async (error: unknown) => {
      throw new Error(`${String(error)}: ${deployment?.status}\n${await log(id)}`)
    })
    if (deployment === undefined) throw new Error(`deployment ${id} is gone`)
    return deployment
  }
  const ask = async (projectId: string, wish: object = {}) => {
    const {status, body} = await daemon.call('POST', '/api/deployments', {projectId, ...wish})
    expect(status, JSON.stringify(body)).toBe(202)
    return body.data.deployment_id as string
  }
  const cleanUp = (projectId: string) => onTestFinished(async () => {
    const ids = (await host.docker('ps', '--all', '--quiet', '--filter', `label=moorage.project=${projectId}`)).trim().split('\n').filter((id) => id !== '')
    if (ids.length > 0) await host.docker('rm', '--force', '--volumes', ...ids)
    const networks = (await host.docker('network', 'ls', '--quiet', '--filter', `label=moorage.project=${projectId}`)).trim().split('\n').filter((id) => id !== '')
    if (networks.length > 0) await host.docker('network', 'rm', ...networks)
  })
  const project = async (wish: object): Promise<LabProject> => {
    const {status, body} = await daemon.call('POST', '/api/projects', {serverId, ...wish})
    expect(status, JSON.stringify(body)).toBe(201)
    const made = body.data as LabProject
    cleanUp(made.id)
    return made
  }
  return {
    daemon, host, serverId, ask, ended, log, project, cleanUp,
    async folder(name, services, files = {}) {
      const folder = await temporaryFolder()
      const write: FolderProject['write'] = async (changed, more = {}) => {
        for (const [path, text] of Object.entries({...more, 'compose.yml': JSON.stringify({services: changed, volumes: {data: {}}})})) {
          await mkdir(dirname(join(folder, path)), {recursive: true})
          await writeFile(join(folder, path), text)
        }
      }
      await write(services, files)
      return {...(await project({name, localPath: folder})), write}
    },
    async deploy(projectId, wish) {
      return ended(await ask(projectId, wish))
    },
    async containers(slug) {
      const text = await host.docker('ps', '--all', '--no-trunc', '--filter', `label=com.docker.compose.project=moorage-${slug}`, '--format', '{{.Label "com.docker.compose.service"}} {{.ID}}')
      return Object.fromEntries(text.trim().split('\n').filter((line) => line !== '').map((line) => line.split(' ') as [string, string]))
    },
  }
}
