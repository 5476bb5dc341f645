import {describe, expect, it} from 'vitest'
import {dockerHostsMissing, startDockerHosts} from '../../../lab/docker-hosts.js'
import {sharedPart} from '../../../lab/shared-part.js'
import {untilServes} from '../../../lab/web-page.js'
import {deployLab, type DeployLab} from './deploy-lab.js'

const web = (version: string, more: object = {}) => ({image: 'lab/web:1', environment: {VERSION: version}, ports: ['8110:80'], ...more})

describe.skipIf(dockerHostsMissing() !== null)('a release that does not go live', {timeout: 120_000}, () => {
  const hosts = sharedPart(() => startDockerHosts(1))
  let lab: DeployLab

  it('leaves everything untouched where its image can not be built', async () => {
    lab = await deployLab(hosts, hosts.host(1))
    const dockerfile = 'FROM lab/base:1\nCOPY page /www/index.html\nCMD ["httpd", "-f", "-p", "80", "-h", "/www"]\nSTOPSIGNAL SIGKILL\n'
    const project = await lab.folder('Broken build', {web: {build: '.', ports: ['8110:80']}, db: {image: 'lab/base:1', command: ['sleep', '1000']}}, {Dockerfile: dockerfile, page: 'one\n'})
    const first = await lab.deploy(project.id)
    expect(first.status, await lab.log(first.id)).toBe('ready')
    const before = await lab.containers(project.slug)
    await project.write({web: {build: '.', ports: ['8110:80']}, db: {image: 'lab/base:1', command: ['sleep', '2000']}}, {Dockerfile: `${dockerfile}RUN echo no such luck >&2; exit 7\n`})
    const second = await lab.deploy(project.id)
    expect(second).toMatchObject({status: 'failed', endReason: 'build', restoredDeploymentId: null, interruptionMs: null, version: null, errorDetails: {service: 'web'}})
    expect(second.errorMessage).toMatch(/^the image of web could not be built: .*(7|no such luck)/)
    expect(second.services?.find(({serviceName}) => serviceName === 'web')).toMatchObject({status: 'failure', errorMessage: second.errorMessage})
    expect(await lab.containers(project.slug)).toEqual(before)
    await untilServes(`http://${lab.host.address}:8110/`, 'one')
    expect((await lab.daemon.call('GET', `/api/projects/${project.id}`)).body.data).toMatchObject({activeDeploymentId: first.id, activeVersion: 1})
  })

  it('leaves everything untouched where an image does not exist', async () => {
    lab = await deployLab(hosts, hosts.host(1))
    const project = await lab.folder('No image', {web: web('1')})
    await lab.deploy(project.id)
    const before = await lab.containers(project.slug)
    await project.write({web: web('2'), cache: {image: 'lab/nowhere:9'}})
    const second = await lab.deploy(project.id)
    expect(second).toMatchObject({status: 'failed', endReason: 'build', errorDetails: {service: 'cache'}})
    expect(second.errorMessage).toMatch(/lab\/nowhere:9 of cache could not be pulled/)
    expect(await lab.containers(project.slug)).toEqual(before)
  })

  it('names every key of the Compose file that can not be honoured, and begins nothing', async () => {
    lab = await deployLab(hosts, hosts.host(1))
    const project = await lab.folder('Bad keys', {web: web('1', {container_name: 'mine'}), other: web('1', {container_name: 'too', ports: []})})
    const first = await lab.deploy(project.id)
    expect(first).toMatchObject({status: 'failed', endReason: 'source', errorCode: 'COMPOSE_INVALID'})
    expect(first.errorMessage).toMatch(/^compose\.yml:\d+:\d+: container_name can not be honoured.*; compose\.yml:\d+:\d+: container_name can not be honoured/)
    expect(first.errorDetails?.['problems']).toHaveLength(2)
  })

  it.each([
    ['ends at once', {command: ['sh', '-c', 'echo "the port is set wrongly" >&2; exit 3'], restart: 'no'}, 'start', /^web ended with code 3; it said last: the port is set wrongly$/],
    ['ends again and again', {command: ['sh', '-c', 'echo "no database" >&2; exit 1'], restart: 'always'}, 'start', /^web keeps ending with code 1 and being started again; it said last: .*no database/],
    ['never becomes healthy', {healthcheck: {test: ['CMD-SHELL', 'echo "answers nothing"; false'], interval: '1s', retries: 2}}, 'unhealthy', /^web never became healthy; its health check says: answers nothing/],
    ['eats its memory', {command: ['sh', '-c', 'sleep 0.2; x=12345678; while true; do x=$$x$$x; done'], mem_limit: '16m', memswap_limit: '16m', restart: 'no'}, 'start', /^web ran out of memory and was killed: it used more than it may/],
  ] as const)('brings the release before back by itself when a service %s', async (_what, change, endReason, message) => {
    lab = await deployLab(hosts, hosts.host(1))
    const project = await lab.folder(`Broken ${endReason} ${_what}`, {web: web('1'), db: {image: 'lab/base:1', command: ['sleep', '1000']}})
    const first = await lab.deploy(project.id)
    expect(first.status, await lab.log(first.id)).toBe('ready')
    const before = await lab.containers(project.slug)
    await project.write({web: web('2', change), db: {image: 'lab/base:1', command: ['sleep', '1000']}})
    const second = await lab.deploy(project.id)
    expect(second, await lab.log(second.id)).toMatchObject({status: 'failed', endReason, restoredDeploymentId: first.id, previousDeploymentId: first.id, version: null, errorDetails: {service: 'web'}})
    expect(second.errorMessage).toMatch(message)
    expect(second.interruptionMs).toBeGreaterThan(0)
    expect((await lab.containers(project.slug))['db']).toBe(before['db'])
    await untilServes(`http://${lab.host.address}:8110/`, 'version 1')
    const served = await lab.host.run(`docker inspect --format '{{index .Config.Labels "moorage.deployment"}}' ${(await lab.containers(project.slug))['web'] ?? ''}`)
    expect(served.trim()).toBe(first.id)
  })

  it('brings the release before back by itself when the engine refuses to start a container', async () => {
    lab = await deployLab(hosts, hosts.host(1))
    const project = await lab.folder('Refused start', {web: web('1')})
    const first = await lab.deploy(project.id)
    await project.write({web: web('2', {devices: ['/dev/nowhere:/dev/x']})})
    const second = await lab.deploy(project.id)
    expect(second, await lab.log(second.id)).toMatchObject({status: 'failed', endReason: 'start', restoredDeploymentId: first.id, errorMessage: expect.stringMatching(/could not be started: .*\/dev\/nowhere/)})
    await untilServes(`http://${lab.host.address}:8110/`, 'version 1')
  })

  it('takes away what was started where there was nothing before', async () => {
    lab = await deployLab(hosts, hosts.host(1))
    const project = await lab.folder('First broken', {web: web('1', {command: ['false'], restart: 'no'})})
    expect(await lab.deploy(project.id)).toMatchObject({status: 'failed', endReason: 'start', restoredDeploymentId: null})
    expect(await lab.containers(project.slug)).toEqual({})
    expect((await lab.daemon.call('GET', `/api/projects/${project.id}`)).body.data).toMatchObject({activeDeploymentId: null, status: 'new'})
  })

  it('finds a port that is taken before anything stops, and says by whom', async () => {
    lab = await deployLab(hosts, hosts.host(1))
    const project = await lab.folder('Port', {web: web('1')})
    await lab.deploy(project.id)
    const before = await lab.containers(project.slug)
    const other = await lab.folder('Other', {shop: {image: 'lab/web:1', ports: ['8111:80']}})
    await lab.deploy(other.id)
    await project.write({web: web('2', {ports: ['8110:80', '127.0.0.1:8111:80']})})
    const second = await lab.deploy(project.id)
    expect(second).toMatchObject({status: 'action_required', endReason: 'ports', errorCode: 'PORT_IN_USE', errorDetails: {ports: [{port: 8111, protocol: 'tcp', service: 'web'}]}})
    expect(second.errorMessage).toMatch(/^port 8111\/tcp of web is taken by .*shop.*; nothing was stopped$/)
    expect(await lab.containers(project.slug)).toEqual(before)
  })
})
