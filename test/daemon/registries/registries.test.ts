import {expect, it} from 'vitest'
import {startTestDaemon} from '../start-test-daemon.js'

const login = {host: 'ghcr.io', username: 'deploy', password: 'planted-password'}

it('keeps one login a registry, under one name, and tells the audit trail without the password', async () => {
  const {call} = await startTestDaemon()
  const first = await call('PUT', '/api/registries', login)
  expect([first.status, first.body]).toEqual([200, {data: {host: 'ghcr.io', username: 'deploy', createdAt: expect.any(String), updatedAt: expect.any(String)}}])
  await call('PUT', '/api/registries', {...login, username: 'other'})
  await call('PUT', '/api/registries', {...login, host: 'registry-1.docker.io'})
  expect((await call('GET', '/api/registries')).body.data).toMatchObject([{host: 'docker.io', username: 'deploy'}, {host: 'ghcr.io', username: 'other', createdAt: first.body.data.createdAt}])
  expect((await call('DELETE', '/api/registries/ghcr.io')).body).toEqual({success: true})
  expect((await call('DELETE', '/api/registries/ghcr.io')).status).toBe(404)
  const audit = async () => (await call('GET', '/api/audit?resourceType=registry')).body.data as {eventType: string; resourceId: string; before: unknown; after: unknown}[]
  await expect.poll(async () => (await audit()).length).toBe(4)
  expect((await audit()).filter(({resourceId}) => resourceId === 'ghcr.io').reverse()).toMatchObject([
    {eventType: 'registry.saved', before: null, after: {username: 'deploy'}},
    {eventType: 'registry.saved', before: {username: 'deploy'}, after: {username: 'other'}},
    {eventType: 'registry.removed', before: {username: 'other'}},
  ])
  expect(JSON.stringify(await audit())).not.toContain(login.password)
})

it.each([
  ['a scheme', {host: 'https://ghcr.io'}], ['a path', {host: 'ghcr.io/team'}], ['upper case', {host: 'GHCR.io'}], ['no host', {host: ''}], ['port 0', {host: 'r.test:0'}],
  ['a colon in the user', {username: 'a:b'}], ['a line end in the password', {password: 'a\nb'}], ['no password', {password: ''}],
])('refuses %s', async (_, wrong) => {
  const {call} = await startTestDaemon()
  expect((await call('PUT', '/api/registries', {...login, ...wrong})).body).toMatchObject({code: 'VALIDATION_ERROR', errors: [{path: `/${Object.keys(wrong)[0]}`}]})
})

it('is for those who may change settings', async () => {
  const {call} = await startTestDaemon()
  const token = async (grants: object[]) => (await call('POST', '/api/tokens', {name: 'scoped', grants})).body.data.token as string
  const [deploys, reads] = [await token([{resourceType: 'project', resourceId: '*', permissions: ['create']}]), await token([{resourceType: 'settings', resourceId: '*', permissions: ['read']}])]
  expect((await call('GET', '/api/registries', undefined, deploys)).status).toBe(403)
  expect((await call('GET', '/api/registries', undefined, reads)).status).toBe(200)
  expect((await call('PUT', '/api/registries', login, reads)).status).toBe(403)
  expect((await call('DELETE', '/api/registries/ghcr.io', undefined, reads)).status).toBe(403)
})
