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
