import {describe, expect, test} from 'vitest'
import type {Principal} from '../../../../daemon/access/principal.js'
import {eventsOf} from '../job-fixture.js'
import {grant, owner, refusal, scoped, withDefinitions, type DefinitionBench} from './definition-fixture.js'

const jobWriter = grant('job', '*', 'write')
const adminOf = (...ids: string[]) => ids.map((id) => grant('server', id, 'admin'))

/** What a refusal tells, without the request that led to it. */
async function told(request: Promise<unknown>) {
  const {code, message, details, errors, suggestions} = await refusal(request)
  return {code, message, details, errors, suggestions}
}

const acts: [string, (bench: DefinitionBench, key: string, as: Principal) => Promise<unknown>][] = [
  ['show', ({call}, key, as) => call('show', {key, as})],
  ['update', ({update}, key, as) => update(key, {label: 'Mine now'}, as)],
  ['update of its targets', ({update}, key, as) => update(key, {serverIds: ['srv_1']}, as)],
  ['delete', ({call}, key, as) => call('delete', {key, as})],
]

describe.each(acts)('%s', (_name, act) => {
  test.each([
    ['that administers only some of its servers', scoped([jobWriter, ...adminOf('srv_1')])],
    ['that may only write to its servers', scoped([jobWriter, grant('server', '*', 'read', 'write')])],
    ['that holds nothing on servers', scoped([jobWriter])],
    ['of another organization', owner({organizationId: 'org_2'})],
  ])('by a credential %s is answered as for a job that is not there', async (_who, as) => {
    await withDefinitions(async (bench) => {
      const job = await bench.create({serverIds: ['srv_1', 'srv_2']})
      expect(await told(act(bench, job.key, as))).toEqual(await told(act(bench, 'custom:nobody', as)))
      expect(await bench.call('show', {key: job.key})).toEqual({data: job})
      expect(await eventsOf(bench.store)).toHaveLength(1)
    })
  })

  test('is for whoever administers every server of it', async () => {
    await withDefinitions(async (bench) => {
      const job = await bench.create({serverIds: ['srv_1', 'srv_2']})
      await act(bench, job.key, scoped([jobWriter, ...adminOf('srv_1', 'srv_2')]))
    })
  })
})

test('a change to a server that one does not administer is answered as for a job that is not there', async () => {
  await withDefinitions(async ({create, update, call}) => {
    const as = scoped([jobWriter, ...adminOf('srv_1')])
    const job = await create({}, as)
    const nobody = await told(update('custom:nobody', {label: 'x'}, as))
    for (const patch of [{serverIds: ['srv_2']}, {serverId: 'srv_2'}, {serverIds: ['srv_1', 'srv_foreign']}, {serverIds: ['srv_none']}]) {
      expect(await told(update(job.key, patch, as))).toEqual(nobody)
    }
    expect(await call('show', {key: job.key})).toEqual({data: job})
  })
})

test('creating needs every server, and writing to jobs', async () => {
  await withDefinitions(async ({create}) => {
    await create({}, scoped([jobWriter, ...adminOf('srv_1')]))
    expect((await refusal(create({serverIds: ['srv_1', 'srv_2']}, scoped([jobWriter, ...adminOf('srv_1')])))).code).toBe('NOT_FOUND')
    expect((await refusal(create({}, scoped([grant('job', '*', 'read'), ...adminOf('srv_1')])))).code).toBe('NOT_FOUND')
  })
})

test('reading jobs is not writing them', async () => {
  await withDefinitions(async ({create, call, update}) => {
    const job = await create()
    const reader = scoped([grant('job', '*', 'read'), ...adminOf('srv_1')])
    expect((await call('show', {key: job.key, as: reader})).data.key).toBe(job.key)
    expect((await refusal(update(job.key, {label: 'x'}, reader))).code).toBe('NOT_FOUND')
  })
})

test('the list leaves out jobs with a server that one does not administer, and is sorted by kind and label', async () => {
  await withDefinitions(async ({create, call}) => {
    await create({label: 'zebra'})
    await create({label: 'Apple', serverIds: ['srv_2']})
    await create({label: 'mango', serverIds: ['srv_1', 'srv_2']})
    await create({label: 'foreign', serverIds: ['srv_foreign']}, owner({organizationId: 'org_2'}))
    const labels = async (as: Principal) => (await call('list', {as})).data.map((job: {label: string}) => job.label)
    expect(await labels(owner())).toEqual(['Apple', 'mango', 'zebra'])
    expect(await labels(scoped([jobWriter, ...adminOf('srv_1')]))).toEqual(['zebra'])
    expect(await labels(scoped([jobWriter]))).toEqual([])
    expect(await labels(owner({organizationId: 'org_2'}))).toEqual(['foreign'])
  })
})

test('a job whose server is gone is shown as broken, and can be given another', async () => {
  await withDefinitions(async ({create, call, update, servers}) => {
    const job = await create({serverIds: ['srv_1', 'srv_2', 'srv_3']})
    servers.delete('srv_2')
    expect((await call('list')).data[0].broken).toBe('server srv_2 is gone')
    servers.delete('srv_3')
    expect((await call('show', {key: job.key})).data.broken).toBe('servers srv_2, srv_3 are gone')
    expect((await call('list', {as: scoped([jobWriter, ...adminOf('srv_1')])})).data).toEqual([])
    expect(await update(job.key, {serverIds: ['srv_1']})).toMatchObject({broken: null})
  })
})

test('events to start on come in the order of the table, the seven first', async () => {
  await withDefinitions(async ({call}) => {
    const {data} = await call('triggerEvents')
    const ids = data.map((event: {id: string}) => event.id)
    expect(ids.slice(0, 7)).toEqual([
      'deployment.succeeded', 'deployment.failed', 'backup_run.succeeded', 'backup_run.failed', 'backup_restore.completed', 'ssl.renewal_failed', 'domain.verification_failed',
    ])
    expect(ids).toContain('job.overdue')
    expect(ids).not.toContain('job_run.failed')
    expect(data[0]).toEqual({id: 'deployment.succeeded', label: 'Deploy succeeded', description: expect.any(String)})
    expect(await call('backupSchedules')).toEqual({data: []})
  })
})
