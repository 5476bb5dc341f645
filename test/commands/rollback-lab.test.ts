import {mkdir, writeFile} from 'node:fs/promises'
import path from 'node:path'
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {addServer, onServer} from '../daemon/projects/deployments/deploy-lab.js'
import {startTestDaemon, temporaryFolder} from '../daemon/start-test-daemon.js'
import {dockerHostsMissing, startDockerHosts, type DockerHosts} from '../lab/docker-hosts.js'
import {runCommand} from './run-command.js'

const dockerfile = (word: string) => `FROM lab/web:1\nENV VERSION=${word}\n`

describe.skipIf(dockerHostsMissing() !== null)('a release whose built image is gone from the server', {timeout: 120_000}, () => {
  let hosts: DockerHosts
  beforeAll(async () => {
    hosts = await startDockerHosts(1)
  })
  afterAll(() => hosts?.stop())

  async function start() {
    const daemon = await startTestDaemon()
    const host = hosts.host(1)
    const lab = onServer(daemon, host, await addServer(daemon, hosts, host))
    const folder = path.join(await temporaryFolder(), 'gone')
    await mkdir(folder)
    const write = (word: string) => writeFile(path.join(folder, 'Dockerfile'), dockerfile(word))
    const document = async (...argv: string[]) => JSON.parse((await runCommand([...argv, '--json'], daemon)).stdout)
    return {daemon, host, lab, folder, write, document}
  }

  test('is built again from the upload that it was made of', async () => {
    const {host, lab, folder, write, document} = await start()
    const deploy = async (word: string) => {
      await write(word)
      const deployment = await document('deploy', folder, '--project', 'Sent', '--create', '--server', host.name, '--wait')
      lab.cleanUp(deployment.projectId)
      expect(deployment.status, JSON.stringify(deployment)).toBe('ready')
      return deployment
    }
    const [first, second] = [await deploy('one'), await deploy('two')]
    await host.docker('rmi', '--force', first.services[0].imageRef)
    expect(await document('deployments', 'rollback', first.id, '--dry-run')).toMatchObject({mode: 'rebuild', needsRepository: false, rebuildServices: ['app'], reason: expect.stringMatching(/built again from the upload/)})
    const back = await document('deployments', 'rollback', first.id, '--wait')
    expect(back, await lab.log(back.id)).toMatchObject({status: 'ready', version: 1, previousDeploymentId: second.id})
    expect(await host.run(`docker exec ${(await lab.containers('sent'))['app'] ?? ''} sh -c 'echo $VERSION'`)).toBe('one\n')
  })

  test('is refused with what to do where nothing is left to build it from, and what is served stays', async () => {
    const {host, lab, folder, write, document} = await start()
    await write('one')
    const project = await lab.project({name: 'Folder', localPath: folder})
    const first = await lab.deploy(project.id)
    expect(first.status, await lab.log(first.id)).toBe('ready')
    await write('two')
    await lab.deploy(project.id)
    const before = await lab.containers(project.slug)
    await host.docker('rmi', '--force', first.services?.[0]?.imageRef ?? '')
    const words = /images of this release \(app\) are gone from the server.*deploy folder builds/
    expect(await document('deployments', 'rollback', first.id, '--dry-run')).toMatchObject({mode: 'impossible', rebuildServices: ['app'], reason: expect.stringMatching(words)})
    expect((await document('deployments', 'rollback', first.id, '--wait')).error.details.deployment).toMatchObject({status: 'failed', errorCode: 'RELEASE_GONE', errorMessage: expect.stringMatching(words), interruptionMs: null})
    expect(await lab.containers(project.slug)).toEqual(before)
  })
})
