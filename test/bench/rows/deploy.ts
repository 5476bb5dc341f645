import {mkdir, writeFile} from 'node:fs/promises'
import path from 'node:path'
import {dockerHostsMissing, startDockerHosts, type DockerHosts} from '../../lab/docker-hosts.js'
import {byTurns, type Measurement, type Row} from '../measure.js'
import {inFolder, serve, timeProgram, type Served} from '../processes.js'

const rounds = 9
const row = 'deploy to live over SSH, image unchanged, to docker-compose up -d on the same host'

export const deploy: Row = {
  name: 'deploy',
  async measure() {
    const missing = dockerHostsMissing()
    if (missing !== null) return [{row, missing}]
    const lab = await startDockerHosts(1)
    try {
      return [await inFolder(async (folder) => {
        const daemon = await serve(path.join(folder, 'home'))
        try {
          return await compare(lab, daemon, folder)
        } finally {
          await daemon.stop()
        }
      })]
    } finally {
      await lab.stop()
    }
  },
}

/** The same service twice on one host. A variable changes with each round, so that both make its container anew; neither is timed while the other works. */
async function compare(lab: DockerHosts, daemon: Served, folder: string): Promise<Measurement> {
  let round = 0
  const write = async (name: string) => {
    await mkdir(path.join(folder, name), {recursive: true})
    await writeFile(path.join(folder, name, 'compose.yml'), JSON.stringify({version: '3.8', services: {web: {image: 'lab/web:1', environment: {VERSION: String(round++)}}}}))
  }
  const projectId = await project(lab, daemon, path.join(folder, 'ours'))
  const ours = async () => {
    await write('ours')
    return deployOnce(daemon, projectId)
  }
  const peer = async () => {
    await write('peer')
    return timeProgram('docker-compose', ['-p', 'peer', '-f', path.join(folder, 'peer', 'compose.yml'), 'up', '-d'], {...process.env, DOCKER_HOST: lab.host(1).dockerHost})
  }
  // The first of each makes the network, too.
  await ours()
  await peer()
  const times = await byTurns(rounds, {ours, peer})
  return {row, ...times, unit: 'ms', figure: times.ours / times.peer, required: {atMost: 1.3}, note: 'one service that listens; its container made anew in both'}
}

/** From the request to the end of its stream, which is told once the release is live. */
async function deployOnce(daemon: Served, projectId: string): Promise<number> {
  const start = performance.now()
  const {data} = await call(daemon, 'POST', '/api/deployments', {projectId})
  const stream = await fetch(`${daemon.url}/api/deployments/${data.deployment_id}/stream`, {headers: {authorization: `Bearer ${daemon.token}`}})
  const text = await stream.text()
  const elapsed = performance.now() - start
  if (!text.includes('"status":"ready"')) throw new Error(`the deployment was not live: ${text.slice(-500)}`)
  return elapsed
}

async function project({key, host}: DockerHosts, daemon: Served, localPath: string): Promise<string> {
  const {name, address, sshd, users} = host(1)
  const server = await call(daemon, 'POST', '/api/system/servers', {name, sshHost: address, sshPort: sshd.port, sshUser: users.root.name, sshAuthMethod: 'key', sshPrivateKey: key})
  return (await call(daemon, 'POST', '/api/projects', {name: 'Ours', localPath, serverId: server.id})).data.id
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a measurement reads answers freely and fails where they are not as it says
async function call(daemon: Served, method: string, route: string, body: unknown): Promise<any> {
  const response = await fetch(daemon.url + route, {method, body: JSON.stringify(body), headers: {'content-type': 'application/json', authorization: `Bearer ${daemon.token}`}})
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${route} answered ${response.status}: ${text}`)
  return JSON.parse(text)
}
