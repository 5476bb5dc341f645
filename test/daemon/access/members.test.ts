import {expect, it} from 'vitest'
import {startTestDaemon, type TestDaemon} from '../start-test-daemon.js'

async function add(daemon: TestDaemon, role: string, by?: string) {
  const answer = await daemon.call('POST', '/api/members', {email: `${role}@example.test`, name: role, role}, by)
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body.data as {id: string; token: string; tokenExpiresAt: string}
}

it('adds a person who signs in with the one-time secret and makes a token of their own', async () => {
  const daemon = await startTestDaemon()
  const ada = await add(daemon, 'member')
  expect(Date.parse(ada.tokenExpiresAt) - Date.now()).toBeGreaterThan(6.9 * 86_400_000)
  const who = await daemon.call('GET', '/api/auth/whoami', undefined, ada.token)
  expect(who.body.data).toMatchObject({role: 'member', user: {email: 'member@example.test'}, credential: {scoped: false}, instanceAdmin: false})
  const own = await daemon.call('POST', '/api/tokens', {name: 'mine', fullAccess: true}, ada.token)
  expect(own.body.data).toMatchObject({expiresAt: null})
  expect((await daemon.call('GET', '/api/tokens', undefined, ada.token)).body.data).toHaveLength(2)
  expect((await daemon.call('GET', '/api/tokens')).body.data).toHaveLength(1)
})

it('lets nobody hand out or touch a role above his own', async () => {
  const daemon = await startTestDaemon()
  const [admin, member] = [await add(daemon, 'admin'), await add(daemon, 'member')]
  const owners = (await daemon.call('GET', '/api/members')).body.data
  const owner = owners.find((row: {role: string}) => row.role === 'owner')
  const attempts = [
    daemon.call('POST', '/api/members', {email: 'x@example.test', name: 'x', role: 'owner'}, admin.token),
    daemon.call('POST', '/api/members', {email: 'x@example.test', name: 'x', role: 'restricted'}, member.token),
    daemon.call('PATCH', `/api/members/${admin.id}`, {role: 'owner'}, admin.token),
    daemon.call('PATCH', `/api/members/${owner.id}`, {role: 'member'}, admin.token),
    daemon.call('DELETE', `/api/members/${owner.id}`, undefined, admin.token),
    daemon.call('PATCH', `/api/members/${member.id}`, {role: 'admin'}, member.token),
  ]
  for (const answer of await Promise.all(attempts)) expect([answer.status, answer.body.code]).toEqual([403, 'INSUFFICIENT_ROLE'])
})

it('keeps the last owner', async () => {
  const daemon = await startTestDaemon()
  const [owner] = (await daemon.call('GET', '/api/members')).body.data
  expect((await daemon.call('DELETE', `/api/members/${owner.id}`)).body.code).toBe('LAST_OWNER')
  expect((await daemon.call('PATCH', `/api/members/${owner.id}`, {role: 'admin'})).body.code).toBe('LAST_OWNER')
  await add(daemon, 'owner')
  expect((await daemon.call('PATCH', `/api/members/${owner.id}`, {role: 'admin'})).body.data.role).toBe('admin')
})

it('keeps the only administrator of the instance', async () => {
  const daemon = await startTestDaemon()
  const [first] = (await daemon.call('GET', '/api/members')).body.data
  const second = await add(daemon, 'owner')
  const answer = await daemon.call('DELETE', `/api/members/${first.id}`, undefined, second.token)
  expect([answer.status, answer.body.code]).toEqual([409, 'CONFLICT'])
  expect((await daemon.call('GET', '/api/auth/whoami')).status).toBe(200)
})

it('ends the tokens of a removed person at once, and a changed role counts from the next request', async () => {
  const daemon = await startTestDaemon()
  const admin = await add(daemon, 'admin')
  expect((await daemon.call('GET', '/api/audit', undefined, admin.token)).status).toBe(200)
  await daemon.call('PATCH', `/api/members/${admin.id}`, {role: 'member'})
  expect((await daemon.call('GET', '/api/audit', undefined, admin.token)).body).toMatchObject({code: 'FORBIDDEN', required: 'audit:read'})
  const removed = await daemon.call('DELETE', `/api/members/${admin.id}`)
  expect(removed.body).toEqual({data: {removed: true, tokensRevoked: 1}})
  expect((await daemon.call('GET', '/api/auth/whoami', undefined, admin.token)).body.code).toBe('INVALID_TOKEN')
  const again = await daemon.call('POST', '/api/members', {email: 'ADMIN@example.test', name: 'back', role: 'member'})
  expect(again.status).toBe(201)
  expect((await daemon.call('GET', '/api/auth/whoami', undefined, admin.token)).status).toBe(401)
})

it('refuses the same person twice', async () => {
  const daemon = await startTestDaemon()
  await add(daemon, 'member')
  const answer = await daemon.call('POST', '/api/members', {email: 'Member@Example.test', name: 'again'})
  expect([answer.status, answer.body.code]).toEqual([409, 'MEMBER_EXISTS'])
})
