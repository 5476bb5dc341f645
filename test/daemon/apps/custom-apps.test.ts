import fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {CustomApps} from '../../../daemon/apps/records.js'
import {startTestDaemon, type TestDaemon} from '../start-test-daemon.js'
import {addOrganization, app, catalogFolder, idsOf, startAppDaemon, withStoreOf} from './app-fixture.js'

const upload = (daemon: TestDaemon, body: unknown, token?: string) => daemon.call('POST', '/api/apps/custom', body, token)
const listed = async (daemon: TestDaemon, token?: string) => idsOf((await daemon.call('GET', '/api/apps/catalog', undefined, token)).body.data)
const mint = async (daemon: TestDaemon, grants: object[]) => (await daemon.call('POST', '/api/tokens', {name: 't', grants})).body.data.token

describe('an upload', () => {
  it('is listed after the curated apps and shown, with trust and visibility of our saying', async () => {
    const daemon = await startAppDaemon([app('gitea')])
    const answer = await upload(daemon, app('mine', {verified: true, unlisted: true, available: false, custom: false, requiresUpdate: {}}))
    expect(answer).toMatchObject({status: 200, body: {data: {appId: 'mine', replaced: false, unknownKeys: ['/custom', '/requiresUpdate']}}})
    const {body} = await daemon.call('GET', '/api/apps/catalog')
    expect(body.data).toMatchObject([{id: 'gitea', custom: false}, {id: 'mine', custom: true, verified: false, comingSoon: false}])
    expect(body.data[1].requiresUpdate).toBeUndefined()
    expect((await daemon.call('GET', '/api/apps/catalog/mine')).body).toMatchObject({data: {custom: true, verified: false, unlisted: false, available: true}, draft: null})
    expect((await daemon.call('GET', '/api/apps/custom')).body.data).toEqual([{appId: 'mine', name: 'App mine', updatedAt: expect.stringMatching(/Z$/), problem: null}])
  })

  it('with a misspelt key loads without it, says which, and keeps it', async () => {
    const daemon = await startAppDaemon([])
    const service = {name: 'web', image: 'a:1', depends_on: ['db'], healthcheck: {test: 'true', 'start/period': '5s'}}
    expect((await upload(daemon, app('mine', {configfields: [], services: [service]}))).body.data.unknownKeys).toEqual([
      '/services/0/depends_on', '/services/0/healthcheck/start~1period', '/configfields',
    ])
    expect((await daemon.call('GET', '/api/apps/catalog/mine')).body.data.services).toEqual([{name: 'web', image: 'a:1', healthcheck: {test: 'true'}}])
    await daemon.daemon.stop()
    const texts = await withStoreOf(daemon.home, async (store) => {
      const found: string[] = []
      for await (const record of store.all(CustomApps)) found.push(record.definitionText)
      return found
    })
    expect(texts.map((text) => JSON.parse(text).services[0])).toEqual([service])
  })

  it('of the same id replaces the one before', async () => {
    const daemon = await startAppDaemon([])
    await upload(daemon, app('mine'))
    expect((await upload(daemon, app('mine', {name: 'Second'}))).body.data.replaced).toBe(true)
    expect((await daemon.call('GET', '/api/apps/custom')).body.data).toMatchObject([{appId: 'mine', name: 'Second'}])
    expect((await daemon.call('GET', '/api/apps/catalog?custom=true')).body.data).toMatchObject([{name: 'Second'}])
  })

  it('is gone when it is deleted, and deleting it again is no error', async () => {
    const daemon = await startAppDaemon([])
    await upload(daemon, app('mine'))
    const remove = async () => (await daemon.call('DELETE', '/api/apps/custom/mine')).body.data
    expect([await remove(), await remove()]).toEqual([{ok: true, deleted: true}, {ok: true, deleted: false}])
    expect([await listed(daemon), (await daemon.call('GET', '/api/apps/catalog/mine')).status]).toEqual([[], 404])
    expect((await daemon.call('DELETE', '/api/apps/custom/Mine')).body.data.deleted).toBe(false)
  })

  it('stays after a restart', async () => {
    const folder = await catalogFolder([app('gitea')])
    const first = await startTestDaemon({}, {catalogFolder: folder})
    await upload(first, app('mine'))
    await first.daemon.stop()
    const second = await startTestDaemon({home: first.home}, {catalogFolder: folder})
    expect(await listed(second)).toEqual(['gitea', 'mine'])
  })

  it('stands in the audit trail, without its content', async () => {
    const daemon = await startAppDaemon([])
    await upload(daemon, app('mine', {name: 'planted-secret'}))
    await upload(daemon, app('mine'))
    await daemon.call('DELETE', '/api/apps/custom/mine')
    await expect.poll(async () => (await daemon.call('GET', '/api/audit?resourceType=custom_app')).body.data.map((row: {eventType: string}) => row.eventType)).toEqual([
      'custom_app.deleted', 'custom_app.replaced', 'custom_app.uploaded',
    ])
    const {data} = (await daemon.call('GET', '/api/audit?resourceType=custom_app')).body
    expect(data[1]).toMatchObject({before: {appId: 'mine', revision: 1}, after: {appId: 'mine', revision: 2, name: 'App mine'}, resourceId: expect.stringMatching(/^capp_/)})
    expect(JSON.stringify(data)).not.toContain('1.2.3')
  })
})

