import {describe, expect, it} from 'vitest'
import {startTestDaemon, type TestDaemon} from '../start-test-daemon.js'

async function newProject(daemon: TestDaemon, name: string): Promise<string> {
  return (await daemon.call('POST', '/api/projects', {name})).body.data.id
}

async function newToken(daemon: TestDaemon, wish: object, by?: string): Promise<string> {
  const answer = await daemon.call('POST', '/api/tokens', {name: 'test', ...wish}, by)
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body.data.token
}

describe('access tokens', () => {
  it('shows the secret once, of the documented form, and lists only its prefix', async () => {
    const daemon = await startTestDaemon()
    const created = await daemon.call('POST', '/api/tokens', {name: 'ci', fullAccess: true, expiresInDays: 30})
    expect(created.status).toBe(201)
    const {token, tokenPrefix, expiresAt, createdAt} = created.body.data
    expect(token).toMatch(/^moor_pat_[0-9A-Za-z]{43}$/)
    expect(tokenPrefix).toBe(token.slice(0, 15))
    expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(30 * 86_400_000)
    const list = await daemon.call('GET', '/api/tokens')
    expect(list.status).toBe(200)
    expect(list.body.data.map((row: {name: string}) => row.name)).toEqual(['ci', 'first token'])
    expect(JSON.stringify(list.body)).not.toContain(token)
    expect(Object.keys(list.body.data[0]).sort()).toEqual(
      ['createdAt', 'expiresAt', 'id', 'lastUsedAt', 'name', 'readOnly', 'revokedAt', 'scoped', 'tokenPrefix', 'useCount'],
    )
  })

  it.each([
    ['TOKEN_SCOPE_REQUIRED', 400, {}],
    ['TOKEN_SCOPE_REQUIRED', 400, {fullAccess: false}],
    ['TOKEN_SCOPE_REQUIRED', 400, {grants: [{resourceType: 'job', resourceId: '*', permissions: []}]}],
    ['AMBIGUOUS_TOKEN_SCOPE', 400, {fullAccess: true, grants: [{resourceType: 'job', resourceId: '*', permissions: ['read']}]}],
    ['INVALID_RESOURCE_TYPE', 400, {grants: [{resourceType: 'spaceship', resourceId: '*', permissions: ['read']}]}],
    ['SINGLETON_REQUIRES_WILDCARD', 400, {grants: [{resourceType: 'job', resourceId: 'job_1', permissions: ['read']}]}],
    ['INVALID_GRANT_SCOPE', 400, {grants: [{resourceType: 'project', resourceId: '*', permissions: ['read']}]}],
    ['INVALID_GRANT_SCOPE', 400, {grants: [{resourceType: 'job', resourceId: '*', permissions: ['create']}]}],
    ['GRANT_EXCEEDS_ACCESS', 403, {grants: [{resourceType: 'project', resourceId: 'proj_missing', permissions: ['read']}]}],
    ['VALIDATION_ERROR', 400, {fullAccess: true, expiresInDays: 0}],
    ['VALIDATION_ERROR', 400, {fullAccess: true, expiresInDays: 366}],
    ['VALIDATION_ERROR', 400, {fullAccess: true, name: ''}],
    ['VALIDATION_ERROR', 400, {fullAccess: true, surprise: 1}],
  ])('answers %s (%i) and makes nothing for %j', async (code, status, wish) => {
    const daemon = await startTestDaemon()
    const answer = await daemon.call('POST', '/api/tokens', {name: 'test', ...wish})
    expect([answer.status, answer.body.code]).toEqual([status, code])
    expect((await daemon.call('GET', '/api/tokens')).body.data).toHaveLength(1)
  })

  it('ends a token at once when it is revoked, keeps its row, and answers 404 the second time', async () => {
    const daemon = await startTestDaemon()
    const secret = await newToken(daemon, {fullAccess: true})
    const {id} = (await daemon.call('GET', '/api/tokens')).body.data[0]
    expect((await daemon.call('DELETE', `/api/tokens/${id}`)).body).toEqual({data: {revoked: true}})
    const refused = await daemon.call('GET', '/api/auth/whoami', undefined, secret)
    expect([refused.status, refused.body.code]).toEqual([401, 'INVALID_TOKEN'])
    expect((await daemon.call('DELETE', `/api/tokens/${id}`)).status).toBe(404)
    expect((await daemon.call('GET', '/api/tokens')).body.data[0].revokedAt).toMatch(/Z$/)
  })

  it('lets a scoped token see and do what its grants name, and nothing else', async () => {
    const daemon = await startTestDaemon()
    const [mine, other] = [await newProject(daemon, 'mine'), await newProject(daemon, 'other')]
    const secret = await newToken(daemon, {grants: [{resourceType: 'project', resourceId: mine, permissions: ['read']}]})
    const list = await daemon.call('GET', '/api/projects', undefined, secret)
    expect(list.body.data.map((project: {id: string}) => project.id)).toEqual([mine])
    expect((await daemon.call('GET', `/api/projects/${mine}`, undefined, secret)).status).toBe(200)
    const [foreign, missing] = [await daemon.call('GET', `/api/projects/${other}`, undefined, secret), await daemon.call('GET', '/api/projects/proj_no', undefined, secret)]
    expect([foreign.status, foreign.body]).toEqual([404, missing.body])
    const refused = await daemon.call('GET', '/api/tokens', undefined, secret)
    expect([refused.status, refused.body.code, refused.body.required, refused.body.held]).toEqual([403, 'FORBIDDEN', 'settings:read', ['project:read']])
    expect((await daemon.call('DELETE', `/api/projects/${mine}`, undefined, secret)).body.code).toBe('FORBIDDEN')
    expect((await daemon.call('GET', `/api/projects/${mine}`)).status).toBe(200)
  })

  it('never lets a token make a wider one', async () => {
    const daemon = await startTestDaemon()
    const project = await newProject(daemon, 'shop')
    const settings = {resourceType: 'settings', resourceId: '*', permissions: ['write']}
    const scoped = await newToken(daemon, {expiresInDays: 5, grants: [settings, {resourceType: 'project', resourceId: project, permissions: ['read']}]})
    const attempts = [
      {fullAccess: true, expiresInDays: 1},
      {expiresInDays: 1, grants: [{resourceType: 'project', resourceId: project, permissions: ['write']}]},
      {expiresInDays: 1, grants: [{resourceType: 'server', resourceId: '*', permissions: ['read']}]},
      {expiresInDays: 1, grants: [{resourceType: 'project', resourceId: '*', permissions: ['create']}]},
      {expiresInDays: 6, grants: [settings]},
      {grants: [settings]},
    ]
    for (const attempt of attempts) {
      const answer = await daemon.call('POST', '/api/tokens', {name: 'wider', ...attempt}, scoped)
      expect([answer.status, answer.body.code], JSON.stringify(attempt)).toEqual([403, 'GRANT_EXCEEDS_ACCESS'])
    }
    await newToken(daemon, {expiresInDays: 4, grants: [settings]}, scoped)
    const readOnly = await newToken(daemon, {readOnly: true, fullAccess: true})
    expect((await daemon.call('POST', '/api/tokens', {name: 'x', fullAccess: true}, readOnly)).body.code).toBe('TOKEN_READ_ONLY')
  })

  it('gives a token with the create grant what it makes, and only that', async () => {
    const daemon = await startTestDaemon()
    const old = await newProject(daemon, 'old')
    const secret = await newToken(daemon, {grants: [{resourceType: 'project', resourceId: '*', permissions: ['create']}]})
    expect((await daemon.call('GET', '/api/projects', undefined, secret)).body.data).toEqual([])
    const made = await daemon.call('POST', '/api/projects', {name: 'made'}, secret)
    expect(made.status).toBe(201)
    const {id} = made.body.data
    expect((await daemon.call('GET', '/api/projects?page=1&perPage=50', undefined, secret)).body).toMatchObject({data: [{id}], total: 1, page: 1, perPage: 50})
    expect((await daemon.call('GET', `/api/projects/${old}`, undefined, secret)).status).toBe(404)
    expect((await daemon.call('DELETE', `/api/projects/${id}`, undefined, secret)).body).toMatchObject({ok: true, message: 'Project deleted'})
  })

  it('merges a resource that is named twice into one grant', async () => {
    const daemon = await startTestDaemon()
    const project = await newProject(daemon, 'shop')
    const grant = (permission: string) => ({resourceType: 'project', resourceId: project, permissions: [permission]})
    const secret = await newToken(daemon, {grants: [grant('read'), grant('write')]})
    const who = await daemon.call('GET', '/api/auth/whoami', undefined, secret)
    expect(who.body.data.credential.grants).toEqual([{resourceType: 'project', resourceId: project, permissions: ['read', 'write']}])
    expect(who.body.data).toMatchObject({role: 'restricted', memberRole: 'owner', instanceAdmin: false, organization: {slug: 'default'}})
  })

  it('offers billing as a kind of resource only where there is billing', async () => {
    for (const mode of ['selfhosted', 'cloud'] as const) {
      const daemon = await startTestDaemon({mode})
      const answer = await daemon.call('POST', '/api/tokens', {name: 'x', grants: [{resourceType: 'nothing', resourceId: '*', permissions: ['read']}]})
      expect(answer).toMatchObject({status: 400, body: {code: 'INVALID_RESOURCE_TYPE'}})
      expect(answer.body.resourceTypes.includes('billing')).toBe(mode === 'cloud')
    }
  })

  it('refuses a header that names another organization', async () => {
    const daemon = await startTestDaemon()
    const answer = await daemon.call('GET', '/api/tokens', undefined, daemon.token, {'x-organization-id': 'org_other'})
    expect([answer.status, answer.body.code]).toEqual([403, 'TOKEN_ORG_SCOPE'])
  })

  it('takes the prefix of another brand from the settings', async () => {
    const daemon = await startTestDaemon({tokenPrefix: 'other'})
    expect(daemon.token).toMatch(/^other_pat_[0-9A-Za-z]{43}$/)
    expect((await daemon.call('GET', '/api/tokens')).body.data[0].tokenPrefix).toBe(daemon.token.slice(0, 16))
  })

  it('starts with the bootstrap token where one is given, and refuses a malformed one', async () => {
    const bootstrapToken = `moor_pat_${'a'.repeat(43)}`
    const daemon = await startTestDaemon({bootstrapToken})
    expect((await daemon.call('GET', '/api/auth/whoami', undefined, bootstrapToken)).status).toBe(200)
    await expect(startTestDaemon({bootstrapToken: 'short'})).rejects.toMatchObject({code: 'CONFIGURATION'})
  })
})
