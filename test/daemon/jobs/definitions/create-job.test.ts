import {describe, expect, test} from 'vitest'
import {Jobs} from '../../../../daemon/jobs/records.js'
import {systemActor} from '../../../../daemon/events/record.js'
import {freeOfCharge} from '../../../../daemon/jobs/billing.js'
import {createRequestRun} from '../../../../daemon/jobs/request-run.js'
import {secretContext} from '../../../../daemon/jobs/definitions/job-secrets.js'
import {eventsOf} from '../job-fixture.js'
import {badFields, minimal, owner, refusal, withDefinitions} from './definition-fixture.js'

describe('a new job', () => {
  test('is shown with everything filled in, and is due next', async () => {
    await withDefinitions(async ({create, call, changed}) => {
      const job = await create()
      expect(job).toMatchObject({
        kind: 'custom', name: null, manifest: null, label: 'Rotate logs', scheduleType: 'recurring', cronExpression: '30 2 * * *', timeZone: 'UTC', runAt: null,
        jitterSeconds: 0, overlap: 'skip', misfire: 'once', enabled: true, actionType: 'command', parameters: [], outputLimitBytes: 268_435_456, separateStderr: false,
        actionConfig: {serverIds: ['srv_1'], serverId: 'srv_1', command: 'logrotate -f /etc/lr.conf'},
        dependsOn: null, onFailure: null, triggerEvents: null, expectSuccessWithinMs: null, overdue: false, broken: null, notifyConfig: null, createdBy: 'usr_1',
        nextRunAt: '2026-06-02T02:30:00.000Z', lastRun: null, recentRuns: [],
      })
      expect(job.id).toMatch(/^job_[\w-]{16}$/)
      expect(job.key).toMatch(/^custom:[\w-]{16}$/)
      expect(job.actionConfig).not.toHaveProperty('timeoutMs')
      expect(await call('show', {key: job.key})).toEqual({data: job})
      expect(changed).toEqual([job.key])
    })
  })

  test('keeps every setting that is given', async () => {
    await withDefinitions(async ({create}) => {
      const before = await create({name: 'first', scheduleType: 'manual', cronExpression: undefined})
      const given = {
        timeZone: 'Europe/Berlin', jitterSeconds: 30, overlap: 'queue', misfire: 'all', outputLimitBytes: 1024, separateStderr: true,
        triggerEvents: ['deployment.failed', 'job.overdue'], expectSuccessWithinMs: 60_000, notifyConfig: {channels: ['chan_1'], states: ['failed' as const]},
      }
      const parameters = [{name: 'DAY', required: true}, {name: 'MODE', default: 'fast'}]
      const config = {timeoutMs: 1000, retry: {maxAttempts: 10, backoffSeconds: 3600}, env: {LEVEL: '3'}}
      const job = await create({...given, ...config, dependsOn: [before.key], parameters})
      expect(job).toMatchObject({...given, dependsOn: [before.key], parameters: [{name: 'DAY', required: true}, {name: 'MODE', required: false, default: 'fast'}]})
      expect(job.actionConfig).toMatchObject(config)
    })
  })

  test('takes a key from its name; the name is taken then, in this organization alone', async () => {
    await withDefinitions(async ({create, servers}) => {
      expect(await create({name: 'backup-1'})).toMatchObject({key: 'custom:backup-1', name: 'backup-1'})
      expect((await refusal(create({name: 'backup-1'}))).code).toBe('JOB_EXISTS')
      servers.set('srv_9', {id: 'srv_9', organizationId: 'org_9', name: null})
      const other = await create({name: 'backup-1', serverIds: ['srv_9']}, owner({organizationId: 'org_9'}))
      expect(other.name).toBe('backup-1')
      expect(other.key).toMatch(/^custom:[\w-]{16}$/)
    })
  })

  test('gets no key under which another organization has history', async () => {
    await withDefinitions(async ({create, call, store, recordEvent, clock}) => {
      const request = createRequestRun({clock, billing: freeOfCharge, recordEvent})
      const foreign = await create({name: 'backup', serverIds: ['srv_foreign']}, owner({organizationId: 'org_2'}))
      const own = await create({name: 'rotate'})
      for (const key of [foreign.key, own.key]) {
        const job = await store.findOne(Jobs, 'key', [key])
        if (job !== undefined) await store.transaction((transaction) => request(transaction, {job, trigger: 'schedule', actor: systemActor}))
      }
      await call('delete', {key: foreign.key, as: owner({organizationId: 'org_2'})})
      await call('delete', {key: own.key})
      expect((await create({name: 'backup'})).key).not.toBe(foreign.key)
      expect((await create({name: 'rotate'})).key).toBe(own.key)
    })
  })

  test.each(['Backup', '-x', 'a_b', 'a'.repeat(64), '', 'a b'])('refuses the name %j', async (name) => {
    await withDefinitions(async ({create}) => {
      expect(await badFields(create({name}))).toHaveProperty('/name')
    })
  })

  test('trims label and command, and names each server once, in order', async () => {
    await withDefinitions(async ({create}) => {
      const job = await create({label: '  Rotate  ', command: ' true\n', serverIds: ['srv_2', 'srv_1', 'srv_2'], serverId: 'srv_3'})
      expect(job.label).toBe('Rotate')
      expect(job.actionConfig).toMatchObject({command: 'true', serverIds: ['srv_2', 'srv_1', 'srv_3'], serverId: 'srv_2'})
      expect((await create({serverIds: undefined, serverId: 'srv_2'})).actionConfig).toMatchObject({serverIds: ['srv_2']})
    })
  })

  test('is one event with names of variables and secrets, not their values', async () => {
    await withDefinitions(async ({create, store}) => {
      const job = await create({env: {LEVEL: 'plain-value'}, secrets: {TOKEN: 'hidden-value'}})
      const events = await eventsOf(store)
      expect(events).toMatchObject([{type: 'job.created', organizationId: 'org_1', resourceType: 'job', resourceId: job.key, payload: {after: {env: ['LEVEL'], secrets: ['TOKEN'], label: 'Rotate logs'}}}])
      expect(JSON.stringify(events)).not.toContain('-value')
    })
  })

  test('keeps its secrets sealed for itself, and shows only their names', async () => {
    await withDefinitions(async ({create, store, sealer}) => {
      const value = `a "quoted" 'value'\nof two lines, 50 % off ${'x'.repeat(65_536)}`
      const job = await create({secrets: {VAULT_KEY: value, B: 'b'}})
      expect(job.actionConfig?.secrets).toEqual({B: '', VAULT_KEY: ''})
      const stored = await store.get(Jobs, job.id)
      expect(JSON.stringify(stored)).not.toContain('quoted')
      expect(sealer.open(stored?.secrets['VAULT_KEY'] ?? '', `jobs/${job.id}/secrets/VAULT_KEY`)).toBe(value)
      expect(() => sealer.open(stored?.secrets['VAULT_KEY'] ?? '', secretContext('job_other', 'VAULT_KEY'))).toThrow()
    })
  })
})

