import {beforeEach, describe, expect, it} from 'vitest'
import type {Deployment} from '../../../../src/contract/deployments.js'
import {dockerHostsMissing, startDockerHosts} from '../../../lab/docker-hosts.js'
import {sharedPart} from '../../../lab/shared-part.js'
import {untilServes} from '../../../lab/web-page.js'
import {deployLab, type DeployLab, type FolderProject} from './deploy-lab.js'

const web = (version: string, more: object = {}) => ({image: 'lab/web:1', environment: {VERSION: version}, ports: ['8120:80'], ...more})
const db = {image: 'lab/base:1', command: ['sleep', '1000'], volumes: ['data:/data'], stop_signal: 'SIGKILL'}

describe.skipIf(dockerHostsMissing() !== null)('releases of a project', {timeout: 120_000}, () => {
  const hosts = sharedPart(() => startDockerHosts(1))
  let lab: DeployLab
  beforeEach(async () => {
    lab = await deployLab(hosts, hosts.host(1))
  })

  const call = (method: string, path: string, body?: object) => lab.daemon.call(method, path, body)
  const live = async (project: FolderProject, wish?: object) => {
    const deployment = await lab.deploy(project.id, wish)
    expect(deployment.status, await lab.log(deployment.id)).toBe('ready')
    return deployment
  }
  const serves = (text: string) => untilServes(`http://${lab.host.address}:8120/`, text)

  it('are brought back by hand, and what did not change since is left alone', async () => {
    const project = await lab.folder('Back', {web: web('1'), db})
    const first = await live(project)
    await project.write({web: web('2'), db})
    const second = await live(project)
    await serves('version 2')
    const before = await lab.containers(project.slug)
    expect((await call('GET', `/api/deployments/${first.id}/restore-plan`)).body.data).toEqual({
      mode: 'images', needsRepository: false, rebuildServices: [], changedServices: ['web'], untouchedServices: ['db'],
    })
    const asked = await call('POST', `/api/deployments/${first.id}/rollback`)
    expect(asked.body.data).toMatchObject({trigger: 'rollback', rollbackOf: first.id})
    const third = await lab.ended(asked.body.data.id)
    expect(third, await lab.log(third.id)).toMatchObject({status: 'ready', version: 1, isActive: true, previousDeploymentId: second.id})
    await serves('version 1')
    const after = await lab.containers(project.slug)
    expect(after['db']).toBe(before['db'])
    expect(after['web']).not.toBe(before['web'])
    expect((await call('GET', `/api/projects/${project.id}`)).body.data.activeVersion).toBe(1)
    // A deployment afterwards goes on counting.
    expect((await live(project)).version).toBe(3)
    await serves('version 2')
  })

  it('of services that were not asked for are carried forward in one deployment', async () => {
    const project = await lab.folder('Partial', {web: web('1'), db})
    await live(project)
    const before = await lab.containers(project.slug)
    await project.write({web: web('2'), db: {...db, environment: {NEW: '1'}}})
    const second = await live(project, {serviceIds: ['web']})
    expect(second.services?.map(({serviceName, status, reason}) => `${serviceName} ${status} ${reason}`)).toEqual(['db skipped unchanged', 'web success manual'])
    const after = await lab.containers(project.slug)
    expect(after['db']).toBe(before['db'])
    await serves('version 2')
    // What was left out comes with the next whole one.
    const third = await live(project)
    expect(third.services?.map(({serviceName, reason}) => `${serviceName} ${reason}`)).toEqual(['db changed', 'web unchanged'])
  })

  it('take new variables with a refresh, without asking for images', async () => {
    const project = await lab.folder('Refresh', {web: web('1'), db})
    await live(project)
    const before = await lab.containers(project.slug)
    await call('PATCH', `/api/projects/${project.id}/env`, {environment: 'production', upserts: [{key: 'ADDED', value: 'yes'}], deletes: []})
    const {services} = (await call('GET', `/api/projects/${project.id}/services`)).body
    const {id} = services.find((service: {name: string}) => service.name === 'web')
    await call('PUT', `/api/projects/${project.id}/services/${id}/env`, {environment: 'production', vars: [{key: 'VERSION', value: '9'}]})
    const second = await live(project, {refresh: true, serviceIds: ['web']})
    expect(second).toMatchObject({refresh: true, services: [{serviceName: 'db', status: 'skipped'}, {serviceName: 'web', status: 'success'}]})
    await serves('version 9')
    const after = await lab.containers(project.slug)
    expect(after['db']).toBe(before['db'])
    expect(await lab.host.run(`docker exec ${after['web'] ?? ''} sh -c 'echo $ADDED'`)).toBe('yes\n')
    expect((await lab.host.attempt(`docker exec ${after['db'] ?? ''} sh -c 'test -z "$ADDED"'`)).exitCode).toBe(0)
  })

  it('take new values for what their Compose file leaves to variables with a refresh; a restart says that it would not', async () => {
    const project = await lab.folder('Interpolated', {web: {...web('1'), environment: {VERSION: '${RELEASE:-1}'}}})
    await live(project)
    await serves('version 1')
    await call('PATCH', `/api/projects/${project.id}/env`, {environment: 'production', upserts: [{key: 'RELEASE', value: '5'}], deletes: []})
    const {services} = (await call('GET', `/api/projects/${project.id}/services`)).body
    expect((await call('POST', `/api/projects/${project.id}/services/${services[0].id}/restart`)).body).toMatchObject({code: 'SERVICE_CONFIG_STALE', staleEnvKeys: ['RELEASE', 'VERSION']})
    await live(project, {refresh: true})
    await serves('version 5')
  })

  it('are left alone where nothing has changed, and what is missing is brought back', async () => {
    const project = await lab.folder('Same', {web: web('1'), db})
    const first = await live(project)
    const before = await lab.containers(project.slug)
    const second = await lab.deploy(project.id)
    expect(second).toMatchObject({status: 'no_changes', version: null, isActive: false, interruptionMs: null, errorMessage: null})
    expect(await lab.containers(project.slug)).toEqual(before)
    await lab.host.docker('rm', '--force', before['web'] ?? '')
    expect((await lab.deploy(project.id)).status).toBe('no_changes')
    await serves('version 1')
    expect((await call('GET', `/api/projects/${project.id}`)).body.data.activeDeploymentId).toBe(first.id)
    const forced = await live(project, {forceAll: true})
    expect(forced.services?.map(({reason}) => reason)).toEqual(['forced', 'forced'])
    expect((await lab.containers(project.slug))['db']).not.toBe(before['db'])
  })

  it('keep the data of volumes, and lose services that the file has no more', async () => {
    const project = await lab.folder('Data', {web: web('1'), db})
    await live(project)
    await lab.host.run(`docker exec ${(await lab.containers(project.slug))['db'] ?? ''} sh -c 'echo kept >/data/file'`)
    await project.write({db: {...db, environment: {A: '1'}}})
    await live(project)
    const after = await lab.containers(project.slug)
    expect(Object.keys(after)).toEqual(['db'])
    expect(await lab.host.run(`docker exec ${after['db'] ?? ''} cat /data/file`)).toBe('kept\n')
    expect(await lab.host.run('docker volume ls --quiet --filter name=moorage-data')).toBe('moorage-data-data\n')
    expect((await call('GET', `/api/projects/${project.id}/services`)).body.services.map(({name}: {name: string}) => name)).toEqual(['db'])
  })

  it('are compared without showing a value of a variable', async () => {
    const project = await lab.folder('Diff', {web: web('1', {environment: {VERSION: '1', DB_PASSWORD: 'first-secret'}})})
    const first = await live(project)
    await project.write({web: web('1', {environment: {VERSION: '1', DB_PASSWORD: 'other-secret', MODE: 'x'}, command: ['sh', '-c', 'echo other-secret; exec httpd -f -p 80 -h /www']})})
    const second = await live(project)
    const {data} = (await call('GET', `/api/deployments/${second.id}/diff?against=${first.id}`)).body
    expect(data).toMatchObject({from: first.id, to: second.id, services: [{service: 'web', change: 'changed'}]})
    expect(data.services[0].fields.map(({field}: {field: string}) => field).sort()).toEqual(['command', 'environment.DB_PASSWORD', 'environment.MODE'])
    expect(data.compose).toMatch(/^--- dep_.*\n\+\+\+ dep_.*\n@@/)
    expect(data.compose).toContain('+      MODE:')
    expect(JSON.stringify(data)).not.toMatch(/first-secret|other-secret/)
  })

  it('are kept as long as the window says or somebody pins them, with their images and files, and no longer', async () => {
    const project = await lab.folder('Window', {web: {image: 'lab/web:1'}})
    await call('PATCH', `/api/projects/${project.id}`, {rollbackWindow: 1})
    const deployments: Deployment[] = []
    for (const image of ['lab/web:1', 'lab/web:2', 'lab/web:3', 'lab/healthy:1']) {
      await project.write({web: {image}})
      deployments.push(await live(project))
      if (deployments.length === 1) expect((await call('POST', `/api/deployments/${deployments[0]?.id}/pin`, {})).body.data.pinned).toBe(true)
    }
    const states = async () => Promise.all(deployments.map(async ({id}) => (await call('GET', `/api/deployments/${id}`)).body.data.canRollback as boolean))
    await expect.poll(states, {timeout: 15_000}).toEqual([true, false, true, false])
    const tags = () => lab.host.run(`docker image ls --format '{{.Tag}}' moorage/window-web | sort`)
    const kept = [0, 2, 3].map((index) => deployments[index]?.id ?? '')
    await expect.poll(async () => (await tags()).trim().split('\n'), {timeout: 15_000}).toEqual([...kept].sort())
    await expect.poll(async () => (await lab.host.run('ls /srv/moorage/window/releases')).trim().split('\n').sort(), {timeout: 15_000}).toEqual([...kept].sort())
    expect(await call('POST', `/api/deployments/${deployments[1]?.id}/rollback`)).toMatchObject({status: 409, body: {code: 'RELEASE_GONE'}})
    expect((await call('GET', `/api/deployments/${deployments[1]?.id}/restore-plan`)).body.data.mode).toBe('impossible')
    expect(await call('POST', `/api/deployments/${deployments[1]?.id}/pin`, {})).toMatchObject({status: 409})
  })

  it('tell their main container, are restarted, and deleted only when they are not served', async () => {
    const project = await lab.folder('Info', {web: web('1')})
    const first = await live(project)
    const containers = await lab.containers(project.slug)
    expect((await call('GET', `/api/deployments/${first.id}/info`)).body.data).toMatchObject({containerId: containers['web'], status: 'running', hostPort: 8120, hostPortByContainerPort: {80: 8120}})
    const startedAt = () => lab.host.run(`docker inspect --format '{{.State.StartedAt}}' ${containers['web'] ?? ''}`)
    const before = await startedAt()
    expect((await call('POST', `/api/deployments/${first.id}/restart`)).status).toBe(200)
    expect(await startedAt()).not.toBe(before)
    expect(await call('DELETE', `/api/deployments/${first.id}`)).toMatchObject({status: 400, body: {code: 'DEPLOYMENT_NOT_FINISHED'}})
    await project.write({web: web('2', {image: 'lab/web:2'})})
    const second = await live(project)
    expect(await call('POST', `/api/deployments/${first.id}/restart`)).toMatchObject({status: 400, body: {code: 'NOTHING_DEPLOYED'}})
    const left = async () => [await lab.host.run(`docker image ls --format '{{.Tag}}' moorage/info-web`), await lab.host.run('ls /srv/moorage/info/releases')].join('')
    expect(await left()).toContain(first.id)
    expect((await call('DELETE', `/api/deployments/${first.id}`)).status).toBe(200)
    expect(await left()).toBe(`${second.id}\n${second.id}\n`)
    expect((await call('GET', `/api/deployments/${first.id}`)).status).toBe(404)
    const {data} = (await call('GET', `/api/deployments?projectId=${project.id}&page=1`)).body
    expect(data.map(({id}: {id: string}) => id)).toEqual([second.id])
  })

  it('mount files of the source, and only a change of the file makes the container anew', async () => {
    const mounted = {image: 'lab/base:1', command: ['sleep', '1000'], volumes: ['./conf/app.conf:/etc/app.conf:ro', './pages:/pages:ro'], stop_signal: 'SIGKILL'}
    const project = await lab.folder('Files', {app: mounted}, {'conf/app.conf': 'one\n', 'pages/deep/index': 'page\n', 'README.md': 'a'})
    const first = await live(project)
    const before = await lab.containers(project.slug)
    const read = async (path: string) => lab.host.run(`docker exec ${(await lab.containers(project.slug))['app'] ?? ''} cat ${path}`)
    expect(await read('/etc/app.conf /pages/deep/index')).toBe('one\npage\n')
    await project.write({app: mounted}, {'README.md': 'b'})
    expect((await lab.deploy(project.id)).status).toBe('no_changes')
    await project.write({app: mounted}, {'conf/app.conf': 'two\n'})
    const second = await live(project)
    expect(await read('/etc/app.conf')).toBe('two\n')
    expect((await lab.containers(project.slug))['app']).not.toBe(before['app'])
    const onServer = async () => (await lab.host.run(`cd /srv/moorage/${project.slug} && ls files | wc -l && ls releases`)).trim().split(/\s+/)
    expect(await onServer()).toEqual(['3', ...[first.id, second.id].sort()])
    expect((await call('DELETE', `/api/deployments/${first.id}`)).status).toBe(200)
    expect(await onServer()).toEqual(['2', second.id])
    expect(await read('/etc/app.conf /pages/deep/index')).toBe('two\npage\n')
  })
})
