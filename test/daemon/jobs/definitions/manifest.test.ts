import {describe, expect, test} from 'vitest'
import {Jobs} from '../../../../daemon/jobs/records.js'
import {changeJob, eventsOf} from '../job-fixture.js'
import {badFields, grant, refusal, scoped, withDefinitions, type DefinitionBench} from './definition-fixture.js'

const declared = (name: string, over: Record<string, unknown> = {}) => ({name, label: `Job ${name}`, command: 'true', serverIds: ['srv_1'], cronExpression: '0 3 * * *', ...over})
const file = (jobs: object[], over: Record<string, unknown> = {}) => ({manifest: 'ops', jobs, ...over})

type Change = {action: string; name: string; key: string; fields: {field: string; from: unknown; to: unknown}[]}

async function apply({call}: DefinitionBench, body: object, route: 'apply' | 'preview' = 'apply', as = undefined as Parameters<typeof scoped>[0] | undefined): Promise<Change[]> {
  const {data} = await call(route, {body, ...(as !== undefined && {as: scoped(as)})})
  expect(data.applied).toBe(route === 'apply')
  return data.changes
}

const actions = (changes: Change[]) => changes.map(({action, name}) => `${action} ${name}`)
const fieldsOf = (changes: Change[], name: string) => changes.find((change) => change.name === name)?.fields

