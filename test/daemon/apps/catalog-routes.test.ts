import {writeFile} from 'node:fs/promises'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {startTestDaemon} from '../start-test-daemon.js'
import {app, catalogFolder, idsOf, manifest, startAppDaemon} from './app-fixture.js'

const bundled = [
  app('gitea', {category: 'backend', tags: ['git'], verified: true, marketplace: {articleFile: 'articles/gitea.md'}}),
  app('hidden', {unlisted: true}),
  app('soon', {available: false, services: undefined}),
  app('told', {marketplace: {article: '# Told'}}),
]

describe('the bundled catalog', () => {
  it('is listed with what the search found, without the unlisted', async () => {
    const {call} = await startAppDaemon(bundled)
    const {body} = await call('GET', '/api/apps/catalog')
    expect([idsOf(body.data), body.total]).toEqual([['gitea', 'soon', 'told'], 3])
    expect(body.facets).toEqual({categories: [{value: 'backend', count: 1}, {value: 'other', count: 2}], tags: [{value: 'git', count: 1}]})
    expect(body.data[0]).toMatchObject({id: 'gitea', verified: true, custom: false, comingSoon: false, hosting: 'self-hosted', configFields: []})
    expect(idsOf((await call('GET', '/api/apps/catalog?q=GITEA&installable=true&limit=1')).body.data)).toEqual(['gitea'])
    expect((await call('GET', '/api/apps/catalog?category=games')).body.errors).toEqual([{path: '/category', message: expect.stringContaining('backend')}])
  })

  it('is a public directory, which may be cached, without what belongs to an organization', async () => {
    const {call} = await startAppDaemon(bundled)
    await call('POST', '/api/apps/custom', app('mine'))
    const {status, headers, body} = await call('GET', '/api/apps/directory', undefined, null)
    expect([status, headers.get('cache-control'), idsOf(body.data)]).toEqual([200, 'public, max-age=600', ['gitea', 'soon', 'told']])
    expect(Object.keys(body.data[0])).not.toEqual(expect.arrayContaining(['custom']))
    expect(Object.keys(body.data[0])).not.toEqual(expect.arrayContaining(['configFields']))
    expect(idsOf((await call('GET', '/api/apps/directory?category=backend', undefined, null)).body.data)).toEqual(['gitea'])
  })

  it('shows whole definitions, of unlisted apps too, without keys that this release does not know', async () => {
    const {call} = await startAppDaemon([app('hidden', {unlisted: true, shinyKey: 1, services: [{name: 'web', image: 'a:1', environmnet: {A: 'b'}}]})])
    const {body} = await call('GET', '/api/apps/catalog/hidden')
    expect(body).toEqual({
      data: {
        id: 'hidden', name: 'App hidden', description: 'what hidden does', kind: 'template', logo: 'hidden', category: 'other', available: true, unlisted: true,
        services: [{name: 'web', image: 'a:1'}], custom: false, verified: false,
      },
      draft: null,
    })
  })

  it('answers one and the same 404 for what is not there', async () => {
    const {call} = await startAppDaemon(bundled)
    for (const id of ['nothing', 'GITEA', '..%2Fapps', '%00', '__proto__', 'constructor']) {
      expect(await call('GET', `/api/apps/catalog/${id}`)).toMatchObject({status: 404, body: {error: 'Not found', code: 'NOT_FOUND'}})
    }
  })

  it('serves the article of a file of its own or of the definition, and 404 where there is none', async () => {
    const folder = await catalogFolder(bundled, {'gitea.md': '# Gitea\n'})
    const {call} = await startTestDaemon({}, {catalogFolder: folder})
    expect((await call('GET', '/api/apps/catalog/gitea/article')).body).toEqual({data: {markdown: '# Gitea\n'}})
    expect((await call('GET', '/api/apps/catalog/told/article')).body).toEqual({data: {markdown: '# Told'}})
    expect((await call('GET', '/api/apps/catalog/soon/article')).status).toBe(404)
    const without = await startAppDaemon(bundled)
    expect((await without.call('GET', '/api/apps/catalog/gitea/article')).status).toBe(404)
  })

  it('never reads an article for an upload, which can name no file', async () => {
    const folder = await catalogFolder(bundled, {'gitea.md': '# Gitea\n'})
    const {call} = await startTestDaemon({}, {catalogFolder: folder})
    await call('POST', '/api/apps/custom', app('mine', {marketplace: {articleFile: 'articles/gitea.md'}}))
    expect((await call('GET', '/api/apps/catalog/mine/article')).status).toBe(404)
    await call('POST', '/api/apps/custom', app('mine', {marketplace: {article: 'mine'}}))
    expect((await call('GET', '/api/apps/catalog/mine/article')).body.data.markdown).toBe('mine')
    const climbing = app('climber', {marketplace: {articleFile: 'articles/../../etc/passwd.md'}})
    expect((await call('POST', '/api/apps/custom', climbing)).body.errors[0].path).toBe('/marketplace/articleFile')
  })

  it('leaves out what does not pass the gate, with one warning, and serves the rest', async () => {
    const {call, log} = await startAppDaemon([app('a'), {id: 'broken'}, 7, app('b')])
    expect(idsOf((await call('GET', '/api/apps/catalog')).body.data)).toEqual(['a', 'b'])
    await call('GET', '/api/apps/catalog')
    expect(log.filter((line) => line.includes('left out')).map((line) => JSON.parse(line))).toMatchObject([
      {level: 'warn', catalog: 'bundled', count: 2, first: expect.stringMatching(/^broken: \/name: /)},
    ])
    expect((await call('GET', '/api/apps/source')).body.data).toEqual({
      origin: 'bundled', url: null, apps: 2, fetchedAt: null, checkedAt: null, failure: null,
      skipped: [{id: 'broken', reason: expect.stringMatching(/^\/name: /)}, {id: null, reason: expect.any(String)}],
    })
  })

  it('that can not be read at all leaves an empty list and a warning', async () => {
    const folder = await catalogFolder([])
    await writeFile(path.join(folder, 'catalog.json'), '{"apps": ')
    const {call, log} = await startTestDaemon({}, {catalogFolder: folder})
    expect((await call('GET', '/api/apps/catalog')).body).toMatchObject({data: [], total: 0})
    expect(log.filter((line) => line.includes('bundled catalog can not be read'))).toHaveLength(1)
  })

  it('is read with the first request, and never again', async () => {
    const folder = await catalogFolder([app('early')])
    const {call} = await startTestDaemon({}, {catalogFolder: folder})
    await writeFile(path.join(folder, 'catalog.json'), manifest([app('late')]))
    expect(idsOf((await call('GET', '/api/apps/catalog')).body.data)).toEqual(['late'])
    await writeFile(path.join(folder, 'catalog.json'), manifest([app('later')]))
    expect(idsOf((await call('GET', '/api/apps/catalog')).body.data)).toEqual(['late'])
    expect(idsOf((await call('GET', '/api/apps/directory', undefined, null)).body.data)).toEqual(['late'])
  })

  it('of the package itself passes the gate whole', async () => {
    const {call} = await startTestDaemon()
    const {body} = await call('GET', '/api/apps/source')
    expect(body.data).toMatchObject({origin: 'bundled', skipped: []})
    expect((await call('GET', '/api/apps/catalog')).status).toBe(200)
  })

  it('asks nobody where no address is set: a refresh says so and fails nowhere', async () => {
    const {call} = await startAppDaemon(bundled)
    expect((await call('POST', '/api/apps/source/refresh')).body.data).toMatchObject({origin: 'bundled', url: null, apps: 4, failure: null, checkedAt: null})
  })
})