describe('limits', () => {
  const ids = (count: number) => Array.from({length: count}, (_, index) => `srv_${index}`)
  const many = (count: number) => Object.fromEntries(Array.from({length: count}, (_, index) => [`V${index}`, '']))
  test.each([
    ['label', {label: 'a'.repeat(120)}, {label: 'a'.repeat(121)}, '/label'],
    ['command', {command: 'a'.repeat(10_000)}, {command: 'a'.repeat(10_001)}, '/command'],
    ['timeoutMs', {timeoutMs: 1000}, {timeoutMs: 999}, '/timeoutMs'],
    ['timeoutMs', {timeoutMs: 86_400_000}, {timeoutMs: 86_400_001}, '/timeoutMs'],
    ['timeoutMs', {timeoutMs: 1001}, {timeoutMs: 1000.5}, '/timeoutMs'],
    ['maxAttempts', {retry: {maxAttempts: 1, backoffSeconds: 0}}, {retry: {maxAttempts: 0, backoffSeconds: 0}}, '/retry/maxAttempts'],
    ['maxAttempts', {retry: {maxAttempts: 10, backoffSeconds: 0}}, {retry: {maxAttempts: 11, backoffSeconds: 0}}, '/retry/maxAttempts'],
    ['backoffSeconds', {retry: {maxAttempts: 2, backoffSeconds: 3600}}, {retry: {maxAttempts: 2, backoffSeconds: 3601}}, '/retry/backoffSeconds'],
    ['jitterSeconds', {jitterSeconds: 3600}, {jitterSeconds: 3601}, '/jitterSeconds'],
    ['outputLimitBytes', {outputLimitBytes: 1024}, {outputLimitBytes: 1023}, '/outputLimitBytes'],
    ['expectSuccessWithinMs', {expectSuccessWithinMs: 60_000}, {expectSuccessWithinMs: 59_999}, '/expectSuccessWithinMs'],
    ['channels', {notifyConfig: {channels: Array(50).fill('chan_1'), states: []}}, {notifyConfig: {channels: Array(51).fill('chan_1'), states: []}}, '/notifyConfig/channels'],
    ['env', {env: many(200)}, {env: many(201)}, '/env'],
    ['env name', {env: {['A'.repeat(128)]: ''}}, {env: {['A'.repeat(129)]: ''}}, `/env/${'A'.repeat(129)}`],
    ['parameters', {parameters: Object.keys(many(50)).map((name) => ({name}))}, {parameters: Object.keys(many(51)).map((name) => ({name}))}, '/parameters'],
  ])('%s is taken at its edge and refused one past it', async (_name, edge, past, path) => {
    await withDefinitions(async ({create}) => {
      await create(edge)
      expect(await badFields(create(past))).toHaveProperty(path)
    })
  })

  test('fifty servers are taken and fifty-one refused, however they are named', async () => {
    await withDefinitions(async ({create, servers}) => {
      for (const id of ids(51)) servers.set(id, {id, organizationId: 'org_1', name: null})
      expect((await create({serverIds: ids(50)})).actionConfig?.serverIds).toHaveLength(50)
      expect(await badFields(create({serverIds: ids(51)}))).toHaveProperty('/serverIds')
      expect(await badFields(create({serverIds: ids(50), serverId: 'srv_50'}))).toEqual({'/serverIds': 'holds at most 50 servers'})
    })
  })
})

