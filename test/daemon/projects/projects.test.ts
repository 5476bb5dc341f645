import fc from 'fast-check'
import {expect, it} from 'vitest'
import {toSlug} from '../../../daemon/projects/slug.js'
import {startTestDaemon} from '../start-test-daemon.js'

it('keeps what existing clients send and reads back what they print', async () => {
  const daemon = await startTestDaemon()
  const body = {name: 'My Shop', gitOwner: 'acme', gitRepo: 'shop', framework: 'next', port: 8080, projectType: 'services', localPath: '/srv/shop'}
  const created = await daemon.call('POST', '/api/projects', body)
  expect(created.body.data).toMatchObject({...body, slug: 'my-shop', gitBranch: 'main', autoDeploy: false, source: 'local', status: 'new'})
  expect(created.body.data.id).toMatch(/^proj_[\w-]{16}$/)
  expect((await daemon.call('GET', `/api/projects/${created.body.data.id}`)).body).toEqual(created.body)
})

it('refuses a taken name and a taken slug, and leaves what is there alone', async () => {
  const daemon = await startTestDaemon()
  await daemon.call('POST', '/api/projects', {name: 'Shop'})
  for (const body of [{name: 'Shop'}, {name: 'other', slug: 'shop'}]) {
    expect((await daemon.call('POST', '/api/projects', body)).body.code).toBe('PROJECT_EXISTS')
  }
  expect((await daemon.call('GET', '/api/projects')).body.data).toHaveLength(1)
})

it('walks pages by number exactly as asked, and by cursor without a gap or a repeat', async () => {
  const daemon = await startTestDaemon()
  for (let i = 0; i < 7; i++) await daemon.call('POST', '/api/projects', {name: `p${i}`})
  const numbered = await daemon.call('GET', '/api/projects?page=2&perPage=5')
  expect([numbered.body.data.length, numbered.body.total, numbered.body.page, numbered.body.perPage]).toEqual([2, 7, 2, 5])
  const names: string[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const {body} = await daemon.call('GET', `/api/projects?limit=3&cursor=${cursor}`)
    names.push(...body.data.map((project: {name: string}) => project.name))
    cursor = body.pageInfo.endCursor
  }
  expect(names.sort()).toEqual(['p0', 'p1', 'p2', 'p3', 'p4', 'p5', 'p6'])
})

it('makes a slug that is empty or fit for a host name out of any text', () => {
  fc.assert(fc.property(fc.string({unit: 'binary', maxLength: 200}), (text) => /^$|^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(toSlug(text))))
})

it('lets only administrators of the instance name a folder of the machine of the daemon', async () => {
  const {call} = await startTestDaemon()
  const owned = (await call('POST', '/api/projects', {name: 'Owned', localPath: '/srv/owned'})).body.data
  const grants = [{resourceType: 'project', resourceId: '*', permissions: ['create']}, {resourceType: 'project', resourceId: owned.id, permissions: ['write']}]
  const {token} = (await call('POST', '/api/tokens', {name: 'scoped', grants})).body.data
  const refused = [await call('POST', '/api/projects', {name: 'Reads', localPath: '/etc'}, token), await call('PATCH', `/api/projects/${owned.id}`, {localPath: '/etc'}, token)]
  for (const {status, body} of refused) expect([status, body]).toMatchObject([403, {code: 'INSTANCE_ADMIN_REQUIRED', error: expect.stringContaining('localPath')}])
  expect((await call('GET', '/api/projects')).body.data.map(({name}: {name: string}) => name)).toEqual(['Owned'])
  const kept = await call('PATCH', `/api/projects/${owned.id}`, {localPath: '/srv/owned', port: 8080}, token)
  expect(kept.body.data).toMatchObject({localPath: '/srv/owned', port: 8080})
  expect((await call('PATCH', `/api/projects/${owned.id}`, {localPath: null}, token)).body.data.localPath).toBeNull()
})