describe('who may see the catalog', () => {
  it('is whoever may list or create projects, and for a refresh an administrator of the instance', async () => {
    const {call} = await startAppDaemon(bundled)
    const mint = async (grants: object[]) => (await call('POST', '/api/tokens', {name: 't', grants})).body.data.token
    const creator = await mint([{resourceType: 'project', resourceId: '*', permissions: ['create']}])
    const stranger = await mint([{resourceType: 'job', resourceId: '*', permissions: ['read']}])
    for (const route of ['/api/apps/catalog', '/api/apps/catalog/gitea', '/api/apps/source', '/api/apps/custom', '/api/apps/catalog/gitea/host-fit']) {
      expect([route, (await call('GET', route, undefined, creator)).status]).toEqual([route, 200])
      expect((await call('GET', route, undefined, stranger)).body).toMatchObject({code: 'FORBIDDEN', required: 'project:list', held: ['job:read']})
    }
    expect((await call('POST', '/api/apps/source/refresh', undefined, creator)).body.code).toBe('FORBIDDEN')
    const settings = await mint([{resourceType: 'settings', resourceId: '*', permissions: ['write']}])
    expect((await call('POST', '/api/apps/source/refresh', undefined, settings)).body.code).toBe('INSTANCE_ADMIN_REQUIRED')
  })
})