describe('what a new job is refused for', () => {
  test.each([
    ['a blank label', {label: ' \t'}, '/label'],
    ['no label', {label: undefined}, '/label'],
    ['a blank command', {command: '\n'}, '/command'],
    ['a command with a NUL', {command: 'a\0b'}, '/command'],
    ['no server', {serverIds: undefined}, '/serverIds'],
    ['an empty list of servers', {serverIds: []}, '/serverIds'],
    ['no cron expression', {cronExpression: undefined}, '/cronExpression'],
    ['an expression that does not parse', {cronExpression: '* * * *'}, '/cronExpression'],
    ['an expression that never fires', {cronExpression: '0 0 31 2 *'}, '/cronExpression'],
    ['a bad expression though it runs by hand', {cronExpression: 'often', scheduleType: 'manual'}, '/cronExpression'],
    ['a zone that is none', {timeZone: 'Mars/Olympus'}, '/timeZone'],
    ['a once job without a time', {scheduleType: 'once'}, '/runAt'],
    ['a time in the past', {scheduleType: 'once', runAt: '2026-06-01T11:59:59.999Z'}, '/runAt'],
    ['a time that is now', {scheduleType: 'once', runAt: '2026-06-01T12:00:00.000Z'}, '/runAt'],
    ['a time without a zone', {scheduleType: 'once', runAt: '2026-07-01T12:00:00'}, '/runAt'],
    ['a time past the last year that can be written, in UTC', {scheduleType: 'once', runAt: '9999-12-31T23:59:59-02:00'}, '/runAt'],
    ['a time that jitter carries past it', {scheduleType: 'once', runAt: '9999-12-31T23:59:59Z', jitterSeconds: 3600}, '/runAt'],
    ['a time that is no date', {scheduleType: 'once', runAt: '2026-02-30T12:00:00Z'}, '/runAt'],
    ['an unknown event', {triggerEvents: ['deployment.failed', 'moon.full']}, '/triggerEvents'],
    ['an event that is none to start on', {triggerEvents: ['job_run.failed']}, '/triggerEvents'],
    ['an unknown prerequisite', {dependsOn: ['custom:nobody']}, '/dependsOn'],
    ['an unknown job to start on failure', {onFailure: ['custom:nobody']}, '/onFailure'],
    ['a bad variable name', {env: {'1A': 'x'}}, '/env/1A'],
    ['a secret with a NUL', {secrets: {A: 'x\0'}}, '/secrets/A'],
    ['a parameter that is a variable too', {env: {DAY: '1'}, parameters: [{name: 'DAY'}]}, '/parameters/0/name'],
    ['a parameter that is a secret too', {secrets: {DAY: '1'}, parameters: [{name: 'A'}, {name: 'DAY'}]}, '/parameters/1/name'],
    ['a parameter declared twice', {parameters: [{name: 'A'}, {name: 'A'}]}, '/parameters/1/name'],
    ['a member that nobody declared', {colour: 'red'}, '/colour'],
    ['enabled, which is not for a new job', {enabled: false}, '/enabled'],
  ])('%s', async (_name, over, path) => {
    await withDefinitions(async ({create, store}) => {
      expect(await badFields(create(over))).toHaveProperty([path])
      expect(await store.count(Jobs, 'organization', ['org_1'])).toBe(0)
    })
  })

  test('all that is wrong is told at once', async () => {
    await withDefinitions(async ({create}) => {
      const errors = await badFields(create({cronExpression: '60 * * * *', timeZone: 'Nowhere', triggerEvents: ['moon.full'], parameters: [{name: 'A'}, {name: 'A'}]}))
      expect(Object.keys(errors).sort()).toEqual(['/cronExpression', '/parameters/1/name', '/timeZone', '/triggerEvents'])
      expect(errors['/cronExpression']).toBe('minute "60": 60 is not within 0 to 59')
    })
  })

  test('a bad secret is never said back', async () => {
    await withDefinitions(async ({create}) => {
      const fault = await refusal(create({secrets: {A: 'very-secret\0'}}))
      expect(JSON.stringify([fault.message, fault.errors, fault.details])).not.toContain('very-secret')
    })
  })
})

