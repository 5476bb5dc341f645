import {expect, it} from 'vitest'
import {valueMask} from '../../../src/contract/env-var.js'
import {startTestDaemon} from '../start-test-daemon.js'

async function shop() {
  const {call} = await startTestDaemon()
  const {id} = (await call('POST', '/api/projects', {name: 'Shop', projectType: 'services'})).body.data
  const base = `/api/projects/${id}/services`
  const web = {name: 'web', image: 'lab/web:1', ports: ['8080:80'], environment: {A: 'one', SECRET: 'planted'}, exposed: true, restart: 'always'}
  for (const service of [web, {name: 'old', image: 'lab/base:1'}]) expect((await call('POST', base, service)).status).toBe(201)
  return {
    list: async () => (await call('GET', base)).body.services,
    sync: (services: readonly object[], query = '') => call('POST', `${base}/sync${query}`, {services}),
    reveal: async (keys: string[]) => (await call('POST', `${base}/web/env-reveal`, {keys})).body.environment,
    call, id, base,
  }
}

it('makes the set the one that is given: new ones come, others go, and what is left out of one is not kept', async () => {
  const {sync, list, reveal} = await shop()
  const {status, body} = await sync([{name: 'db', image: 'lab/base:1'}, {name: 'web', image: 'lab/web:2', environment: {SECRET: valueMask, B: 'two'}}])
  expect([status, body.success]).toEqual([200, true])
  expect(body.services).toEqual(await list())
  expect(body.services.map(({name}: {name: string}) => name)).toEqual(['db', 'web'])
  expect(body.services[1]).toMatchObject({image: 'lab/web:2', ports: [], restart: 'unless-stopped', exposed: true, environment: {SECRET: valueMask, B: valueMask}})
  expect(await reveal(['A', 'B', 'SECRET'])).toEqual({B: 'two', SECRET: 'planted'})
})

it('says what changes without a value of a variable, and changes nothing with dryRun', async () => {
  const {sync, list} = await shop()
  const before = await list()
  const {body} = await sync([{name: 'web', image: 'lab/web:2', ports: ['8080:80'], restart: 'always', environment: {A: 'other', SECRET: valueMask}}, {name: 'db', image: 'lab/base:1'}], '?dryRun=true')
  expect(body.changes).toEqual([
    {service: 'db', change: 'added', fields: []},
    {service: 'old', change: 'removed', fields: []},
    {service: 'web', change: 'changed', fields: [{field: 'image', from: 'lab/web:1', to: 'lab/web:2'}, {field: 'environment.A', from: valueMask, to: valueMask}]},
  ])
  expect(await list()).toEqual(before)
  expect(JSON.stringify(body)).not.toContain('planted')
})

it('refuses a set of nothing and one of two names that are the same host, and changes nothing then', async () => {
  const {sync, list} = await shop()
  const before = await list()
  expect((await sync([])).status).toBe(400)
  expect(await sync([{name: 'web', image: 'a'}, {name: 'WEB', image: 'b'}])).toMatchObject({status: 400, body: {code: 'SERVICE_INVALID', reason: 'service-name-already-exists'}})
  expect(await list()).toEqual(before)
})

it('a project is deleted with the wish in the body, too, and other bodies are refused', async () => {
  const {call, id} = await shop()
  expect((await call('DELETE', `/api/projects/${id}`, {wipe: true})).status).toBe(400)
  expect((await call('DELETE', `/api/projects/${id}`, {wipeVolumes: true})).body).toMatchObject({ok: true, message: 'Project deleted'})
})
