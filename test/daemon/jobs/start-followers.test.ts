import {writeFile} from 'node:fs/promises'
import {expect, it} from 'vitest'
import {createEventTriggers} from '../../../daemon/jobs/event-triggers.js'
import {Jobs, Runs} from '../../../daemon/jobs/records.js'
import {systemActor, type DomainEvent} from '../../../daemon/events/record.js'
import {RunLab} from './executor-fixture.js'

it('starts a dependent on success, and none on failure', async () => {
  const lab = await RunLab.open()
  const good = await lab.addJob({key: 'custom:good'})
  const bad = await lab.addJob({key: 'custom:bad', command: 'exit 1'})
  await lab.addJob({key: 'custom:after-good', dependsOn: ['custom:good'], command: 'echo "$JOB_TRIGGER"'})
  await lab.addJob({key: 'custom:after-bad', dependsOn: ['custom:bad']})
  await lab.addJob({key: 'custom:disabled', dependsOn: ['custom:good'], enabled: false})
  const run = await lab.run(good)
  await lab.run(bad)
  const [dependent] = await lab.runsOf('custom:after-good')
  expect(dependent).toMatchObject({trigger: 'dependency', causedBy: run.id, prerequisites: [run.id], startedBy: null})
  await lab.ended(dependent?.id ?? '')
  expect(await lab.outputOf(dependent?.id ?? '')).toBe('dependency\n')
  expect(await lab.runsOf('custom:after-bad')).toEqual([])
  expect(await lab.runsOf('custom:disabled')).toEqual([])
})

it('starts a dependent once when all its prerequisites finish at the same moment', async () => {
  const lab = await RunLab.open()
  const keys = Array.from({length: 6}, (_, index) => `custom:p${index}`)
  for (const key of keys) await lab.addJob({key, command: 'sleep 0.2'})
  await lab.addJob({key: 'custom:after', dependsOn: keys, overlap: 'allow'})
  for (let round = 1; round <= 3; round += 1) {
    const jobs = await Promise.all(keys.map((key) => lab.store.findOne(Jobs, 'key', [key])))
    await Promise.all(jobs.flatMap((job) => (job === undefined ? [] : [lab.run(job)])))
    await lab.until(async () => (await lab.store.count(Runs, 'activity', [true])) === 0)
    const expected = await lab.runsOf('custom:after')
    expect(new Set(expected.map((run) => run.prerequisites?.join())).size).toBe(expected.length)
    if (round === 1) expect(expected).toHaveLength(1)
  }
})

it('waits for a prerequisite that failed last, and passes over skipped runs', async () => {
  const lab = await RunLab.open()
  const first = await lab.addJob({key: 'custom:first'})
  const other = await lab.addJob({key: 'custom:other', command: '[ -e "$OK" ]', env: {OK: `${lab.home}/ok`}})
  await lab.addJob({key: 'custom:after', dependsOn: ['custom:first', 'custom:other']})
  await lab.run(other)
  await lab.run(first)
  expect(await lab.runsOf('custom:after')).toEqual([])
  await writeFile(`${lab.home}/ok`, '')
  await lab.request({job: first, trigger: 'schedule', missed: true})
  await lab.run(other)
  expect(await lab.runsOf('custom:after')).toHaveLength(1)
})

it('runs the jobs that a failed job names, and tells them what failed', async () => {
  const lab = await RunLab.open()
  await lab.addJob({key: 'custom:alarm', command: 'echo "$JOB_TRIGGER $JOB_EVENT_TYPE $JOB_EVENT_RESOURCE_ID"; echo "$JOB_EVENT_PAYLOAD"'})
  const job = await lab.addJob({key: 'custom:a', label: 'Nightly', command: 'exit 9', onFailure: ['custom:alarm', 'custom:gone']})
  const failed = await lab.run(job)
  const [alarm] = await lab.runsOf('custom:alarm')
  await lab.ended(alarm?.id ?? '')
  const [head, payload] = (await lab.outputOf(alarm?.id ?? '')).split('\n')
  expect(head).toBe('failure job_run.failed custom:a')
  expect(JSON.parse(payload ?? '')).toMatchObject({runId: failed.id, label: 'Nightly', exitCode: 9, endReason: 'exit', error: 'exit status 9'})
})

