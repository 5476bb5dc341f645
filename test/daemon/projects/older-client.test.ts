import {execFile} from 'node:child_process'
import {mkdir, readFile, writeFile} from 'node:fs/promises'
import path from 'node:path'
import {promisify} from 'node:util'
import {afterAll, beforeAll, beforeEach, describe, expect, it} from 'vitest'
import {dockerHostsMissing, startDockerHosts, type DockerHosts} from '../../lab/docker-hosts.js'
import {untilServes} from '../../lab/web-page.js'
import {temporaryFolder} from '../start-test-daemon.js'
import {deployLab, type DeployLab} from './deployments/deploy-lab.js'
import {ClientError, OlderClient} from './older-client.js'

const mask = '••••••••'
const id = (prefix: string) => expect.stringMatching(new RegExp(`^${prefix}_[\\w-]{16}$`))
const text = expect.any(String)
const number = expect.any(Number)

// What people have typed for years against platforms of this kind, call by call as their client sends it; what that reads has to be there.
describe.skipIf(dockerHostsMissing() !== null)('a client that was not made for this', {timeout: 120_000}, () => {
  let hosts: DockerHosts
  let lab: DeployLab
  let client: OlderClient
  beforeAll(async () => {
    hosts = await startDockerHosts(1)
  })
  beforeEach(async () => {
    lab = await deployLab(hosts, hosts.host(1))
    client = new OlderClient(lab.daemon.daemon.url, lab.daemon.token)
  })
  afterAll(() => hosts?.stop())

  const refused = async (method: string, route: string, body?: object) => client.call(method, route, body).then(() => undefined, (error: unknown) => (error instanceof ClientError ? error : undefined))

  /** It knows no servers, so the project is put on one beside it. */
  async function createProject(wish: object): Promise<string> {
    const {data} = await client.call('POST', '/projects', wish)
    expect(data).toMatchObject({id: id('proj'), ...wish})
    lab.cleanUp(data.id)
    await lab.daemon.call('PATCH', `/api/projects/${data.id}`, {serverId: lab.serverId})
    return data.id
  }

  async function deploy(projectId: string, wish: object = {}): Promise<string> {
    const {data} = await client.call('POST', '/deployments', {projectId, environment: 'production', ...wish})
    expect(data).toMatchObject({deployment_id: id('dep'), project_id: projectId})
    return data.deployment_id
  }

  async function deployed(projectId: string, wish: object = {}): Promise<string> {
    const deploymentId = await deploy(projectId, wish)
    expect(await client.watch(deploymentId)).toMatchObject({success: true, ended: 'ready'})
    return deploymentId
  }

  it('describes a project with its services, deploys it and looks at it from all sides', async () => {
    const projectId = await createProject({name: 'Shop', slug: 'shop', framework: 'vite', port: 80, projectType: 'services'})
    const {data: rows, total} = await client.call('GET', '/projects?page=1&perPage=50')
    expect([rows, total]).toEqual([[expect.objectContaining({id: projectId, name: 'Shop', slug: 'shop', gitOwner: null, gitRepo: null, source: 'local'})], 1])
    expect((await client.call('GET', `/projects/${projectId}`)).data).toMatchObject({id: projectId, name: 'Shop', slug: 'shop', framework: 'vite', gitOwner: null, gitRepo: null, gitBranch: 'main', autoDeploy: false, status: 'new'})

    await client.call('PATCH', `/projects/${projectId}/env`, {environment: 'production', upserts: [{key: 'MODE', value: 'live', isSecret: false}, {key: 'TOKEN', value: 'planted', isSecret: true}], deletes: []})
    expect((await client.call('GET', `/projects/${projectId}/env?environment=production`)).data).toMatchObject([{key: 'MODE', value: 'live', environment: 'production', isSecret: false}, {key: 'TOKEN', value: mask, isSecret: true}])

    const base = `/projects/${projectId}/services`
    const {service: web} = await client.call('POST', base, {name: 'web', image: 'lab/web:1', ports: ['8130:80'], environment: {VERSION: '1'}, restart: 'always', exposed: true, exposedPort: '80', domainType: 'free'})
    expect(web).toMatchObject({id: id('svc'), name: 'web'})
    expect((await refused('POST', base, {name: 'web', image: 'a'}))).toMatchObject({status: 400, message: text, body: {reason: 'service-name-already-exists'}})
    expect((await client.call('GET', `${base}/${web.id}`)).service).toMatchObject({environment: {VERSION: mask}})
    await client.call('PUT', `${base}/${web.id}/env`, {environment: 'production', vars: [{key: 'OWN', value: 'planted', isSecret: true}]})
    expect((await client.call('GET', `${base}/${web.id}/env?environment=production`)).vars).toMatchObject([{key: 'OWN', value: mask, environment: 'production', isSecret: true}])
    const wish = [{name: 'web', image: 'lab/web:1', ports: ['8130:80'], environment: {VERSION: mask}, restart: 'always', dependsOn: ['db']}, {name: 'db', image: 'lab/base:1', commandArgv: ['sleep', '1000'], volumes: ['data:/data'], restart: 'always', advanced: {}}]
    expect((await client.call('POST', `${base}/sync`, {services: wish})).services).toMatchObject([{name: 'web'}, {name: 'db'}])
    expect((await client.call('GET', base)).services).toMatchObject([{id: web.id, name: 'web', kind: 'compose', image: 'lab/web:1', enabled: true, exposed: true, drift: null}, {name: 'db', image: 'lab/base:1'}])

    const deploymentId = await deploy(projectId)
    const watched = await client.watch(deploymentId)
    expect(watched, watched.output).toMatchObject({success: true, cancelled: false, ended: 'ready', services: {web: 'running', db: 'running'}, output: expect.stringMatching(/^.+\n.+\n/)})
    expect(watched.events.slice(-2)).toEqual(['complete', 'end'])
    expect(watched.output).not.toContain('planted')
    await untilServes(`http://${lab.host.address}:8130/`, 'version 1')

    for (const perPage of [50, 100]) {
      const listed = await client.call('GET', `/deployments?projectId=${projectId}&environment=production&perPage=${perPage}`)
      expect(listed.data).toMatchObject([{id: deploymentId, status: 'ready', environment: 'production', branch: null, commitSha: null, isActive: true, createdAt: text}])
      expect([listed.perPage, listed.total]).toEqual([perPage, 1])
    }
    expect((await client.call('GET', `/deployments/${deploymentId}`)).data).toMatchObject({id: deploymentId, status: 'ready', environment: 'production', branch: null, commitSha: null, framework: 'vite', url: `http://${lab.host.address}:8130`, pinned: false, createdAt: text})
    expect((await client.call('GET', `/deployments/${deploymentId}/info`)).data).toMatchObject({containerId: text, status: 'running', ip: text, hostPort: 8130, hostPortByContainerPort: {80: 8130}, uptimeSeconds: number})
    expect((await client.call('GET', `/deployments/${deploymentId}/usage`)).data).toMatchObject({cpuPercent: number, memoryMb: number, diskMb: number, networkRxBytes: number, networkTxBytes: number})
    const logged = (await client.call('GET', `/deployments/${deploymentId}/logs?tail=3`)).data
    expect(logged).toHaveLength(3)
    expect(logged[0]).toMatchObject({message: text, level: expect.stringMatching(/^(info|warn|error)$/), timestamp: text})
    expect((await client.call('GET', `${base}/containers`)).containers).toMatchObject([{serviceName: 'web', status: 'running', containerId: text, ip: text, hostPort: 8130}, {serviceName: 'db', status: 'running'}])
    expect(Array.isArray((await client.call('GET', `${base}/${web.id}/logs?tail=10`)).data)).toBe(true)
    expect(Array.isArray((await client.call('GET', `/projects/${projectId}/logs?tail=10`)).data)).toBe(true)
    expect(await client.call('GET', `/projects/${projectId}/info`)).toMatchObject({success: true, data: {project: {id: projectId}, environments: [{id: projectId}]}})
    expect(await client.call('GET', `/projects/${projectId}/git`)).toMatchObject({success: false, code: 'NO_REPOSITORY'})

    await client.call('PUT', `${base}/${web.id}/env`, {environment: 'production', vars: [{key: 'OWN', value: 'other', isSecret: true}]})
    expect(await refused('POST', `${base}/${web.id}/restart`)).toMatchObject({status: 409, body: {code: 'SERVICE_CONFIG_STALE', serviceName: 'web', staleEnvKeys: ['OWN']}})
    for (const step of ['restart?force=true', 'stop', 'start']) expect((await client.call('POST', `${base}/${web.id}/${step}`)).success).toBe(true)
    await client.call('POST', `/projects/${projectId}/disable`)
    expect((await client.call('GET', `/projects/${projectId}`)).data).toMatchObject({status: 'disabled', enabled: false})
    await client.call('POST', `/projects/${projectId}/enable`)
    await client.call('DELETE', `${base}/${web.id}`)
    expect(Object.keys(await lab.containers('shop'))).toEqual(['db'])
    expect(await client.call('DELETE', `/projects/${projectId}?wipeVolumes=true`)).toMatchObject({message: 'Project deleted'})
    expect(await lab.containers('shop')).toEqual({})
    expect(await refused('GET', `/projects/${projectId}`)).toMatchObject({status: 404, message: 'Not found'})
  })

  it('redeploys, cancels, pins, restarts, rolls back, rejects and deletes', async () => {
    const projectId = await createProject({name: 'Back', projectType: 'services'})
    const base = `/projects/${projectId}/services`
    const {service: web} = await client.call('POST', base, {name: 'web', image: 'lab/web:1', ports: ['8131:80']})
    const serves = (version: number) => untilServes(`http://${lab.host.address}:8131/`, `version ${version}`)
    const first = await deployed(projectId)
    expect(await refused('POST', `/deployments/${first}/reject`)).toMatchObject({status: 400, body: {code: 'NO_PREDECESSOR'}})
    await client.call('PATCH', `${base}/${web.id}`, {image: 'lab/web:2'})
    const second = await deployed(projectId)
    await serves(2)

    const {success, restoredDeploymentId, deployment_id: back} = await client.call('POST', `/deployments/${second}/reject`)
    expect([success, restoredDeploymentId]).toEqual([true, first])
    await serves(1)
    expect((await client.call('GET', `/deployments/${second}`)).data).toMatchObject({status: 'rejected', isActive: false, restoredDeploymentId: first, pinned: false})
    expect((await client.call('GET', `/deployments/${second}/logs`)).data.length).toBeGreaterThan(3)
    expect((await client.call('GET', `/deployments/${back}`)).data).toMatchObject({status: 'ready', isActive: true, rollbackOf: first})
    // Before it there is the rejected one, and before that what it brought back.
    expect(await refused('POST', `/deployments/${back}/reject`)).toMatchObject({status: 400, body: {code: 'NO_PREDECESSOR'}})
    expect(await refused('POST', `/deployments/${second}/reject`)).toMatchObject({status: 400, body: {code: 'NOTHING_DEPLOYED'}})

    const again = await client.call('POST', `/deployments/${second}/redeploy`, {useExistingCommit: true})
    expect(again).toMatchObject({success: true, deployment_id: id('dep'), project_id: projectId})
    expect(await client.watch(again.deployment_id)).toMatchObject({success: true, ended: 'ready'})
    await serves(2)
    const {data: rolled} = await client.call('POST', `/deployments/${first}/rollback`)
    expect(await client.watch(rolled.id)).toMatchObject({success: true, ended: 'ready'})
    await serves(1)
    expect((await client.call('POST', `/deployments/${first}/pin`, {pinned: true})).data.pinned).toBe(true)
    expect((await client.call('POST', `/deployments/${first}/pin`, {pinned: false})).data.pinned).toBe(false)
    expect((await client.call('POST', `/deployments/${rolled.id}/restart`)).data.id).toBe(rolled.id)
    expect(await refused('POST', `/deployments/${rolled.id}/keep`)).toMatchObject({status: 400, message: expect.stringContaining('no decision'), body: {code: 'NO_DECISION'}})
    expect(await client.call('POST', `/deployments/${rolled.id}/build/respond`, {action: 'continue'})).toEqual({success: false})

    await client.call('PATCH', `${base}/${web.id}`, {image: 'lab/unhealthy:1'})
    const bad = await deploy(projectId)
    expect(await client.call('POST', `/deployments/${bad}/cancel`)).toMatchObject({success: true, message: text})
    expect(await client.watch(bad)).toMatchObject({cancelled: true, ended: 'cancelled'})
    expect(await refused('POST', `/deployments/${bad}/cancel`)).toMatchObject({status: 400})
    await serves(1)
    expect(await refused('DELETE', `/deployments/${rolled.id}`)).toMatchObject({status: 400})
    expect(await client.call('DELETE', `/deployments/${bad}`)).toMatchObject({success: true, message: text})
    expect((await client.call('GET', `/deployments?projectId=${projectId}&perPage=50`)).data.map((row: {id: string}) => row.id)).toEqual([rolled.id, again.deployment_id, back, second, first])
  })

  it('follows a build, asks how far it is, and sees a failed service by name', async () => {
    const projectId = await createProject({name: 'Build', framework: 'vite', projectType: 'services'})
    const {service} = await client.call('POST', `/projects/${projectId}/services`, {name: 'web', image: 'lab/exits:1', restart: 'no'})
    const deploymentId = await deploy(projectId)
    const events = []
    for await (const {event, data} of client.events('POST', `/deployments/${deploymentId}/build`)) events.push({event, data})
    expect(events[0]).toEqual({event: 'started', data: {type: 'started', deployment_id: deploymentId, project_id: projectId}})
    expect(events.at(-1)).toMatchObject({event: 'end', data: {status: 'failed'}})
    expect(await client.watch(deploymentId)).toMatchObject({success: false, ended: 'failed', services: {web: 'failed'}})
    const status = await client.call('GET', `/deployments/${deploymentId}/build`)
    expect(status).toMatchObject({
      success: true, deployment_id: deploymentId, project_id: projectId, status: 'failed', deploymentStatus: 'failed', is_active: false, progress: 100, lastEventId: text, errorMessage: expect.stringContaining('web'),
      services: [{serviceId: service.id, status: 'failure'}], config: {framework: 'vite', environment: 'production', branch: null, port: 3000},
    })
    expect(status.logs).toBe(status.logEntries.map(({message}: {message: string}) => `${message}\n`).join(''))
    expect(status.logEntries.length).toBeGreaterThan(3)
    const rest = []
    for await (const {event} of client.events('GET', `/deployments/${deploymentId}/stream?since=${encodeURIComponent(status.lastEventId)}`)) rest.push(event)
    expect(rest).not.toContain('log')
  })

  it('deploys a folder without git in six steps', async () => {
    const folder = await temporaryFolder()
    await mkdir(path.join(folder, 'node_modules'))
    await writeFile(path.join(folder, 'node_modules', 'left-out'), '')
    await writeFile(path.join(folder, 'Dockerfile'), 'FROM lab/base:1\nEXPOSE 80\nCOPY page /www/index.html\nCMD ["httpd", "-f", "-p", "80", "-h", "/www"]\nSTOPSIGNAL SIGKILL\n')
    await writeFile(path.join(folder, 'page'), 'from a folder\n')

    const {sessionId, upload} = await client.call('POST', '/projects/folder/session', {name: 'folder', packageManager: 'npm', stack: 'static'})
    const archive = path.join(await temporaryFolder(), 'source.tar.gz')
    await promisify(execFile)('tar', ['-czf', archive, '--exclude=./node_modules', '--exclude=./.git', '--exclude=./.DS_Store', '-C', folder, '.'])
    expect(await client.upload(upload, new Uint8Array(await readFile(archive)))).toBe(200)
    const scan = await client.call('POST', `/projects/folder/scan/${sessionId}`, {})
    expect(scan).toMatchObject({
      success: true, name: 'folder', stack: 'dockerfile', projectType: 'docker', packageManager: 'npm', installCommand: null, buildCommand: null, startCommand: null, buildImage: null, outputDirectory: null, rootDirectory: null, port: 80, services: [],
      configDiagnostics: {errors: [], warnings: []},
    })
    const {stack, projectType, packageManager, installCommand, buildCommand, outputDirectory, rootDirectory, buildImage, port} = scan
    const ensured = await client.call('POST', '/projects/ensure', {
      name: 'folder', gitProvider: 'upload', framework: stack, projectType, packageManager, installCommand, buildCommand, outputDirectory, rootDirectory, buildImage, hasBuild: true, hasServer: true, productionMode: 'static', port,
    })
    expect(ensured).toMatchObject({project_id: id('proj')})
    lab.cleanUp(ensured.project_id)
    const access = {projectId: ensured.project_id, uploadSessionId: sessionId, environment: 'production', services: scan.services}
    expect(await refused('POST', '/deployments/build/access', {...access, serverId: 'srv_nowhere'})).toMatchObject({status: 404})
    const started = await client.call('POST', '/deployments/build/access', {...access, serverId: lab.serverId})
    expect(started).toMatchObject({success: true, deployment_id: id('dep'), project_id: ensured.project_id})
    const watched = await client.watch(started.deployment_id)
    expect(watched, watched.output).toMatchObject({success: true, ended: 'ready'})
    const {hostPort} = (await client.call('GET', `/deployments/${started.deployment_id}/info`)).data
    expect(await lab.host.run(`wget -q -O - http://127.0.0.1:${hostPort}/`)).toBe('from a folder\n')
    expect(await client.call('DELETE', `/projects/${ensured.project_id}`)).toMatchObject({message: text})
  })
})
