import {describe, expect, test} from 'vitest'
import {Jobs} from '../../../../daemon/jobs/records.js'
import {changeJob, eventsOf} from '../job-fixture.js'
import {badFields, withDefinitions} from './definition-fixture.js'

const hourMs = 3_600_000

describe('a change', () => {
  test('leaves what it does not name, and says what it changed', async () => {
    await withDefinitions(async ({create, update, store, changed}) => {
      const job = await create({timeoutMs: 5000, env: {A: '1'}, secrets: {S: 'x'}})
      const after = await update(job.key, {label: ' Other '})
      expect(after).toEqual({...job, label: 'Other'})
      expect((await eventsOf(store)).at(-1)).toMatchObject({type: 'job.updated', payload: {before: {label: 'Rotate logs'}, after: {label: 'Other'}}})
      expect(changed).toEqual([job.key, job.key])
    })
  })

  test('of nothing is none: no event, the same job', async () => {
    await withDefinitions(async ({create, update, store, clock}) => {
      const job = await create({secrets: {S: 'x'}})
      clock.advance(1000)
      expect(await update(job.key, {label: job.label, secrets: {S: 'x'}})).toEqual(job)
      expect(await eventsOf(store)).toHaveLength(1)
    })
  })

  test('replaces maps and lists whole, and null clears', async () => {
    await withDefinitions(async ({create, update}) => {
      const first = await create({scheduleType: 'manual'})
      const job = await create({
        timeoutMs: 5000, retry: {maxAttempts: 2, backoffSeconds: 1}, env: {A: '1', B: '2'}, secrets: {S: 'x', T: 'y'}, dependsOn: [first.key], triggerEvents: ['deployment.failed'],
        notifyConfig: {channels: ['chan_1'], states: ['failed']}, expectSuccessWithinMs: 60_000, serverIds: ['srv_1', 'srv_2'],
      })
      const after = await update(job.key, {env: {C: '3'}, secrets: {T: 'z'}, serverIds: ['srv_3']})
      expect(after.actionConfig).toMatchObject({env: {C: '3'}, secrets: {T: ''}, serverIds: ['srv_3'], timeoutMs: 5000})
      const cleared = await update(job.key, {
        timeoutMs: null, retry: null, env: {}, secrets: {}, dependsOn: null, triggerEvents: null, notifyConfig: null, expectSuccessWithinMs: null, serverIds: [],
      })
      expect(cleared.actionConfig).toEqual({serverIds: ['srv_3'], serverId: 'srv_3', command: 'logrotate -f /etc/lr.conf'})
      expect(cleared).toMatchObject({dependsOn: null, triggerEvents: null, notifyConfig: null, expectSuccessWithinMs: null})
    })
  })

  test('of the zone to null goes back to that of the instance, and is due anew', async () => {
    await withDefinitions(async ({create, update}) => {
      const job = await create({cronExpression: '30 2 * * *', timeZone: 'Europe/Berlin'})
      expect(job).toMatchObject({timeZone: 'Europe/Berlin', nextRunAt: '2026-06-02T00:30:00.000Z'})
      expect(await update(job.key, {timeZone: null})).toMatchObject({timeZone: 'UTC', nextRunAt: '2026-06-02T02:30:00.000Z'})
    })
  })

  test('an empty value in the map of secrets is a value, not a wish to keep the old one', async () => {
    await withDefinitions(async ({create, update, store, sealer}) => {
      const job = await create({secrets: {S: 'old'}})
      await update(job.key, {secrets: {S: ''}})
      const stored = await store.get(Jobs, job.id)
      expect(sealer.open(stored?.secrets['S'] ?? '', `jobs/${job.id}/secrets/S`)).toBe('')
      expect((await eventsOf(store)).at(-1)?.payload).toMatchObject({secretChanges: ['secrets.S']})
    })
  })

  test.each([
    ['a bad expression', {cronExpression: '0 0 30 2 *'}, '/cronExpression'],
    ['no expression while it recurs', {cronExpression: null}, '/cronExpression'],
    ['another kind without its time', {scheduleType: 'once'}, '/runAt'],
    ['a time in the past', {scheduleType: 'once', runAt: '2026-05-01T00:00:00Z'}, '/runAt'],
    ['a bad zone', {timeZone: '+02:00'}, '/timeZone'],
    ['a name', {name: 'new'}, '/name'],
    ['a parameter that is a variable already', {parameters: [{name: 'A'}]}, '/parameters/0/name'],
    ['itself as prerequisite', {dependsOn: ['custom:me']}, '/dependsOn'],
    ['itself on failure', {onFailure: ['custom:me']}, '/onFailure'],
  ])('is refused for %s, and nothing changes', async (_name, patch, path) => {
    await withDefinitions(async ({create, update, call}) => {
      const job = await create({name: 'me', env: {A: '1'}})
      expect(await badFields(update(job.key, patch))).toHaveProperty([path])
      expect(await call('show', {key: job.key})).toEqual({data: job})
    })
  })
})

