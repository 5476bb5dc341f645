import {expect, test} from 'vitest'
import {addOrganization, app, startAppDaemon} from '../../apps/app-fixture.js'
import {startTestDaemon, type TestDaemon} from '../../start-test-daemon.js'

const search = app('search', {
  category: 'database',
  services: [
    {name: 'web', image: 'web:1', exposed: true, exposedPort: 80, ports: ['0.0.0.0:8090:80']},
    {name: 'db', image: 'db:1', ports: ['5432:5432'], environment: {DB_USER: 'kim'}},
  ],
  configFields: [{key: 'PASSWORD', service: 'db', label: 'Password', generate: 'secret', secret: true}],
  endpoints: [{service: 'web', port: 80, label: 'web', kind: 'http', scope: 'public'}, {service: 'db', port: 5432, label: 'db', kind: 'tcp', scope: 'internal'}],
  connection: {
    title: 'Search', guide: {defaultMode: 'internal', intro: {en: 'hello'}}, firstLogin: {note: 'none'},
    outputs: [
      {id: 'url', label: 'Address', source: 'publicUrl:web', kind: 'url'},
      {id: 'database', label: 'Database', source: 'template:postgres://{{env:db:DB_USER}}:{{env:db:PASSWORD}}@{{host}}:5432/app', service: 'db', secret: true, envKey: 'DATABASE_URL'},
      {id: 'password', label: 'Password', source: 'env:db:PASSWORD', secret: true, variants: [{id: 'user', label: 'User', source: 'env:db:DB_USER'}]},
      {id: 'nothing', label: 'Nothing', source: 'env:db:NOTHING'},
    ],
  },
  provides: [{id: 'sql', outputRefs: ['database', 'password']}],
})

interface Both {
  readonly daemon: TestDaemon
  readonly source: string
  readonly target: string
  call(method: string, path: string, body?: unknown): Promise<{status: number; body: unknown}>
  env(): Promise<Record<string, string>>
}

/** An installed app, and a project of a person that could use it; both on a server of this address. */
async function both(targetServices: readonly string[] = ['shop'], {apart = false} = {}): Promise<Both> {
  const daemon = await startAppDaemon([search])
  const servers = await Promise.all(['203.0.113.5', '203.0.113.6'].map(async (sshHost) => (await daemon.call('POST', '/api/system/servers', {name: sshHost, sshHost, sshUser: 'root', sshAuthMethod: 'password', sshPassword: 'x', hostKeyFingerprint: null})).body.id as string))
  const source = (await daemon.call('POST', '/api/apps', {templateId: 'search', serverId: servers[0]})).body.data.projectId as string
  const target = (await daemon.call('POST', '/api/projects', {name: 'Shop', projectType: 'services', serverId: servers[apart ? 1 : 0]})).body.data.id as string
  for (const name of targetServices) await daemon.call('POST', `/api/projects/${target}/services`, {name, image: 'shop:1'})
  return {
    daemon, source, target,
    call: (method, path, body) => daemon.call(method, `/api/projects/${path}`, body),
    env: async () => (await daemon.call('POST', `/api/projects/${target}/env-reveal`, {environment: 'production', keys: ['DATABASE_URL', 'URL', 'PW']})).body.data.environment,
  }
}

const output = (body: {data: {outputs: {id: string; value: string}[]}}, id: string) => body.data.outputs.find((one) => one.id === id)

test('the card of an app has its values, secrets included, and nothing that stays behind', async () => {
  const {daemon, source} = await both()
  const {status, body} = await daemon.call('GET', `/api/projects/${source}/app-connection`)
  expect(status).toBe(200)
  expect(body.data).toMatchObject({title: 'Search', guide: {defaultMode: 'internal', intro: {en: 'hello'}}})
  expect(body.data).not.toHaveProperty('firstLogin')
  expect(output(body, 'url')).toEqual({id: 'url', label: 'Address', kind: 'url', secret: false, service: 'web', value: 'http://203.0.113.5:8090'})
  const password = output(body, 'password')
  expect(password).toMatchObject({value: expect.stringMatching(/^[0-9a-f]{64}$/), secret: true, variants: [{id: 'user', label: 'User', value: 'kim'}]})
  expect(output(body, 'database')).toMatchObject({value: `postgres://kim:${password?.value}@203.0.113.5:5432/app`, envKey: 'DATABASE_URL'})
  expect(output(body, 'nothing')?.value).toBe('')
})

