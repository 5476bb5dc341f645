import {describe, expect, it} from 'vitest'
import {startTestDaemon, type TestDaemon} from '../start-test-daemon.js'
import {addOrganization, app, catalogFolder, startAppDaemon} from './app-fixture.js'

const paste = app('paste-box', {
  name: 'Paste Box',
  services: [
    {name: 'web', image: 'paste:1', ports: ['18090:8090'], exposed: true, exposedPort: 8090, dependsOn: ['db', 'nobody'], environment: {DSN: 'db://{{config:PASSWORD}}@db', TITLE: 'Paste'}, secretEnv: ['DSN']},
    {name: 'db', image: 'db:1', healthcheck: {test: ['true'], interval: '5s'}, resources: {memoryMb: 512}, dependsOn: ['web']},
  ],
  configFields: [
    {key: 'PASSWORD', service: 'db', label: 'Password', generate: 'secret', secret: true},
    {key: 'LANGUAGE', service: 'web', label: 'Language', default: 'en'},
  ],
  settings: [{id: 'looks', label: 'Looks', fields: [{key: 'TITLE', service: 'web', label: 'Title', type: 'text', required: true}, {key: 'PIN', service: 'web', label: 'PIN', type: 'password', secret: true, requiresRedeploy: true}]}],
})

const install = (daemon: TestDaemon, body: object, token?: string) => daemon.call('POST', '/api/apps', body, token)

async function installed(daemon: TestDaemon, body: object = {templateId: 'paste-box'}): Promise<{projectId: string; slug: string}> {
  const {status, body: answer} = await install(daemon, body)
  expect(status, JSON.stringify(answer)).toBe(200)
  return answer.data as {projectId: string; slug: string}
}

async function secretOf(daemon: TestDaemon, projectId: string, service: string, key: string): Promise<string> {
  return (await daemon.call('POST', `/api/projects/${projectId}/services/${service}/env-reveal`, {keys: [key]})).body.environment[key] as string
}

interface ServiceView {
  readonly name: string
  readonly [field: string]: unknown
}

async function servicesOf(daemon: TestDaemon, projectId: string): Promise<Record<string, ServiceView>> {
  const {body} = await daemon.call('GET', `/api/projects/${projectId}/services`)
  return Object.fromEntries((body.services as ServiceView[]).map((service) => [service.name, service]))
}

