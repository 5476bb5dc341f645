import {readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {beforeAll, describe, expect, it, onTestFinished} from 'vitest'
import {deployLab} from '../daemon/projects/deployments/deploy-lab.js'
import {dockerHostsMissing, startDockerHosts} from '../lab/docker-hosts.js'
import type {DockerHost} from '../lab/docker-host.js'
import {untilTrue} from '../lab/lab-processes.js'
import {startRegistry} from '../lab/registry.js'
import {sharedPart} from '../lab/shared-part.js'
import {untilServes} from '../lab/web-page.js'

const web = (version: string, more: object = {}) => ({image: 'lab/web:1', environment: {VERSION: version}, ports: ['8170:80'], ...more})
const dataRoot = '/var/lib/docker'

/** Fills a file system of the host until so much is left. */
async function fill(host: DockerHost, folder: string, leftKilobytes: number): Promise<void> {
  await host.run(`dd if=/dev/zero of=${folder}/ballast bs=1024 count=$(( $(df -Pk ${folder} | tail -n 1 | awk '{print $4}') - ${leftKilobytes} )) 2>/dev/null`)
}

describe.skipIf(dockerHostsMissing() !== null)('a server whose disk is full', {timeout: 120_000}, () => {
  const hosts = sharedPart(() => startDockerHosts(1))
  const host = sharedPart(() => hosts.host(1))
  beforeAll(async () => {
    await host.stopDockerd()
    await host.run(`mount -t tmpfs -o size=260m tmpfs ${dataRoot}`)
    await host.startDockerd()
    await host.docker('load', '--input', join(hosts.folder, 'images.tar'))
  })

  const serves = (version: string) => untilServes(`http://${host.address}:8170/`, `version ${version}`)

  it('is found before anything begins', async () => {
    const lab = await deployLab(hosts, host)
    const project = await lab.folder('Full before', {web: web('1')})
    await lab.deploy(project.id)
    const before = await lab.containers(project.slug)
    await fill(host, dataRoot, 20_000)
    await project.write({web: web('2')})
    const ended = await lab.deploy(project.id)
    await host.run(`rm ${dataRoot}/ballast`)
    expect(ended, await lab.log(ended.id)).toMatchObject({status: 'failed', endReason: 'disk', restoredDeploymentId: null, errorMessage: expect.stringMatching(/^the disk of the server has only \d+ MB left; nothing was stopped$/)})
    expect(await lab.containers(project.slug)).toEqual(before)
    await serves('1')
    expect((await lab.deploy(project.id)).status).toBe('ready')
  })

  it('as an image is built leaves what is served, and takes the next that is small enough', async () => {
    const lab = await deployLab(hosts, host)
    const project = await lab.folder('Full in build', {web: web('1')})
    const first = await lab.deploy(project.id)
    const before = await lab.containers(project.slug)
    await project.write({web: web('2', {image: undefined, build: '.'})}, {Dockerfile: 'FROM lab/web:1\nRUN dd if=/dev/zero of=/large bs=1048576 count=400\n'})
    const ended = await lab.deploy(project.id)
    expect(ended, await lab.log(ended.id)).toMatchObject({status: 'failed', endReason: 'disk', restoredDeploymentId: null, errorDetails: {service: 'web'}, errorMessage: expect.stringMatching(/^the image of web could not be built: the disk of docker-1 is full/)})
    expect(await lab.containers(project.slug)).toEqual(before)
    await serves('1')
    expect(first.status).toBe('ready')
    await project.write({web: web('2', {image: undefined, build: '.'})}, {Dockerfile: 'FROM lab/web:1\nRUN echo small >/small\n'})
    const last = await lab.deploy(project.id)
    expect(last.status, await lab.log(last.id)).toBe('ready')
    await serves('2')
  })

  it('as the files of a release are written leaves what is served', async () => {
    const lab = await deployLab(hosts, host)
    const project = await lab.folder('Full in files', {web: web('1')})
    await lab.deploy(project.id)
    const before = await lab.containers(project.slug)
    const folder = `/srv/moorage/${project.slug}/releases`
    await host.run(`mount -t tmpfs -o size=64k tmpfs ${folder} && dd if=/dev/zero of=${folder}/ballast bs=1024 count=64 2>/dev/null; true`)
    await project.write({web: web('2')})
    const ended = await lab.deploy(project.id)
    await host.run(`umount ${folder}`)
    expect(ended, await lab.log(ended.id)).toMatchObject({status: 'failed', endReason: 'disk', restoredDeploymentId: null, errorMessage: expect.stringMatching(/the disk of docker-1 is full/)})
    expect(await lab.containers(project.slug)).toEqual(before)
    await serves('1')
  })

  it('once images are there stops nothing', async () => {
    const lab = await deployLab(hosts, host)
    const registry = await startRegistry({address: hosts.gateway})
    onTestFinished(() => registry.stop())
    const image = await registry.add('late', '1', [{'bin/busybox': await readFile('/bin/busybox')}])
    const late = {image, command: ['/bin/busybox', 'sleep', '1000'], stop_signal: 'SIGKILL'}
    const project = await lab.folder('Full in pull', {web: web('1'), late})
    await lab.deploy(project.id)
    const before = await lab.containers(project.slug)
    await project.write({web: web('2'), late})
    registry.hold(true)
    const asked = registry.asked.length
    const id = await lab.ask(project.id)
    await untilTrue(async () => registry.asked.length > asked, {what: 'the registry to be asked', withinMs: 30_000})
    await fill(host, dataRoot, 500)
    registry.hold(false)
    const ended = await lab.ended(id)
    await host.run(`rm ${dataRoot}/ballast`)
    expect(ended, await lab.log(id)).toMatchObject({status: 'failed', endReason: 'disk', restoredDeploymentId: null, interruptionMs: null, errorMessage: expect.stringMatching(/nothing was stopped$/)})
    expect(await lab.containers(project.slug)).toEqual(before)
    await serves('1')
  })

  it('as services are replaced brings the release before back as soon as there is room', async () => {
    const lab = await deployLab(hosts, host)
    // What it does last is to take all the room there is.
    const script = 'mkdir -p /www; echo "version $$VERSION" >/www/index.html; httpd -p 80 -h /www; trap "dd if=/dev/zero of=/data/fill bs=65536; exit" TERM; while true; do sleep 0.1; done'
    const greedy = (version: string) => ({web: web(version, {image: 'lab/base:1', command: ['sh', '-c', script], stop_signal: 'SIGTERM', volumes: ['data:/data']})})
    const project = await lab.folder('Full in start', greedy('1'))
    const first = await lab.deploy(project.id)
    expect(first.status, await lab.log(first.id)).toBe('ready')
    await project.write(greedy('2'))
    const id = await lab.ask(project.id)
    const show = async () => (await lab.daemon.call('GET', `/api/deployments/${id}`)).body.data
    await untilTrue(async () => (await show()).status === 'reconciling', {what: 'the deployment to wait for room', withinMs: 60_000}).catch(async (error: unknown) => {
      throw new Error(`${String(error)}\n${await lab.log(id)}`)
    })
    expect(await lab.log(id)).toContain('the disk of the server is full; what was served before is brought back when there is room')
    await host.run(`rm ${dataRoot}/volumes/*_data/_data/fill ${dataRoot}/volumes/*data/_data/fill 2>/dev/null; true`)
    expect(await lab.ended(id), await lab.log(id)).toMatchObject({status: 'failed', endReason: 'disk', restoredDeploymentId: first.id, interruptionMs: expect.any(Number), errorMessage: expect.stringMatching(/no space left on device/)})
    await serves('1')
  })
})