describe('the schedule', () => {
  test('is reckoned anew when it changes, and only then', async () => {
    await withDefinitions(async ({create, update, store, clock}) => {
      const job = await create({cronExpression: '0 13 * * *', jitterSeconds: 0})
      clock.advance(2 * hourMs)
      // Due and not yet fired: a change of something else must not lose it.
      await update(job.key, {label: 'Other'})
      expect(await store.get(Jobs, job.id)).toMatchObject({nextDueAt: '2026-06-01T13:00:00.000Z'})
      expect(await update(job.key, {cronExpression: '0 15 * * *'})).toMatchObject({nextRunAt: '2026-06-01T15:00:00.000Z'})
      expect(await update(job.key, {timeZone: 'Asia/Tokyo'})).toMatchObject({nextRunAt: '2026-06-02T06:00:00.000Z'})
    })
  })

  test('of a disabled job is nothing, and of one enabled again begins from then', async () => {
    await withDefinitions(async ({create, update, clock}) => {
      const job = await create({cronExpression: '0 * * * *'})
      expect(await update(job.key, {enabled: false})).toMatchObject({enabled: false, nextRunAt: null})
      clock.advance(5 * hourMs + 1)
      expect(await update(job.key, {enabled: true})).toMatchObject({nextRunAt: '2026-06-01T18:00:00.000Z'})
    })
  })

  test('leaving a kind of schedule clears what belongs to it', async () => {
    await withDefinitions(async ({create, update}) => {
      const job = await create()
      expect(await update(job.key, {scheduleType: 'once', runAt: '2026-06-03T00:00:00Z'})).toMatchObject({cronExpression: null, runAt: '2026-06-03T00:00:00.000Z'})
      expect(await update(job.key, {scheduleType: 'manual'})).toMatchObject({cronExpression: null, runAt: null, nextRunAt: null})
      expect(await badFields(update(job.key, {scheduleType: 'recurring'}))).toHaveProperty('/cronExpression')
      expect(await update(job.key, {scheduleType: 'recurring', cronExpression: '@hourly'})).toMatchObject({nextRunAt: '2026-06-01T13:00:00.000Z'})
    })
  })

  test('leaving once for a schedule that recurs clears the time, too', async () => {
    await withDefinitions(async ({create, update}) => {
      const job = await create({scheduleType: 'once', runAt: '2026-06-03T00:00:00Z'})
      expect(await update(job.key, {scheduleType: 'recurring', cronExpression: '@hourly'})).toMatchObject({runAt: null, nextRunAt: '2026-06-01T13:00:00.000Z'})
    })
  })

  test('a time that is sent again as it is stored is no new time, though it has just come', async () => {
    await withDefinitions(async ({create, update, clock}) => {
      const job = await create({scheduleType: 'once', runAt: '2026-06-01T13:00:00Z'})
      clock.advance(hourMs)
      expect(await update(job.key, {label: 'Other', runAt: '2026-06-01T15:00:00+02:00'})).toMatchObject({label: 'Other', runAt: '2026-06-01T13:00:00.000Z', enabled: true})
    })
  })

  test('a once job that has run is armed again by a new time, not by being enabled alone', async () => {
    await withDefinitions(async ({create, update, store}) => {
      const job = await create({scheduleType: 'once', runAt: '2026-06-01T13:00:00Z'})
      await changeJob(store, job.key, () => ({enabled: false, runAt: null, nextDueAt: null, nextRunAt: null}))
      expect(await badFields(update(job.key, {enabled: true}))).toEqual({'/runAt': 'the job has run; give a new time to run at'})
      expect(await update(job.key, {label: 'Still shown'})).toMatchObject({enabled: false, runAt: null})
      expect(await update(job.key, {enabled: true, runAt: '2026-06-01T14:00:00Z'})).toMatchObject({enabled: true, nextRunAt: '2026-06-01T14:00:00.000Z'})
    })
  })

  test('a once job whose time passed while it was disabled does not start by being enabled', async () => {
    await withDefinitions(async ({create, update, clock}) => {
      const job = await create({scheduleType: 'once', runAt: '2026-06-01T13:00:00Z'})
      await update(job.key, {enabled: false})
      clock.advance(2 * hourMs)
      expect(await badFields(update(job.key, {enabled: true}))).toHaveProperty('/runAt')
    })
  })

  test('promises no next run while schedules are off', async () => {
    await withDefinitions(async ({create, call}) => {
      const job = await create()
      expect(job.nextRunAt).toBeNull()
      expect((await call('list')).scheduler).toEqual({enabled: false, reason: 'schedules are off', timeZone: 'UTC'})
    }, {schedules: () => ({enabled: false, reason: 'schedules are off'})})
  })
})

describe('an expectation of success', () => {
  test('counts from when it was set, or from when the job was enabled again', async () => {
    await withDefinitions(async ({create, update, store, clock}) => {
      const job = await create({expectSuccessWithinMs: hourMs})
      const since = async () => (await store.get(Jobs, job.id))?.expectedSince
      expect(await since()).toBe('2026-06-01T12:00:00.000Z')
      clock.advance(hourMs)
      await update(job.key, {label: 'Other', expectSuccessWithinMs: 2 * hourMs})
      expect(await since()).toBe('2026-06-01T12:00:00.000Z')
      await update(job.key, {enabled: false})
      clock.advance(hourMs)
      await update(job.key, {enabled: true})
      expect(await since()).toBe('2026-06-01T14:00:00.000Z')
      await changeJob(store, job.key, () => ({overdue: true}))
      expect(await update(job.key, {expectSuccessWithinMs: null})).toMatchObject({overdue: false, expectSuccessWithinMs: null})
      expect(await since()).toBeNull()
    })
  })
})