describe('an install', () => {
  it('makes a project with the services and the generated secrets of the app, and starts nothing', async () => {
    const daemon = await startAppDaemon([paste])
    const {projectId, slug} = await installed(daemon)
    expect(slug).toBe('paste-box')
    expect((await daemon.call('GET', `/api/projects/${projectId}`)).body.data).toMatchObject({
      name: 'Paste Box', isApp: true, appTemplateId: 'paste-box', framework: 'docker-compose', runtimeMode: 'docker', projectType: 'services', hasBuild: false, activeDeploymentId: null, gitUrl: null,
    })
    const {web, db} = await servicesOf(daemon, projectId)
    // What is no service, or would close a circle, is not waited for; a service with a check is waited for until it passes.
    expect(web).toMatchObject({image: 'paste:1', ports: ['18090:8090'], exposed: false, exposedPort: '8090', publicEndpoints: [], dependsOn: ['db'], advanced: {dependsOn: {db: 'service_healthy'}}, environment: {TITLE: '••••••••'}, drift: null})
    expect(db).toMatchObject({dependsOn: [], advanced: {healthcheck: {test: ['CMD', 'true'], interval: '5s'}}})
    expect(db?.['advanced']).not.toHaveProperty('resources')
    const password = await secretOf(daemon, projectId, 'db', 'PASSWORD')
    expect(password).toMatch(/^[0-9a-f]{64}$/)
    expect(await secretOf(daemon, projectId, 'web', 'DSN')).toBe(`db://${password}@db`)
    const env = (await daemon.call('GET', `/api/projects/${projectId}/env?services=true`)).body.data as {key: string; value: string}[]
    expect(env.map(({key, value}) => `${key} ${value}`).sort()).toEqual(['DSN ••••••••', 'LANGUAGE en', 'PASSWORD ••••••••'])
    expect((await daemon.call('GET', '/api/deployments')).body.data).toEqual([])
  })

  it('takes the project name "X 2" where X is taken by something else', async () => {
    const daemon = await startAppDaemon([paste])
    await daemon.call('POST', '/api/projects', {name: 'Paste Box'})
    const {projectId, slug} = await installed(daemon)
    expect([slug, (await daemon.call('GET', `/api/projects/${projectId}`)).body.data.name]).toEqual(['paste-box-2', 'Paste Box 2'])
    expect((await installed(daemon, {templateId: 'paste-box', name: '  My pastes '})).slug).toBe('my-pastes')
  })

  it('completes one that was begun and never deployed, and keeps its secrets', async () => {
    const daemon = await startAppDaemon([paste])
    const first = await installed(daemon)
    const password = await secretOf(daemon, first.projectId, 'db', 'PASSWORD')
    const services = await servicesOf(daemon, first.projectId)
    await daemon.call('DELETE', `/api/projects/${first.projectId}/services/${String(services['web']?.['id'])}`)
    const {body} = await daemon.call('GET', '/api/apps/catalog/paste-box')
    expect(body.draft).toEqual({projectId: first.projectId, slug: 'paste-box', name: 'Paste Box'})

    const again = await installed(daemon, {templateId: 'paste-box', routes: [{service: 'web', port: 8090, mode: 'custom', customDomain: 'HTTPS://Paste.Example.org/'}]})
    expect(again).toEqual(first)
    expect(await secretOf(daemon, first.projectId, 'db', 'PASSWORD')).toBe(password)
    expect(await secretOf(daemon, first.projectId, 'web', 'DSN')).toBe(`db://${password}@db`)
    expect((await servicesOf(daemon, first.projectId))['web']).toMatchObject({exposed: true, customDomain: 'paste.example.org', publicEndpoints: [{port: 8090, customDomain: 'paste.example.org', domainType: 'custom'}]})
    await installed(daemon, {templateId: 'paste-box', routes: []})
    expect((await servicesOf(daemon, first.projectId))['web']).toMatchObject({exposed: false, customDomain: null, publicEndpoints: []})
    expect((await daemon.call('GET', '/api/projects')).body.data).toHaveLength(1)
  })

  it('has no draft before anybody begins', async () => {
    const daemon = await startAppDaemon([paste])
    expect((await daemon.call('GET', '/api/apps/catalog/paste-box')).body.draft).toBeNull()
  })

  it('answers for a flow where it goes on, and creates nothing', async () => {
    const daemon = await startAppDaemon([{id: 'guide', name: 'Guide', description: 'a guide', kind: 'flow', logo: 'guide', category: 'other', available: true, flowHref: '/apps/new/guide'}])
    expect((await install(daemon, {templateId: 'guide'})).body).toEqual({data: {kind: 'flow', flowHref: '/apps/new/guide'}})
    expect((await daemon.call('GET', '/api/projects')).body.data).toEqual([])
  })

  it('names the required fields that came without a value, and writes nothing', async () => {
    const fields = [{key: 'MAIL', service: 'web', label: 'Mail', required: true}, {key: 'PASSWORD', service: 'web', label: 'Password', required: true}]
    const daemon = await startAppDaemon([app('strict', {configFields: fields})])
    const {status, body} = await install(daemon, {templateId: 'strict', config: {MAIL: 'a@example.org', PASSWORD: ''}})
    expect([status, body]).toMatchObject([400, {code: 'VALIDATION_ERROR', errors: [{path: '/config/PASSWORD', message: 'Password is required'}]}])
    expect((await daemon.call('GET', '/api/projects')).body.data).toEqual([])
  })

  it.each([
    ['an app that is not there', {templateId: 'nothing'}, 'APP_UNKNOWN', undefined],
    ['one that needs a newer release', {templateId: 'future'}, 'APP_REQUIRES_UPDATE', undefined],
    ['one that is coming soon', {templateId: 'soon'}, 'APP_UNAVAILABLE', undefined],
    ['a route of a service that it has not', {templateId: 'paste-box', routes: [{service: 'api', port: 80, mode: 'port'}]}, 'VALIDATION_ERROR', '/routes/0/service'],
    ['a route to a port that nothing serves', {templateId: 'paste-box', routes: [{service: 'web', port: 80, mode: 'port'}]}, 'VALIDATION_ERROR', '/routes/0/port'],
    ['the same route twice', {templateId: 'paste-box', routes: [{service: 'web', port: 8090, mode: 'port'}, {service: 'web', port: 8090, mode: 'port'}]}, 'VALIDATION_ERROR', '/routes/1/port'],
    ['a domain that is none', {templateId: 'paste-box', routes: [{service: 'web', port: 8090, mode: 'custom', customDomain: 'localhost:80'}]}, 'VALIDATION_ERROR', '/routes/0/customDomain'],
    ['a domain without a name', {templateId: 'paste-box', routes: [{service: 'web', port: 8090, mode: 'custom'}]}, 'VALIDATION_ERROR', '/routes/0/customDomain'],
    ['a managed sub-domain', {templateId: 'paste-box', routes: [{service: 'web', port: 8090, mode: 'free'}]}, 'CLOUD_REQUIRED_MANAGED_PROJECT_DOMAIN', undefined],
  ])('refuses %s before anything is written', async (_what, body, code, errorPath) => {
    const daemon = await startAppDaemon([paste, app('soon', {available: false}), app('future', {minEngine: '99.0.0'})])
    const answer = await install(daemon, body)
    expect(answer.body, JSON.stringify(answer.body)).toMatchObject({code, ...(errorPath !== undefined && {errors: [{path: errorPath}]})})
    expect((await daemon.call('GET', '/api/projects')).body.data).toEqual([])
  })

  it('is refused to a read-only token, and to one that may only use a project that is there', async () => {
    const daemon = await startAppDaemon([paste])
    const {projectId} = await installed(daemon)
    const token = async (wish: object) => (await daemon.call('POST', '/api/tokens', {name: 'a token', ...wish})).body.data.token as string
    const grant = (permissions: string[], resourceId: string) => token({grants: [{resourceType: 'project', resourceId, permissions}]})
    const [readOnly, one, creator] = [await token({fullAccess: true, readOnly: true}), await grant(['write'], projectId), await grant(['create'], '*')]
    expect((await install(daemon, {templateId: 'paste-box', name: 'x'}, readOnly)).status).toBe(403)
    expect((await install(daemon, {templateId: 'paste-box', name: 'x'}, one)).status).toBe(404)
    // It may finish what it may write, and who may only create does not see the install of somebody else.
    expect((await install(daemon, {templateId: 'paste-box'}, one)).body).toEqual({data: {kind: 'template', projectId, slug: 'paste-box'}})
    expect((await install(daemon, {templateId: 'paste-box'}, creator)).body.data.slug).toBe('paste-box-2')
    expect((await daemon.call('GET', '/api/apps/catalog/paste-box', undefined, creator)).body.draft.slug).toBe('paste-box-2')
  })

  it('finds no server of another organization', async () => {
    const first = await startAppDaemon([paste])
    await first.daemon.stop()
    const foreign = await addOrganization(first.home, 'other')
    const daemon = await startTestDaemon({home: first.home}, {catalogFolder: await catalogFolder([paste])})
    const [server] = (await daemon.call('GET', '/api/system/servers', undefined, first.token)).body
    expect((await install(daemon, {templateId: 'paste-box', serverId: server.id}, foreign)).status).toBe(404)
    expect((await install(daemon, {templateId: 'paste-box', serverId: server.id}, first.token)).status).toBe(200)
    expect((await daemon.call('GET', '/api/apps/catalog/paste-box', undefined, foreign)).body.draft).toBeNull()
  })
})