test('on the machine of the daemon a card names ports that are open to it only by its loopback address, and says so', async () => {
  const local = app('local', {services: [{name: 'web', image: 'web:1', exposed: true, exposedPort: 80, ports: ['8090:80']}], connection: {outputs: [{id: 'url', label: 'URL', source: 'publicUrl:web'}, {id: 'host', label: 'Host', source: 'template:{{host}}:8090', service: 'web'}]}})
  const daemon = await startAppDaemon([local])
  const {projectId} = (await daemon.call('POST', '/api/apps', {templateId: 'local'})).body.data
  const {body} = await daemon.call('GET', `/api/projects/${projectId}/app-connection`)
  const note = expect.stringContaining('127.0.0.1')
  expect(body.data.outputs).toEqual([expect.objectContaining({value: 'http://127.0.0.1:8090', note}), expect.objectContaining({value: '127.0.0.1:8090', note})])
  const other = (await daemon.call('POST', '/api/projects', {name: 'Other'})).body.data.id
  const refused = await daemon.call('POST', `/api/projects/${other}/connections`, {sourceProjectId: projectId, outputId: 'url', envKey: 'URL', mode: 'internal'})
  expect(refused.body.data.connection).toMatchObject({mode: 'internal', envKey: 'URL'})
})

test('any other project shows its services as they are reached from within, those that are exposed first', async () => {
  const daemon = await startTestDaemon()
  const {id} = (await daemon.call('POST', '/api/projects', {name: 'Mine', projectType: 'services'})).body.data
  await daemon.call('POST', `/api/projects/${id}/services`, {name: 'cache', image: 'c:1', ports: ['6379']})
  await daemon.call('POST', `/api/projects/${id}/services`, {name: 'job', image: 'j:1'})
  await daemon.call('POST', `/api/projects/${id}/services`, {name: 'web-app', image: 'w:1', exposed: true, exposedPort: '8080'})
  const {body} = await daemon.call('GET', `/api/projects/${id}/app-connection`)
  const plain = {secret: false, internal: true, width: 'full'}
  expect(body.data).toEqual({guide: {defaultMode: 'internal'}, outputs: [
    {id: 'web-app', label: 'web-app', value: 'http://web-app:8080', envKey: 'WEB_APP_URL', service: 'web-app', ...plain},
    {id: 'cache', label: 'cache', value: 'http://cache:6379', envKey: 'CACHE_URL', service: 'cache', ...plain},
  ]})
  const one = (await daemon.call('POST', '/api/projects', {name: 'One Page', image: 'page:1', port: 4000})).body.data.id
  expect((await daemon.call('GET', `/api/projects/${one}/app-connection`)).body.data.outputs).toMatchObject([{id: 'one-page', value: 'http://one-page:4000', envKey: 'ONE_PAGE_URL'}])
  const still = (await daemon.call('POST', '/api/projects', {name: 'Still', image: 'page:1', hasServer: false})).body.data.id
  expect((await daemon.call('GET', `/api/projects/${still}/app-connection`)).body.data.outputs).toEqual([])
})

test('a card is shown to those who may write, not to those who may read', async () => {
  const {daemon, source} = await both()
  const grants = (permission: string) => ({name: permission, grants: [{resourceType: 'project', resourceId: source, permissions: [permission]}]})
  const reader = (await daemon.call('POST', '/api/tokens', grants('read'))).body.data.token as string
  const writer = (await daemon.call('POST', '/api/tokens', grants('write'))).body.data.token as string
  expect((await daemon.call('GET', `/api/projects/${source}/app-connection`, undefined, reader)).status).toBe(403)
  expect((await daemon.call('GET', `/api/projects/${source}/app-connection`, undefined, writer)).status).toBe(200)
})

test('a link takes what its value takes to be seen: whoever may only read a project gets nothing of it by way of another', async () => {
  const {daemon, source, target} = await both()
  const token = async (permission: string) => (await daemon.call('POST', '/api/tokens', {name: permission, grants: [
    {resourceType: 'project', resourceId: source, permissions: [permission]}, {resourceType: 'project', resourceId: target, permissions: ['write']},
  ]})).body.data.token as string
  const connect = async (by: string) => daemon.call('POST', `/api/projects/${target}/connections`, {sourceProjectId: source, outputId: 'password', envKey: 'PW'}, by)
  expect((await connect(await token('read'))).body).toMatchObject({code: 'CONNECTION_REFUSED', reason: 'source-unknown'})
  expect((await daemon.call('GET', `/api/projects/${target}/env`)).body.data).toEqual([])
  expect((await connect(await token('write'))).status).toBe(200)
})

