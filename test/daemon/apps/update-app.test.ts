import {expect, it} from 'vitest'
import type {TestDaemon} from '../start-test-daemon.js'
import {app, startAppDaemon} from './app-fixture.js'

const password = {key: 'PASSWORD', service: 'db', label: 'Password', generate: 'secret', secret: true}
const old = app('notes', {
  services: [
    {name: 'web', image: 'notes:1', ports: ['18800:80'], exposedPort: 80, environment: {DSN: 'db://{{config:PASSWORD}}@db/1', MODE: 'plain', THEME: 'light'}, secretEnv: ['DSN']},
    {name: 'db', image: 'db:1', volumes: ['data:/data']},
    {name: 'cache', image: 'cache:1'},
  ],
  configFields: [password],
})
const next = app('notes', {
  services: [
    {name: 'web', image: 'notes:2', ports: ['18800:8080'], exposedPort: 8080, environment: {DSN: 'db://{{config:PASSWORD}}@db/2', MODE: 'fancy', THEME: 'dark', TOKEN_HINT: '{{config:TOKEN}}'}, secretEnv: ['DSN', 'TOKEN_HINT']},
    {name: 'db', image: 'db:1', volumes: ['data:/data']},
    {name: 'search', image: 'search:1'},
  ],
  configFields: [password, {key: 'TOKEN', service: 'search', label: 'Token', generate: 'secret', secret: true}],
  files: [{service: 'search', path: '/etc/search.yml', content: 'token: {{config:TOKEN}}\n'}],
})

async function installed(daemon: TestDaemon): Promise<string> {
  expect((await daemon.call('POST', '/api/apps/custom', old)).status).toBe(200)
  const {status, body} = await daemon.call('POST', '/api/apps', {templateId: 'notes'})
  expect(status, JSON.stringify(body)).toBe(200)
  return body.data.projectId as string
}

async function servicesOf(daemon: TestDaemon, projectId: string) {
  const {body} = await daemon.call('GET', `/api/projects/${projectId}/services`)
  return Object.fromEntries((body.services as {name: string; id: string; image: string; exposedPort: string; ports: string[]; drift: unknown}[]).map((service) => [service.name, service]))
}

const reveal = async (daemon: TestDaemon, projectId: string, service: string, keys: string[]) =>
  (await daemon.call('POST', `/api/projects/${projectId}/services/${service}/env-reveal`, {keys})).body.environment as Record<string, string>

it('shows what a newer version changes before it does it, then does it and keeps what was edited', async () => {
  const daemon = await startAppDaemon([])
  const projectId = await installed(daemon)
  const route = `/api/projects/${projectId}/app-update`
  expect((await daemon.call('GET', route)).body.data).toEqual({appTemplateId: 'notes', upToDate: true, services: [], generated: []})
  expect((await daemon.call('POST', route)).body.data).toEqual({changed: false, requiresRedeploy: false})
  const before = await servicesOf(daemon, projectId)
  const secret = (await reveal(daemon, projectId, 'db', ['PASSWORD']))['PASSWORD']
  await daemon.call('PATCH', `/api/projects/${projectId}/services/${before['web']?.id}`, {environment: {THEME: 'ours'}})

  expect((await daemon.call('POST', '/api/apps/custom', next)).body.data).toMatchObject({replaced: true})
  const plan = (await daemon.call('GET', route)).body.data
  expect(plan).toMatchObject({upToDate: false, generated: ['search.TOKEN']})
  expect(Object.fromEntries(plan.services.map((service: {service: string; change: string}) => [service.service, service.change]))).toEqual({web: 'changed', search: 'added', cache: 'removed'})
  const fields = plan.services.find(({service}: {service: string}) => service === 'web').fields as {field: string; from: string | null; to: string | null; edited: boolean}[]
  expect(fields.sort((a, b) => (a.field < b.field ? -1 : 1))).toEqual([
    {field: 'environment.DSN', from: 'db://{{config:PASSWORD}}@db/1', to: 'db://{{config:PASSWORD}}@db/2', edited: false},
    {field: 'environment.MODE', from: 'plain', to: 'fancy', edited: false},
    {field: 'environment.THEME', from: 'light', to: 'dark', edited: true},
    {field: 'environment.TOKEN_HINT', from: null, to: '{{config:TOKEN}}', edited: false},
    {field: 'exposedPort', from: '80', to: '8080', edited: false},
    {field: 'image', from: 'notes:1', to: 'notes:2', edited: false},
    {field: 'ports', from: '["18800:80"]', to: '["18800:8080"]', edited: false},
  ])
  expect(JSON.stringify(plan)).not.toContain(secret)
  expect(await servicesOf(daemon, projectId)).toMatchObject({web: {image: 'notes:1'}, cache: {image: 'cache:1'}})

  expect((await daemon.call('POST', route)).body.data).toEqual({changed: true, requiresRedeploy: false})
  const after = await servicesOf(daemon, projectId)
  expect(Object.keys(after).sort()).toEqual(['db', 'search', 'web'])
  expect(after).toMatchObject({web: {id: before['web']?.id, image: 'notes:2', exposedPort: '8080', ports: ['18800:8080'], drift: {changes: {environment: {}}}}, db: {id: before['db']?.id, drift: null}})
  const {TOKEN} = await reveal(daemon, projectId, 'search', ['TOKEN'])
  expect(TOKEN).toMatch(/^[0-9a-f]{64}$/)
  expect(await reveal(daemon, projectId, 'web', ['DSN', 'MODE', 'THEME', 'TOKEN_HINT'])).toEqual({DSN: `db://${secret}@db/2`, MODE: 'fancy', THEME: 'ours', TOKEN_HINT: TOKEN})
  expect((await reveal(daemon, projectId, 'db', ['PASSWORD']))['PASSWORD']).toBe(secret)
  expect((await daemon.call('GET', route)).body.data).toMatchObject({upToDate: true, services: []})
})

