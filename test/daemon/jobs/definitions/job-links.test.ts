import fc from 'fast-check'
import {describe, expect, test} from 'vitest'
import {findLoop} from '../../../../daemon/jobs/definitions/job-graph.js'
import {Jobs} from '../../../../daemon/jobs/records.js'
import {seedSystemJobs} from '../../../../daemon/jobs/seed-system-jobs.js'
import {badFields, grant, owner, refusal, scoped, withDefinitions} from './definition-fixture.js'

const forEver = 'would let jobs start each other for ever: '

describe('loops', () => {
  test('of prerequisites are refused, however long', async () => {
    await withDefinitions(async ({create, update}) => {
      await create({name: 'a'})
      await create({name: 'b', dependsOn: ['custom:a']})
      await create({name: 'c', dependsOn: ['custom:b', 'custom:a']})
      expect(await badFields(update('custom:a', {dependsOn: ['custom:c']}))).toEqual({'/dependsOn': expect.stringContaining(forEver)})
      await update('custom:c', {dependsOn: null})
      await update('custom:a', {dependsOn: ['custom:c']})
    })
  })

  test('of failures are refused: a job that always fails would start another for ever', async () => {
    await withDefinitions(async ({create, update}) => {
      await create({name: 'a'})
      await create({name: 'b', onFailure: ['custom:a']})
      expect(await badFields(update('custom:a', {onFailure: ['custom:b']}))).toEqual({'/onFailure': `${forEver}custom:a → custom:b → custom:a`})
    })
  })

  test('made of both kinds are refused too', async () => {
    await withDefinitions(async ({create, update}) => {
      await create({name: 'deploy'})
      await create({name: 'repair'})
      await update('custom:deploy', {onFailure: ['custom:repair']})
      expect(await badFields(update('custom:deploy', {dependsOn: ['custom:repair']}))).toHaveProperty('/dependsOn')
      expect(await badFields(update('custom:repair', {onFailure: ['custom:deploy']}))).toHaveProperty('/onFailure')
      await update('custom:repair', {onFailure: null})
    })
  })

  test('are found wherever there is one, and nowhere else', () => {
    const names = ['a', 'b', 'c', 'd', 'e']
    const links = fc.subarray(names, {maxLength: 2})
    const graph = fc.tuple(...names.map((key) => fc.record({key: fc.constant(key), dependsOn: links, onFailure: links})))
    fc.assert(fc.property(graph, (jobs) => {
      const next = (key: string) => [...jobs.filter((job) => job.dependsOn.includes(key)).map((job) => job.key), ...(jobs.find((job) => job.key === key)?.onFailure ?? [])]
      const reached = new Set<string>()
      for (let round = new Set(next('a')); round.size > 0; ) {
        for (const key of round) reached.add(key)
        round = new Set([...round].flatMap(next).filter((key) => !reached.has(key)))
      }
      const loop = findLoop(jobs, 'a')
      expect(loop !== undefined).toBe(reached.has('a'))
      if (loop === undefined) return
      expect([loop[0], loop.at(-1)]).toEqual(['a', 'a'])
      for (const [index, key] of loop.slice(0, -1).entries()) expect(next(key)).toContain(loop[index + 1])
    }))
  })
})

describe('whom a job may be linked with', () => {
  test('jobs that one can not see do not exist', async () => {
    await withDefinitions(async ({create}) => {
      await create({name: 'hidden', serverIds: ['srv_2']})
      await create({name: 'foreign', serverIds: ['srv_foreign']}, owner({organizationId: 'org_2'}))
      const as = scoped([grant('job', '*', 'write'), grant('server', 'srv_1', 'admin')])
      for (const key of ['custom:hidden', 'custom:foreign', 'custom:nobody']) {
        expect(await badFields(create({dependsOn: [key]}, as))).toEqual({'/dependsOn': `there is no job ${key}`})
        expect(await badFields(create({onFailure: [key]}, as))).toEqual({'/onFailure': `there is no job ${key}`})
      }
    })
  })

  test('a job that one may read but not start can be waited for, and not be started by a failure', async () => {
    await withDefinitions(async ({create, update}) => {
      await create({name: 'other'})
      await create({name: 'mine'})
      const as = scoped([grant('job', '*', 'read'), grant('job', 'custom:mine', 'write'), grant('server', 'srv_1', 'admin')])
      expect(await badFields(update('custom:mine', {onFailure: ['custom:other']}, as))).toHaveProperty('/onFailure')
      expect(await update('custom:mine', {dependsOn: ['custom:other']}, as)).toMatchObject({dependsOn: ['custom:other']})
    })
  })

  test('a system job can be waited for, but no failure starts it', async () => {
    await withDefinitions(async ({create, store, clock, parts}) => {
      await seedSystemJobs(store, clock, parts.systemJobs, parts.dueTimes)
      expect(await create({dependsOn: ['jobs:run-prune']})).toMatchObject({dependsOn: ['jobs:run-prune']})
      expect(await badFields(create({onFailure: ['jobs:run-prune']}))).toHaveProperty('/onFailure')
      expect(await badFields(create({dependsOn: ['ssl:renew']}))).toHaveProperty('/dependsOn')
    })
  })

  test('links that a change does not touch are not looked at again', async () => {
    await withDefinitions(async ({create, update, servers}) => {
      await create({name: 'first', serverIds: ['srv_2']})
      const job = await create({dependsOn: ['custom:first']})
      servers.delete('srv_2')
      const as = scoped([grant('job', '*', 'write'), grant('server', 'srv_1', 'admin')])
      expect(await update(job.key, {label: 'Other'}, as)).toMatchObject({label: 'Other', dependsOn: ['custom:first']})
    })
  })
})

describe('deleting', () => {
  test('a job that others wait for is refused, naming them; then it goes, and is gone', async () => {
    await withDefinitions(async ({create, update, call, store}) => {
      const job = await create({name: 'first'})
      await create({name: 'second', dependsOn: [job.key]})
      await create({name: 'third', onFailure: [job.key]})
      const fault = await refusal(call('delete', {key: job.key}))
      expect([fault.code, fault.details]).toEqual(['JOB_IN_USE', {jobs: expect.arrayContaining(['custom:second', 'custom:third'])}])
      await update('custom:second', {dependsOn: null})
      await call('delete', {key: 'custom:third'})
      expect(await call('delete', {key: job.key})).toEqual({success: true})
      expect((await refusal(call('show', {key: job.key}))).code).toBe('NOT_FOUND')
      expect((await refusal(call('delete', {key: job.key}))).code).toBe('NOT_FOUND')
      expect(await store.count(Jobs, 'organization', ['org_1'])).toBe(1)
    })
  })
})
