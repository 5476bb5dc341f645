import {describe, expect, test} from 'vitest'
import {Jobs} from '../../../../daemon/jobs/records.js'
import {seedSystemJobs} from '../../../../daemon/jobs/seed-system-jobs.js'
import {createSystemJobs} from '../../../../daemon/jobs/system-jobs.js'
import {badFields, grant, owner, refusal, scoped, withDefinitions, type DefinitionBench} from './definition-fixture.js'

const prune = 'jobs:run-prune'
const work = async () => ({})

async function withSystemJobs(run: (bench: DefinitionBench) => Promise<void>, over: Parameters<typeof withDefinitions>[1] = {}): Promise<void> {
  await withDefinitions(async (bench) => {
    await seedSystemJobs(bench.store, bench.clock, bench.parts.systemJobs, bench.parts.dueTimes)
    await run(bench)
  }, over)
}

describe('system jobs', () => {
  test('are there after the first start, after the jobs of people in the list', async () => {
    await withSystemJobs(async ({create, call}) => {
      await create()
      const {data} = await call('list')
      expect(data.map((job: {kind: string; label: string}) => [job.kind, job.label])).toEqual([['custom', 'Rotate logs'], ['system', 'Audit log prune'], ['system', 'Job run history prune']])
      expect(data[2]).toMatchObject({
        key: prune, actionType: 'builtin', actionConfig: null, createdBy: null, cronExpression: '23 4 * * *', enabled: true, nextRunAt: '2026-06-02T04:23:00.000Z', broken: null,
      })
    })
  })

  test('keep what an operator chose over a restart, and take the label of the program', async () => {
    await withSystemJobs(async ({update, store, clock, parts}) => {
      await update(prune, {cronExpression: '0 5 * * *', enabled: false})
      const stored = await store.findOne(Jobs, 'key', [prune])
      if (stored !== undefined) await store.transaction((transaction) => transaction.put(Jobs, {...stored, label: 'An old label'}))
      await seedSystemJobs(store, clock, parts.systemJobs, parts.dueTimes)
      expect(await store.findOne(Jobs, 'key', [prune])).toMatchObject({label: 'Job run history prune', cronExpression: '0 5 * * *', enabled: false, nextDueAt: null})
    })
  })

  test('that this instance does not have any more are hidden and not due; they come back as they were', async () => {
    await withSystemJobs(async ({update, store, clock, parts}) => {
      await update(prune, {cronExpression: '0 5 * * *'})
      await seedSystemJobs(store, clock, createSystemJobs('selfhosted', {'audit:retention-prune': work}), parts.dueTimes)
      expect(await store.findOne(Jobs, 'key', [prune])).toMatchObject({enabled: true, nextDueAt: null, nextRunAt: null})
      await seedSystemJobs(store, clock, parts.systemJobs, parts.dueTimes)
      expect(await store.findOne(Jobs, 'key', [prune])).toMatchObject({cronExpression: '0 5 * * *', nextDueAt: '2026-06-02T05:00:00.000Z'})
    })
  })

  test('take a schedule and on or off from an administrator of the instance', async () => {
    await withSystemJobs(async ({update, changed}) => {
      expect(await update(prune, {cronExpression: '0 5 * * *'})).toMatchObject({nextRunAt: '2026-06-02T05:00:00.000Z'})
      expect(await update(prune, {enabled: false})).toMatchObject({enabled: false, nextRunAt: null})
      expect(changed).toEqual([prune, prune])
      expect(await badFields(update(prune, {cronExpression: 'never'}))).toHaveProperty('/cronExpression')
      expect(await badFields(update(prune, {cronExpression: null}))).toHaveProperty('/cronExpression')
    })
  })

  test.each([{label: 'Mine'}, {command: 'true'}, {serverIds: ['srv_1']}, {enabled: true, timeZone: 'UTC'}, {misfire: 'skip'}, {scheduleType: 'manual'}])('refuse %j', async (patch) => {
    await withSystemJobs(async ({update}) => {
      expect((await refusal(update(prune, patch))).code).toBe('SYSTEM_JOB')
    })
  })

  test('are changed by nobody else, seen by whoever reads jobs, and deleted by none', async () => {
    await withSystemJobs(async ({update, call}) => {
      const member = owner({role: 'member', instanceAdmin: false})
      expect((await refusal(update(prune, {enabled: false}, member))).code).toBe('INSTANCE_ADMIN_REQUIRED')
      expect((await call('show', {key: prune, as: scoped([grant('job', '*', 'read')])})).data.key).toBe(prune)
      expect((await refusal(call('delete', {key: prune}))).code).toBe('SYSTEM_JOB')
    })
  })

  test('are not shown in cloud mode', async () => {
    await withSystemJobs(async ({call, update}) => {
      expect((await call('list')).data).toEqual([])
      expect((await refusal(call('show', {key: prune}))).code).toBe('NOT_FOUND')
      expect((await refusal(update(prune, {enabled: false}))).code).toBe('NOT_FOUND')
      expect((await refusal(call('delete', {key: prune}))).code).toBe('NOT_FOUND')
    }, {mode: 'cloud'})
  })
})

test('a registry holds only what there is work for', () => {
  const registry = createSystemJobs('desktop', {[prune]: work})
  expect(registry.jobs.map((job) => job.key)).toEqual([prune])
  expect(registry.find(prune)).toMatchObject({label: 'Job run history prune', run: work})
  expect(registry.find('audit:retention-prune')).toBeUndefined()
})