describe('a job file', () => {
  test('creates what is not there, and is unchanged when applied again', async () => {
    await withDefinitions(async (bench) => {
      const body = file([declared('a', {secrets: {TOKEN: 's3cret'}}), declared('b', {dependsOn: ['custom:a'], enabled: false})])
      expect(actions(await apply(bench, body, 'preview'))).toEqual(['create a', 'create b'])
      expect(await bench.store.count(Jobs, 'organization', ['org_1'])).toBe(0)
      expect(actions(await apply(bench, body))).toEqual(['create a', 'create b'])
      expect(bench.changed).toEqual(['custom:a', 'custom:b'])
      const {data} = await bench.call('list')
      expect(data).toMatchObject([{key: 'custom:a', manifest: 'ops', enabled: true}, {key: 'custom:b', manifest: 'ops', enabled: false, dependsOn: ['custom:a'], nextRunAt: null}])
      const events = await eventsOf(bench.store)
      bench.clock.advance(1000)
      expect(actions(await apply(bench, body))).toEqual(['unchanged a', 'unchanged b'])
      expect(await eventsOf(bench.store)).toEqual(events)
      expect((await bench.call('list')).data).toEqual(data)
    })
  })

  test('shows which fields change, of secrets the names alone', async () => {
    await withDefinitions(async (bench) => {
      await apply(bench, file([declared('a', {timeoutMs: 5000, env: {A: '1'}, secrets: {KEEP: 'same', CHANGE: 'one', DROP: 'gone'}})]))
      const next = file([declared('a', {label: 'Other', env: {A: '2'}, secrets: {KEEP: 'same', CHANGE: 'two', ADD: 'new'}})])
      const preview = await apply(bench, next, 'preview')
      expect(fieldsOf(preview, 'a')).toEqual([
        {field: 'label', from: 'Job a', to: 'Other'},
        {field: 'timeoutMs', from: 5000, to: null},
        {field: 'env', from: {A: '1'}, to: {A: '2'}},
        {field: 'secrets.ADD', from: null, to: 'set'},
        {field: 'secrets.CHANGE', from: 'set', to: 'changed'},
        {field: 'secrets.DROP', from: 'set', to: null},
      ])
      expect(await apply(bench, next)).toEqual(preview)
      expect((await bench.call('show', {key: 'custom:a'})).data.actionConfig).toMatchObject({secrets: {ADD: '', CHANGE: '', KEEP: ''}})
      expect(JSON.stringify([preview, await eventsOf(bench.store)])).not.toMatch(/"(one|two|gone|same|new)"/)
    })
  })

  test('says everything: what it leaves out goes back to its default', async () => {
    await withDefinitions(async (bench) => {
      await apply(bench, file([declared('a')]))
      await bench.update('custom:a', {overlap: 'allow', jitterSeconds: 5, triggerEvents: ['deployment.failed'], enabled: false, timeZone: 'Europe/Berlin'})
      const changes = await apply(bench, file([declared('a')]))
      expect(fieldsOf(changes, 'a')?.map((change) => change.field).sort()).toEqual(['enabled', 'jitterSeconds', 'overlap', 'timeZone', 'triggerEvents'])
      expect((await bench.call('show', {key: 'custom:a'})).data).toMatchObject({overlap: 'skip', enabled: true, triggerEvents: null, nextRunAt: '2026-06-02T03:00:00.000Z'})
    })
  })

  test('leaves what it no longer names, or deletes it with prune; jobs of other files stay either way', async () => {
    await withDefinitions(async (bench) => {
      await apply(bench, file([declared('a'), declared('b')]))
      await apply(bench, {...file([declared('other')]), manifest: 'web'})
      await bench.create({name: 'by-hand'})
      expect(actions(await apply(bench, file([declared('a')])))).toEqual(['unchanged a', 'left b'])
      expect(actions(await apply(bench, file([declared('a')], {prune: true}), 'preview'))).toEqual(['unchanged a', 'delete b'])
      expect(actions(await apply(bench, file([declared('a')], {prune: true})))).toEqual(['unchanged a', 'delete b'])
      const names = (await bench.call('list')).data.map((job: {name: string}) => job.name).sort()
      expect(names).toEqual(['a', 'by-hand', 'other'])
      expect(bench.changed.at(-1)).toBe('custom:b')
    })
  })

  test('does not take over a job made otherwise, unless it adopts it', async () => {
    await withDefinitions(async (bench) => {
      await bench.create({name: 'a', secrets: {S: 'x'}})
      const body = file([declared('new'), declared('a')])
      expect(actions(await apply(bench, body, 'preview'))).toEqual(['create new', 'conflict a'])
      const fault = await refusal(apply(bench, body))
      expect([fault.code, fault.details]).toEqual(['JOB_CONFLICT', {jobs: ['a']}])
      expect(await bench.store.count(Jobs, 'organization', ['org_1'])).toBe(1)
      const changes = await apply(bench, {...body, adopt: true})
      expect(actions(changes)).toEqual(['create new', 'update a'])
      expect(fieldsOf(changes, 'a')).toContainEqual({field: 'manifest', from: null, to: 'ops'})
      expect((await bench.call('show', {key: 'custom:a'})).data).toMatchObject({manifest: 'ops', label: 'Job a'})
      expect(actions(await apply(bench, body))).toEqual(['unchanged new', 'unchanged a'])
    })
  })

  test('is all or nothing: every mistake is told by its place, and nothing is made', async () => {
    await withDefinitions(async (bench) => {
      const body = file([declared('a'), declared('b', {cronExpression: '0 0 31 2 *'}), declared('c', {timeZone: 'Nowhere', triggerEvents: ['moon.full']})])
      expect(Object.keys(await badFields(apply(bench, body))).sort()).toEqual(['/jobs/1/cronExpression', '/jobs/2/timeZone', '/jobs/2/triggerEvents'])
      expect(await badFields(apply(bench, file([declared('a'), declared('a')])))).toEqual({'/jobs/1/name': 'a is declared twice'})
      expect(await badFields(apply(bench, file([declared('a'), declared('b', {serverIds: []})])))).toHaveProperty(['/jobs/1/serverIds'])
      expect((await refusal(apply(bench, file([declared('a'), declared('b', {serverIds: ['srv_foreign']})])))).code).toBe('NOT_FOUND')
      expect(await bench.store.count(Jobs, 'organization', ['org_1'])).toBe(0)
    })
  })
})