it('leaves a secret alone that was put in the place of that of the definition', async () => {
  const daemon = await startAppDaemon([])
  const projectId = await installed(daemon)
  await daemon.call('PUT', `/api/projects/${projectId}/services/web/env`, {environment: 'production', vars: [{key: 'DSN', value: 'db://elsewhere', isSecret: true}]})
  await daemon.call('POST', '/api/apps/custom', next)
  const plan = (await daemon.call('GET', `/api/projects/${projectId}/app-update`)).body.data
  expect(plan.services.find(({service}: {service: string}) => service === 'web').fields).toContainEqual(expect.objectContaining({field: 'environment.DSN', edited: true}))
  await daemon.call('POST', `/api/projects/${projectId}/app-update`)
  expect((await reveal(daemon, projectId, 'web', ['DSN']))['DSN']).toBe('db://elsewhere')
})

it('refuses a version that needs a value nobody gave, and changes nothing', async () => {
  const daemon = await startAppDaemon([])
  const projectId = await installed(daemon)
  await daemon.call('POST', '/api/apps/custom', {...next, configFields: [...(next['configFields'] as object[]), {key: 'MAIL', service: 'web', label: 'Mail', required: true}]})
  const {status, body} = await daemon.call('POST', `/api/projects/${projectId}/app-update`)
  expect([status, body]).toMatchObject([400, {code: 'VALIDATION_ERROR', errors: [{path: '/web/MAIL', message: 'Mail is required now; set MAIL of web first'}]}])
  expect(await servicesOf(daemon, projectId)).toMatchObject({web: {image: 'notes:1'}, cache: {image: 'cache:1'}})
  await daemon.call('PUT', `/api/projects/${projectId}/services/web/env`, {environment: 'production', vars: [{key: 'MAIL', value: 'a@example.org'}, {key: 'DSN', value: '••••••••', isSecret: true}]})
  expect((await daemon.call('POST', `/api/projects/${projectId}/app-update`)).body.data.changed).toBe(true)
})

it('goes on with the version of now where an install was begun with an older one', async () => {
  const daemon = await startAppDaemon([])
  const projectId = await installed(daemon)
  const secret = (await reveal(daemon, projectId, 'db', ['PASSWORD']))['PASSWORD']
  await daemon.call('POST', '/api/apps/custom', next)
  expect((await daemon.call('POST', '/api/apps', {templateId: 'notes'})).body.data.projectId).toBe(projectId)
  expect(await servicesOf(daemon, projectId)).toMatchObject({web: {image: 'notes:2'}, search: {image: 'search:1'}})
  expect((await reveal(daemon, projectId, 'web', ['DSN']))['DSN']).toBe(`db://${secret}@db/2`)
})

it('has nothing to say of a project that was not made from an app', async () => {
  const daemon = await startAppDaemon([])
  const {id} = (await daemon.call('POST', '/api/projects', {name: 'shop'})).body.data
  expect((await daemon.call('GET', `/api/projects/${id}/app-update`)).body.data).toEqual({appTemplateId: null, upToDate: true, services: [], generated: []})
  expect((await daemon.call('POST', `/api/projects/${id}/app-update`)).body).toMatchObject({code: 'VALIDATION_ERROR'})
  expect((await daemon.call('GET', `/api/projects/${id}/app-settings`)).body.data).toEqual({appTemplateId: null, management: null, groups: [], values: []})
})