test('a link hands a value over as a secret, internal where its endpoint is, and is listed on both sides', async () => {
  const {call, source, target, env} = await both()
  const made = await call('POST', `${target}/connections`, {sourceProjectId: source, outputId: 'database', envKey: 'DATABASE_URL'})
  expect(made).toMatchObject({status: 200, body: {data: {requiresRedeploy: true, connection: {
    id: expect.stringMatching(/^lnk_/), sourceProjectId: source, sourceName: 'App search', sourceAppTemplateId: 'search', targetProjectId: target, outputId: 'database', envKey: 'DATABASE_URL', mode: 'internal',
  }}}})
  expect((await env())['DATABASE_URL']).toMatch(/^postgres:\/\/kim:[0-9a-f]{64}@db:5432\/app$/)
  expect((await call('GET', `${target}/env`)).body).toMatchObject({data: [{key: 'DATABASE_URL', isSecret: true, environment: 'production', serviceId: null, value: '••••••••'}]})
  const open = await call('POST', `${target}/connections`, {sourceProjectId: source, outputId: 'url', envKey: 'URL'})
  expect(open.body).toMatchObject({data: {connection: {mode: 'public'}}})
  expect((await env())['URL']).toBe('http://203.0.113.5:8090')
  expect((await call('GET', `${target}/connections`)).body).toMatchObject([{envKey: 'DATABASE_URL', sourceName: 'App search'}, {envKey: 'URL'}])
  expect((await call('GET', `${source}/connections/consumers`)).body).toMatchObject([{targetProjectId: target, targetName: 'Shop', targetSlug: 'shop', outputId: 'database', envKey: 'DATABASE_URL', mode: 'internal'}, {envKey: 'URL'}])
})

test('an asked mode is taken: internal leads to the service by name, public to the server', async () => {
  const {call, source, target, env} = await both()
  await call('POST', `${target}/connections`, {sourceProjectId: source, outputId: 'url', envKey: 'URL', mode: 'internal'})
  await call('POST', `${target}/connections`, {sourceProjectId: source, outputId: 'database', envKey: 'DATABASE_URL', mode: 'public'})
  expect(await env()).toMatchObject({URL: 'http://web:80', DATABASE_URL: expect.stringContaining('@203.0.113.5:5432/app')})
})

test('an internal link between two servers is refused where it was asked for, and public where it was not', async () => {
  const {call, source, target, env} = await both(['shop'], {apart: true})
  const asked = await call('POST', `${target}/connections`, {sourceProjectId: source, outputId: 'database', envKey: 'DATABASE_URL', mode: 'internal'})
  expect(asked).toMatchObject({status: 400, body: {code: 'CONNECTION_REFUSED', error: expect.stringContaining('not on the same server')}})
  const plain = await call('POST', `${target}/connections`, {sourceProjectId: source, outputId: 'database', envKey: 'DATABASE_URL'})
  expect(plain.body).toMatchObject({data: {connection: {mode: 'public'}}})
  expect((await env())['DATABASE_URL']).toContain('@203.0.113.5:5432/app')
})

test('a service of the same name on the target stands in the way of an internal link', async () => {
  const {call, source, target} = await both(['shop', 'db'])
  const asked = await call('POST', `${target}/connections`, {sourceProjectId: source, outputId: 'database', envKey: 'DATABASE_URL', mode: 'internal'})
  expect(asked).toMatchObject({status: 400, body: {error: expect.stringContaining('has a service named db itself')}})
})

test('a bundle is handed over whole or not at all', async () => {
  const {call, source, target, env} = await both()
  await call('PATCH', `${target}/env`, {environment: 'production', upserts: [{key: 'PW', value: 'mine'}], deletes: []})
  const items = [{outputId: 'database', envKey: 'DATABASE_URL'}, {outputId: 'password', envKey: 'PW'}]
  expect(await call('POST', `${target}/connections/bundle`, {sourceProjectId: source, items})).toMatchObject({status: 400, body: {code: 'CONNECTION_REFUSED', error: 'PW of Shop was set by hand; delete it first'}})
  expect([await env(), (await call('GET', `${target}/connections`)).body]).toEqual([{PW: 'mine'}, []])
  await call('PATCH', `${target}/env`, {environment: 'production', upserts: [], deletes: ['PW']})
  expect((await call('POST', `${target}/connections/bundle`, {sourceProjectId: source, items})).body).toMatchObject({data: {requiresRedeploy: true, connections: [{envKey: 'DATABASE_URL'}, {envKey: 'PW'}]}})
  expect(Object.keys(await env()).sort()).toEqual(['DATABASE_URL', 'PW'])
})