describe('an upload is refused', () => {
  it.each<[string, unknown, string, RegExp, string[]]>([
    ['no object', '[]', 'VALIDATION_ERROR', /upload an app definition, a JSON object/, ['/']],
    ['null', 'null', 'VALIDATION_ERROR', /upload an app definition/, ['/']],
    ['nothing', undefined, 'VALIDATION_ERROR', /^Invalid app definition: \/id: .+\.$/, ['/id', '/name', '/description', '/kind', '/logo', '/category']],
    ['no JSON', '{"id": ', 'INVALID_JSON', /not valid JSON/, []],
    ['wrong types', {...app('a'), name: 1, tags: [{}]}, 'VALIDATION_ERROR', /^Invalid app definition: \/name: name must be a text, not 1/, ['/name', '/tags/0']],
    ['a service without an image', app('a', {services: [{name: 'web'}]}), 'VALIDATION_ERROR', /^Invalid app definition: service "web" must set exactly one of image or build\.$/, ['/services/0']],
    ['what does not fit together', app('a', {configFields: [{key: 'K', service: 'db', label: 'k'}], flowHref: 'https://evil.example'}), 'VALIDATION_ERROR', /configField references unknown service "db"/, ['/configFields/0/service', '/flowHref']],
    ['a shape that is too new', {...app('a'), schemaVersion: 2, name: 7}, 'APP_SCHEMA_TOO_NEW', /schemaVersion 2 is newer/, []],
    ['a flow', app('a', {kind: 'flow', services: undefined, flowHref: '/x'}), 'APP_KIND_REFUSED', /only apps of kind template/, []],
    ['the id of a curated app', app('gitea'), 'APP_ID_TAKEN', /^gitea is the id of a built-in app/, []],
    ['the id of one in another case', app('GiTea'), 'APP_ID_TAKEN', /^gitea is the id of a built-in app/, []],
    ['the id of an unlisted one', app('hidden'), 'APP_ID_TAKEN', /built-in/, []],
    ['the id of a placeholder', app('future'), 'APP_ID_TAKEN', /built-in/, []],
    ['a newer release', app('a', {minEngine: '99.0.0'}), 'APP_REQUIRES_UPDATE', /a needs release 99.0.0 or newer/, []],
    ['an id that no address can carry', app('../x'), 'VALIDATION_ERROR', /the id must be made of/, ['/id']],
    ['an id of dots', app('..'), 'VALIDATION_ERROR', /the id must be made of/, ['/id']],
    ['an id without a letter', app(''), 'VALIDATION_ERROR', /\/id/, ['/id']],
    ['an id that is too long', app('x'.repeat(101)), 'VALIDATION_ERROR', /\/id/, ['/id']],
    ['nesting without an end', `{"id": "a", "x": ${'['.repeat(400_000)}${']'.repeat(400_000)}}`, 'VALIDATION_ERROR', /nesting is deeper than 100 levels/, ['/']],
  ])('where it is %s', async (_what, body, code, message, paths) => {
    const daemon = await startAppDaemon([app('gitea'), app('hidden', {unlisted: true}), {...app('future'), schemaVersion: 2}])
    const answer = await upload(daemon, body)
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({code, error: expect.stringMatching(message)})
    expect((answer.body.errors ?? []).map((error: {path: string}) => error.path)).toEqual(paths)
    expect((await daemon.call('GET', '/api/apps/custom')).body.data).toEqual([])
  })

  it('where an own app has the id in another case', async () => {
    const daemon = await startAppDaemon([])
    await upload(daemon, app('mine'))
    expect((await upload(daemon, app('Mine'))).body).toMatchObject({code: 'APP_ID_TAKEN', appId: 'mine', error: expect.stringContaining('mine is there already')})
  })

  it('past a megabyte', async () => {
    const daemon = await startAppDaemon([])
    expect((await upload(daemon, app('mine', {description: 'x'.repeat(1_000_000)}))).body.code).toBe('PAYLOAD_TOO_LARGE')
  })

  it('without write on all projects: with create alone, or on one project', async () => {
    const daemon = await startAppDaemon([])
    const project = (await daemon.call('POST', '/api/projects', {name: 'shop'})).body.data.id
    await upload(daemon, app('mine'))
    const creator = await mint(daemon, [{resourceType: 'project', resourceId: '*', permissions: ['create']}])
    expect((await upload(daemon, app('b'), creator)).body).toMatchObject({code: 'FORBIDDEN', required: 'project:write'})
    const single = await mint(daemon, [{resourceType: 'project', resourceId: project, permissions: ['write']}])
    expect(await upload(daemon, app('b'), single)).toMatchObject({status: 404, body: {code: 'NOT_FOUND'}})
    for (const token of [creator, single]) expect((await daemon.call('DELETE', '/api/apps/custom/mine', undefined, token)).status).toBeGreaterThanOrEqual(403)
    expect(await listed(daemon, single)).toEqual(['mine'])
  })

  it('never with a 500, whatever JSON it is, and what was taken can be shown and deleted', async () => {
    const daemon = await startAppDaemon([app('gitea')])
    const keys = [...Object.keys(app('x')), 'configFields', 'settings', 'connection', 'files', 'endpoints', 'marketplace', 'minResources', '__proto__', 'constructor', 'toString']
    const mutated = fc.tuple(fc.constantFrom(...keys), fc.jsonValue({maxDepth: 4})).map(([key, value]) => `{${JSON.stringify(app('any')).slice(1, -1)}, ${JSON.stringify(key)}: ${JSON.stringify(value)}}`)
    const text = fc.oneof(mutated, fc.jsonValue().map((value) => JSON.stringify(value)), fc.string().map((id) => JSON.stringify(app(id))))
    await fc.assert(
      fc.asyncProperty(text, async (body) => {
        const {status, body: answer} = await upload(daemon, body)
        expect([200, 400]).toContain(status)
        if (status === 400) {
          expect(answer).toMatchObject({code: expect.any(String), error: expect.any(String)})
          return
        }
        const id = encodeURIComponent(answer.data.appId)
        expect((await daemon.call('GET', '/api/apps/catalog')).status).toBe(200)
        expect((await daemon.call('GET', `/api/apps/catalog/${id}`)).status).toBe(200)
        expect((await daemon.call('DELETE', `/api/apps/custom/${id}`)).body.data.deleted).toBe(true)
      }),
      {numRuns: 300},
    )
    expect(daemon.log.filter((line) => line.includes('"level":"error"'))).toEqual([])
  })
})