it('starts no failure job when a run was cancelled', async () => {
  const lab = await RunLab.open()
  await lab.addJob({key: 'custom:alarm'})
  const job = await lab.addJob({key: 'custom:a', command: 'sleep 30', onFailure: ['custom:alarm']})
  const run = await lab.request({job, trigger: 'manual'})
  await lab.reached(run.id, 'running')
  await lab.executor.cancel(run.id, systemActor)
  await lab.ended(run.id)
  expect(await lab.runsOf('custom:alarm')).toEqual([])
})

it('ends a loop of failure and dependency edges', async () => {
  const lab = await RunLab.open()
  const job = await lab.addJob({key: 'custom:a', command: 'exit 1', onFailure: ['custom:b']})
  await lab.addJob({key: 'custom:b', command: 'exit 1', onFailure: ['custom:a']})
  await lab.run(job)
  await lab.until(async () => (await lab.store.count(Runs, 'activity', [true])) === 0)
  expect(await lab.runsOf('custom:a')).toHaveLength(1)
  expect(await lab.runsOf('custom:b')).toHaveLength(1)
})

it('starts nothing by itself while triggers are off', async () => {
  const lab = await RunLab.open({triggersEnabled: () => false})
  const job = await lab.addJob({key: 'custom:a'})
  const bad = await lab.addJob({key: 'custom:bad', command: 'exit 1', onFailure: ['custom:after']})
  await lab.addJob({key: 'custom:after', dependsOn: ['custom:a']})
  await lab.run(job)
  await lab.run(bad)
  expect(await lab.runsOf('custom:after')).toEqual([])
})

it('notes a success for the watch on overdue jobs, and says that an overdue one has recovered', async () => {
  const lab = await RunLab.open()
  const job = await lab.addJob({key: 'custom:a', expectSuccessWithinMs: 60_000, expectedSince: '2026-01-01T00:00:00.000Z', overdue: true})
  const run = await lab.run(job)
  expect(await lab.store.get(Jobs, job.id)).toMatchObject({overdue: false, expectedSince: run.finishedAt})
  expect((await lab.events()).map((event) => event.type)).toContain('job.recovered')
})

function makeEvent(over: Partial<DomainEvent>): DomainEvent {
  return {
    id: 'evt_1',
    stream: 'all',
    position: 1,
    type: 'deployment.failed',
    organizationId: 'org_default',
    resourceType: 'deployment',
    resourceId: 'dep_1',
    actor: systemActor,
    occurredAt: '2026-01-01T00:00:00.000Z',
    payload: {branch: 'main'},
    ...over,
  }
}

it('starts the jobs of an organization that list an event, once however often it is told', async () => {
  const lab = await RunLab.open()
  const start = createEventTriggers({links: lab.links, requestRun: lab.requestRun, triggersEnabled: () => true})
  const command = 'echo "$JOB_TRIGGER $JOB_EVENT_TYPE $JOB_EVENT_RESOURCE_TYPE $JOB_EVENT_RESOURCE_ID $JOB_EVENT_PAYLOAD"'
  await lab.addJob({key: 'custom:a', triggerEvents: ['deployment.failed'], command, overlap: 'allow'})
  await lab.addJob({key: 'custom:other', triggerEvents: ['deployment.failed'], organizationId: 'org_other'})
  await lab.addJob({key: 'custom:off', triggerEvents: ['deployment.failed'], enabled: false})
  for (let index = 0; index < 3; index += 1) await lab.store.transaction((transaction) => start(transaction, makeEvent({})))
  await lab.store.transaction((transaction) => start(transaction, makeEvent({id: 'evt_2', type: 'deployment.succeeded'})))
  const runs = await lab.runsOf('custom:a')
  expect(runs).toHaveLength(1)
  await lab.ended(runs[0]?.id ?? '')
  expect(await lab.outputOf(runs[0]?.id ?? '')).toBe('event deployment.failed deployment dep_1 {"branch":"main"}\n')
  expect(await lab.runsOf('custom:other')).toEqual([])
  expect(await lab.runsOf('custom:off')).toEqual([])
})

it('does not start jobs on events that belong to no organization or are no triggers', async () => {
  const lab = await RunLab.open()
  const start = createEventTriggers({links: lab.links, requestRun: lab.requestRun, triggersEnabled: () => true})
  await lab.addJob({key: 'custom:a', triggerEvents: ['deployment.failed', 'job_run.failed']})
  await lab.store.transaction((transaction) => start(transaction, makeEvent({organizationId: null})))
  await lab.store.transaction((transaction) => start(transaction, makeEvent({type: 'job_run.failed'})))
  expect(await lab.runsOf('custom:a')).toEqual([])
})