test('what can not be connected is refused with the reason', async () => {
  const {call, source, target} = await both()
  const connect = (more: object) => call('POST', `${target}/connections`, {sourceProjectId: source, outputId: 'url', envKey: 'URL', ...more})
  const refusals: [object, string][] = [
    [{sourceProjectId: target}, 'can not be connected to itself'],
    [{sourceProjectId: 'proj_nowherenowhere00'}, 'there is no project'],
    [{outputId: 'other'}, 'has no output other; it has url, database, password, nothing'],
    [{outputId: 'nothing'}, 'has no value'],
  ]
  for (const [more, reason] of refusals) expect(await connect(more), reason).toMatchObject({status: 400, body: {code: 'CONNECTION_REFUSED', error: expect.stringContaining(reason)}})
  expect(await connect({envKey: 'not a key'})).toMatchObject({status: 400, body: {code: 'VALIDATION_ERROR'}})
  await connect({})
  expect(await connect({outputId: 'password'})).toMatchObject({status: 400, body: {error: expect.stringContaining('comes from App search already')}})
})

test('a project of another organization is not there, and one that may not be read neither', async () => {
  const first = await startAppDaemon([search])
  const source = (await first.call('POST', '/api/apps', {templateId: 'search'})).body.data.projectId as string
  await first.daemon.stop()
  const stranger = await addOrganization(first.home, 'strangers')
  const daemon = await startTestDaemon({home: first.home})
  const theirs = (await daemon.call('POST', '/api/projects', {name: 'Theirs'}, stranger)).body.data.id as string
  const body = {sourceProjectId: source, outputId: 'password', envKey: 'PW'}
  expect(await daemon.call('POST', `/api/projects/${theirs}/connections`, body, stranger)).toMatchObject({status: 400, body: {code: 'CONNECTION_REFUSED', error: `there is no project ${source} to connect to`}})
})

test('disconnecting takes the variable along; while it is connected nobody sets it by hand', async () => {
  const {call, source, target, env} = await both()
  const {body} = await call('POST', `${target}/connections`, {sourceProjectId: source, outputId: 'password', envKey: 'PW'})
  const {id} = (body as {data: {connection: {id: string}}}).data.connection
  const change = {environment: 'production', upserts: [{key: 'PW', value: 'mine'}], deletes: []}
  expect(await call('PATCH', `${target}/env`, change)).toMatchObject({status: 409, body: {code: 'CONFLICT', error: 'PW of Shop comes from App search'}})
  expect((await call('DELETE', `${source}/connections/${id}`)).status).toBe(404)
  expect(await call('DELETE', `${target}/connections/${id}`)).toMatchObject({status: 200, body: {ok: true}})
  expect([await env(), (await call('GET', `${source}/connections/consumers`)).body]).toEqual([{}, []])
  expect((await call('PATCH', `${target}/env`, change)).status).toBe(200)
})

test('a deletion names who uses the project before, and takes the links away with their variables', async () => {
  const {call, source, target, env} = await both()
  await call('POST', `${target}/connections`, {sourceProjectId: source, outputId: 'password', envKey: 'PW'})
  expect((await call('GET', `${source}/deletion-preview`)).body).toMatchObject({data: {consumers: [{projectId: target, name: 'Shop', slug: 'shop', envKey: 'PW'}]}})
  expect((await call('DELETE', source)).body).toMatchObject({ok: true, unlinked: ['PW of Shop'], steps: expect.arrayContaining([expect.objectContaining({step: 'unlink_consumers', status: 'ok'})])})
  expect([await env(), (await call('GET', `${target}/connections`)).body]).toEqual([{}, []])
})

test('a service that has the key in its own environment is named, as it does not get the value', async () => {
  const {source, target, call} = await both()
  for (const [name, value] of [['worker', 'own'], ['cache', '']]) await call('POST', `${target}/services`, {name, image: 'shop:1', environment: {PW: value}})
  const {body} = await call('POST', `${target}/connections`, {sourceProjectId: source, outputId: 'password', envKey: 'PW'})
  expect(body).toMatchObject({data: {connection: {envKey: 'PW', shadowedBy: ['worker']}}})
  expect((await call('GET', `${target}/connections`)).body).toMatchObject([{envKey: 'PW', shadowedBy: ['worker']}])
})