describe('the settings of an installed app', () => {
  it('show what is set without its secrets, and change all at once or not at all', async () => {
    const daemon = await startAppDaemon([paste])
    const {projectId} = await installed(daemon)
    const change = (changes: object[]) => daemon.call('PATCH', `/api/projects/${projectId}/app-settings`, {changes})
    const values = async () => (await daemon.call('GET', `/api/projects/${projectId}/app-settings`)).body.data
    expect(await values()).toMatchObject({appTemplateId: 'paste-box', management: {kind: 'schema'}, groups: [{id: 'looks'}], values: [{key: 'TITLE', value: '', set: false}, {key: 'PIN', value: '', secret: true, set: false}]})
    const refused = await change([{service: 'web', key: 'PIN', value: '1234'}, {service: 'web', key: 'TITLE', value: ''}])
    expect([refused.status, refused.body]).toMatchObject([400, {code: 'VALIDATION_ERROR', errors: [{path: '/changes/1/value', message: 'Title is required'}]}])
    expect((await values()).values).toMatchObject([{set: false}, {set: false}])
    const password = await secretOf(daemon, projectId, 'db', 'PASSWORD')

    expect((await change([{service: 'web', key: 'TITLE', value: 'Ours'}, {service: 'web', key: 'PIN', value: '1234'}])).body).toEqual({data: {count: 2, requiresRedeploy: true}})
    expect((await change([{service: 'web', key: 'PIN', value: ''}])).body).toEqual({data: {count: 0, requiresRedeploy: false}})
    expect((await values()).values).toMatchObject([{key: 'TITLE', value: 'Ours', set: true}, {key: 'PIN', value: '', set: true}])
    expect(await secretOf(daemon, projectId, 'web', 'PIN')).toBe('1234')
    expect(await secretOf(daemon, projectId, 'db', 'PASSWORD')).toBe(password)
    expect((await change([{service: 'db', key: 'PIN', value: 'x'}])).body.errors).toEqual([{path: '/changes/0/value', message: 'db.PIN is no setting of this app'}])
  })
})

describe('the fit of a draft', () => {
  it('holds the limits of its services against its server, too', async () => {
    const daemon = await startAppDaemon([paste])
    const {projectId} = await installed(daemon)
    const services = await servicesOf(daemon, projectId)
    await daemon.call('PATCH', `/api/projects/${projectId}/services/${String(services['db']?.['id'])}`, {advanced: {resources: {memoryMb: 900_000_000, cpuCores: 0.5}}})
    const fit = async (query: string) => (await daemon.call('GET', `/api/apps/catalog/paste-box/host-fit${query}`)).body.data
    const read = await fit(`?projectId=${projectId}`)
    expect(read).toMatchObject({minResources: null, draft: {projectId, memoryMb: 900_000_000, cpuCores: 0.5, unlimitedServices: 1}, fit: {ok: true, draftMemory: {needed: 900_000_000}}})
    expect(read.fit).not.toHaveProperty('draftCpu')
    expect(await fit('?projectId=proj_0000000000000000')).not.toHaveProperty('draft')
  })
})
