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

it('is linked to a repository of a code host, and given another branch', async () => {
  const daemon = await startTestDaemon()
  const {id} = (await daemon.call('POST', '/api/projects', {name: 'Linked', image: 'nginx:1.27'})).body.data
  const linked = await daemon.call('POST', `/api/projects/${id}/git/link`, {owner: 'acme', repo: 'site', installationId: 7})
  expect(linked.body).toEqual({success: true, owner: 'acme', repo: 'site', branch: 'main', webhook_strategy: 'none', auto_deploy: false})
  const byAddress = await daemon.call('POST', `/api/projects/${id}/git/link`, {url: 'https://git.example.com/acme/site.git', branch: 'main'})
  expect(byAddress.body).toMatchObject({success: true, owner: null, repo: null, branch: 'main'})
  expect((await daemon.call('GET', `/api/projects/${id}`)).body.data).toMatchObject({gitUrl: 'https://git.example.com/acme/site.git', gitOwner: null})
  for (const body of [{owner: 'acme'}, {}, {owner: 'acme', repo: 'site', url: 'https://git.example.com/acme/site.git'}]) expect((await daemon.call('POST', `/api/projects/${id}/git/link`, body)).body).toMatchObject({code: 'VALIDATION_ERROR', errors: [{path: '/url'}]})
  await daemon.call('POST', `/api/projects/${id}/git/link`, {owner: 'acme', repo: 'site'})
  expect((await daemon.call('POST', `/api/projects/${id}/branch`, {branch: 'release'})).body).toEqual({success: true, branch: 'release'})
  expect((await daemon.call('POST', `/api/projects/${id}/branch`, {branch: ' '})).body).toMatchObject({code: 'VALIDATION_ERROR', errors: [{path: '/branch'}]})
  expect((await daemon.call('GET', `/api/projects/${id}`)).body.data).toMatchObject({sourceKind: 'git', gitOwner: 'acme', gitRepo: 'site', gitBranch: 'release', gitUrl: null})
})

it('takes loose options, and passes over what no client may set', async () => {
  const daemon = await startTestDaemon()
  const {id} = (await daemon.call('POST', '/api/projects', {name: 'Options'})).body.data
  const {body} = await daemon.call('POST', `/api/projects/${id}/options`, {port: 8080, organizationId: 'org_other', activeDeploymentId: 'dep_x', cpuTier: 'large'})
  expect(body).toMatchObject({id, port: 8080, activeDeploymentId: null})
  expect(body.organizationId).not.toBe('org_other')
})

it('tells its environments, and that nothing here sleeps', async () => {
  const daemon = await startTestDaemon()
  const {id} = (await daemon.call('POST', '/api/projects', {name: 'Info'})).body.data
  expect((await daemon.call('GET', `/api/projects/${id}/info`)).body).toMatchObject({success: true, data: {project: {id}, environments: [{id, slug: 'production', type: 'production', isActive: false}]}})
  expect((await daemon.call('POST', `/api/projects/${id}/sleep-mode`, {sleep_mode: 'always_on'})).body).toEqual({success: true, sleep_mode: 'always_on'})
  expect((await daemon.call('POST', `/api/projects/${id}/sleep-mode`, {sleep_mode: 'auto_sleep'})).body).toMatchObject({code: 'VALIDATION_ERROR', errors: [{path: '/sleep_mode', message: 'must be always_on'}]})
  expect((await daemon.call('GET', `/api/projects/${id}/deployments?page=1&perPage=5`)).body).toEqual({success: true, data: [], total: 0, page: 1, perPage: 5})
  expect((await daemon.call('GET', `/api/projects/${id}/logs`)).body.code).toBe('NOTHING_DEPLOYED')
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