describe('links in a job file', () => {
  test('may name jobs of the file in any order', async () => {
    await withDefinitions(async (bench) => {
      await apply(bench, file([declared('last', {dependsOn: ['custom:first']}), declared('first', {onFailure: ['custom:alarm']}), declared('alarm')]))
      expect((await bench.call('show', {key: 'custom:first'})).data.onFailure).toEqual(['custom:alarm'])
    })
  })

  test('are checked against what there will be: loops, unknown and deleted jobs', async () => {
    await withDefinitions(async (bench) => {
      const loop = file([declared('a', {dependsOn: ['custom:b']}), declared('b', {dependsOn: ['custom:a']})])
      expect(Object.keys(await badFields(apply(bench, loop)))).toEqual(['/jobs/0/dependsOn', '/jobs/1/dependsOn'])
      expect(Object.keys(await badFields(apply(bench, file([declared('a', {dependsOn: ['custom:nobody']})]))))).toEqual(['/jobs/0/dependsOn'])
      await apply(bench, file([declared('a'), declared('b', {dependsOn: ['custom:a']})]))
      await apply(bench, file([declared('a', {dependsOn: ['custom:b']}), declared('b')]))
      expect((await refusal(apply(bench, file([declared('a', {dependsOn: ['custom:b']})], {prune: true})))).details).toEqual({jobs: ['custom:a']})
      const changed = file([declared('a', {label: 'Other', dependsOn: ['custom:b']})], {prune: true})
      expect(Object.keys(await badFields(apply(bench, changed)))).toEqual(['/jobs/0/dependsOn'])
      expect(actions(await apply(bench, file([declared('a')], {prune: true})))).toEqual(['update a', 'delete b'])
    })
  })

  test('of other jobs keep what would be pruned', async () => {
    await withDefinitions(async (bench) => {
      await apply(bench, file([declared('a'), declared('b')]))
      await bench.create({name: 'by-hand', dependsOn: ['custom:b']})
      const fault = await refusal(apply(bench, file([declared('a')], {prune: true})))
      expect([fault.code, fault.details]).toEqual(['JOB_IN_USE', {jobs: ['custom:by-hand']}])
      expect(await bench.store.count(Jobs, 'organization', ['org_1'])).toBe(3)
    })
  })
})

describe('a once job in a job file', () => {
  const runAt = '2026-06-01T13:00:00.000Z'
  const body = file([declared('once', {scheduleType: 'once', cronExpression: undefined, runAt})])

  test('is neither refused nor run again after it ran', async () => {
    await withDefinitions(async (bench) => {
      await apply(bench, body)
      await changeJob(bench.store, 'custom:once', () => ({enabled: false, runAt: null, nextDueAt: null, nextRunAt: null}))
      bench.clock.advance(2 * 3_600_000)
      expect(actions(await apply(bench, body))).toEqual(['unchanged once'])
      const again = file([declared('once', {scheduleType: 'once', cronExpression: undefined, runAt: '2026-06-01T20:00:00Z'})])
      expect(actions(await apply(bench, again))).toEqual(['update once'])
      expect((await bench.call('show', {key: 'custom:once'})).data).toMatchObject({enabled: true, runAt: '2026-06-01T20:00:00.000Z'})
    })
  })

  test('is refused when its time had passed before it was ever made', async () => {
    await withDefinitions(async (bench) => {
      bench.clock.advance(2 * 3_600_000)
      expect(await badFields(apply(bench, body))).toEqual({'/jobs/0/runAt': `${runAt} is in the past`})
    })
  })
})

test('needs every server of what it makes, changes and deletes', async () => {
  await withDefinitions(async (bench) => {
    await apply(bench, file([declared('a'), declared('b', {serverIds: ['srv_2']})]))
    const grants = [grant('job', '*', 'write'), grant('server', 'srv_1', 'admin')]
    expect((await refusal(apply(bench, file([declared('a'), declared('b', {serverIds: ['srv_1']})]), 'apply', grants))).code).toBe('NOT_FOUND')
    expect((await refusal(apply(bench, file([declared('c', {serverIds: ['srv_2']})]), 'preview', grants))).code).toBe('NOT_FOUND')
    expect(actions(await apply(bench, file([declared('a')], {prune: true}), 'apply', grants))).toEqual(['unchanged a'])
    expect(await bench.store.findOne(Jobs, 'key', ['custom:b'])).toBeDefined()
  })
})