test('what belongs to another kind of schedule is dropped', async () => {
  await withDefinitions(async ({create}) => {
    expect(await create({runAt: '2026-07-01T00:00:00Z'})).toMatchObject({scheduleType: 'recurring', runAt: null})
    expect(await create({scheduleType: 'manual'})).toMatchObject({cronExpression: null, nextRunAt: null})
    expect(await create({scheduleType: 'once', runAt: '2026-07-01T02:00:00+02:00'})).toMatchObject({cronExpression: null, runAt: '2026-07-01T00:00:00.000Z', nextRunAt: '2026-07-01T00:00:00.000Z'})
    expect(await create({notifyConfig: null, timeoutMs: null, retry: null, dependsOn: null})).toMatchObject({notifyConfig: null, dependsOn: null})
  })
})

test('an expression is read in the zone of the job, and the next run told in UTC', async () => {
  await withDefinitions(async ({create}) => {
    expect(await create({timeZone: 'America/New_York'})).toMatchObject({timeZone: 'America/New_York', nextRunAt: '2026-06-02T06:30:00.000Z'})
    expect(await create({cronExpression: '@daily'})).toMatchObject({cronExpression: '@daily', nextRunAt: '2026-06-02T00:00:00.000Z'})
  })
})

test('a server that is unknown, foreign or not covered is answered the same, naming what was given', async () => {
  await withDefinitions(async ({create}) => {
    for (const id of ['srv_nobody', 'srv_foreign']) {
      const fault = await refusal(create({serverIds: ['srv_1', id]}))
      expect([fault.code, fault.message]).toEqual(['NOT_FOUND', `there is no server ${id}`])
    }
    expect(minimal.serverIds).toEqual(['srv_1'])
  })
})
