import {expect, it} from 'vitest'
import {startTestDaemon, type TestDaemon} from '../start-test-daemon.js'

// The trail is written by a reader of events, so a row is there a moment after the answer.
async function trail(daemon: TestDaemon, rows: number, query = '') {
  const deadline = Date.now() + 5000
  for (;;) {
    const {body} = await daemon.call('GET', `/api/audit?limit=200${query}`)
    if (body.data.length >= rows || Date.now() > deadline) return body.data as {eventType: string; source: string; actor: {email: string}}[]
    await new Promise(setImmediate)
  }
}

it('records who did what, newest first, and names no secret', async () => {
  const daemon = await startTestDaemon()
  await daemon.call('POST', '/api/projects', {name: 'shop'}, daemon.token, {'user-agent': 'moorage-cli/1.0.0'})
  const created = await daemon.call('POST', '/api/tokens', {name: 'ci', fullAccess: true})
  const rows = await trail(daemon, 2)
  expect(rows.map((row) => [row.eventType, row.source, row.actor.email])).toEqual([
    ['token.created', 'api', 'owner@localhost'],
    ['project.created', 'cli', 'owner@localhost'],
  ])
  expect(JSON.stringify(rows)).not.toContain(created.body.data.token)
})

it('filters by field and passes over malformed filters', async () => {
  const daemon = await startTestDaemon()
  await daemon.call('POST', '/api/projects', {name: 'shop'})
  await daemon.call('POST', '/api/tokens', {name: 'ci', fullAccess: true})
  await trail(daemon, 2)
  expect(await trail(daemon, 1, '&eventType=token.created')).toHaveLength(1)
  expect(await trail(daemon, 2, '&from=nonsense')).toHaveLength(2)
  expect(await trail(daemon, 2, '&eventType=&source=&from=')).toHaveLength(2)
  const who = await daemon.call('GET', '/api/auth/whoami')
  expect(await trail(daemon, 2, `&sourceClientId=pat:${who.body.data.credential.id}`)).toHaveLength(2)
  expect((await daemon.call('GET', '/api/audit?sourceClientId=pat:other')).body.data).toEqual([])
  expect((await daemon.call('GET', '/api/audit?from=2999-01-01T00:00:00Z')).body.data).toEqual([])
})

it('records nothing while it is off, except that it was turned off and on', async () => {
  const daemon = await startTestDaemon()
  await daemon.call('PATCH', '/api/audit/settings', {enabled: false})
  await daemon.call('POST', '/api/projects', {name: 'unseen'})
  await daemon.call('PATCH', '/api/audit/settings', {enabled: true, retentionDays: 30})
  const rows = await trail(daemon, 3)
  expect(rows.map((row) => row.eventType).sort()).toEqual(['audit.disabled', 'audit.enabled', 'audit.retention_changed'])
  expect((await daemon.call('PATCH', '/api/audit/settings', {retentionDays: 31})).body.errors[0]).toEqual({
    path: '/retentionDays', message: 'must be one of 7, 30, 90, 180, 365',
  })
})

it('is managed by whoever holds audit:write, a scoped token too', async () => {
  const daemon = await startTestDaemon()
  const mint = async (permission: string) => {
    const made = await daemon.call('POST', '/api/tokens', {name: permission, grants: [{resourceType: 'audit', resourceId: '*', permissions: [permission]}]})
    return made.body.data.token as string
  }
  const [reader, writer] = [await mint('read'), await mint('write')]
  expect((await daemon.call('GET', '/api/audit/settings', undefined, reader)).body).toEqual({enabled: true, retentionDays: 90, canManage: false})
  expect((await daemon.call('PATCH', '/api/audit/settings', {retentionDays: 30}, reader)).body).toMatchObject({code: 'FORBIDDEN', required: 'audit:write', held: ['audit:read']})
  expect((await daemon.call('PATCH', '/api/audit/settings', {retentionDays: 30}, writer)).body).toEqual({enabled: true, retentionDays: 30, canManage: true})
})