describe('organizations', () => {
  it('see, replace and delete their own uploads only', async () => {
    const folder = await catalogFolder([])
    const first = await startTestDaemon({}, {catalogFolder: folder})
    await upload(first, app('mine', {name: 'of the first'}))
    await first.daemon.stop()
    const other = await addOrganization(first.home, 'other')
    const daemon = await startTestDaemon({home: first.home}, {catalogFolder: folder})
    expect([await listed(daemon, other), (await daemon.call('GET', '/api/apps/catalog/mine', undefined, other)).status]).toEqual([[], 404])
    expect((await daemon.call('DELETE', '/api/apps/custom/mine', undefined, other)).body.data.deleted).toBe(false)
    expect((await upload(daemon, app('mine', {name: 'of the other'}), other)).body.data.replaced).toBe(false)
    const nameFor = async (token: string) => (await daemon.call('GET', '/api/apps/catalog/mine', undefined, token)).body.data.name
    expect([await nameFor(first.token), await nameFor(other)]).toEqual(['of the first', 'of the other'])
  })

  it('lose an upload to a curated app of the same id that comes later, and are told so', async () => {
    const first = await startAppDaemon([])
    await upload(first, app('gitea', {name: 'of mine'}))
    await first.daemon.stop()
    const daemon = await startTestDaemon({home: first.home}, {catalogFolder: await catalogFolder([app('gitea', {name: 'curated'})])})
    expect((await daemon.call('GET', '/api/apps/catalog')).body.data).toMatchObject([{name: 'curated', custom: false}])
    expect((await daemon.call('GET', '/api/apps/catalog/gitea')).body.data).toMatchObject({name: 'curated', custom: false})
    expect((await daemon.call('GET', '/api/apps/custom')).body.data).toMatchObject([{appId: 'gitea', problem: expect.stringContaining('built-in')}])
    expect((await daemon.call('DELETE', '/api/apps/custom/gitea')).body.data.deleted).toBe(true)
  })
})
