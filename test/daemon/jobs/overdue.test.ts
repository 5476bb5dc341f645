import {expect, test} from 'vitest'
import {createOverdueWatch, type OverdueWatch} from '../../../daemon/jobs/overdue.js'
import {Jobs, type JobRecord} from '../../../daemon/jobs/records.js'
import {addJob, changeJob, eventsOf, until, withJobs, type JobBench} from './job-fixture.js'

const noon = '2026-06-01T12:00:00.000Z'
const hourMs = 3_600_000
const expecting: Partial<JobRecord> = {scheduleType: 'manual', cronExpression: null, expectSuccessWithinMs: hourMs, expectedSince: noon}

async function withWatch(work: (bench: JobBench & {watch: OverdueWatch; settle: (ms: number) => Promise<void>}) => Promise<void>): Promise<void> {
  await withJobs(noon, async (bench) => {
    const watch = createOverdueWatch(bench)
    // Longer than any write of these tests takes: what does not happen is also to be seen.
    const settle = async (ms: number) => {
      for (let left = ms; left > 0; left -= 60_000) {
        bench.clock.advance(Math.min(left, 60_000))
        for (let turn = 0; turn < 3; turn++) await bench.store.transaction(async () => undefined)
      }
    }
    try {
      await work({...bench, watch, settle})
    } finally {
      await watch.stop()
    }
  })
}

const types = async (bench: Pick<JobBench, 'store'>) => (await eventsOf(bench.store)).map((event) => event.type)

test('a job that does not succeed in time is called overdue, once', async () => {
  await withWatch(async ({store, clock, watch, settle}) => {
    const job = await addJob(store, clock, expecting)
    await watch.start()
    await settle(hourMs - 1)
    expect(await eventsOf(store)).toEqual([])
    await settle(1)
    await until(async () => (await eventsOf(store)).length > 0)
    expect(await eventsOf(store)).toMatchObject([
      {type: 'job.overdue', organizationId: 'org_1', resourceId: job.key, payload: {label: job.label, expectSuccessWithinMs: hourMs, overdueAt: '2026-06-01T13:00:00.000Z'}},
    ])
    expect(await store.get(Jobs, job.id)).toMatchObject({overdue: true})
    await settle(5 * hourMs)
    expect(await types({store})).toEqual(['job.overdue'])
  })
})

test('a success moves the deadline; after a recovery the watch is on again', async () => {
  await withWatch(async ({store, clock, watch, settle}) => {
    const job = await addJob(store, clock, expecting)
    await watch.start()
    await settle(30 * 60_000)
    const succeed = () => changeJob(store, job.key, () => ({expectedSince: new Date(clock.now()).toISOString(), overdue: false}))
    await succeed()
    await settle(59 * 60_000)
    expect(await eventsOf(store)).toEqual([])
    await settle(2 * 60_000)
    await until(async () => (await types({store})).length === 1)
    await settle(3 * hourMs)
    await succeed()
    await settle(59 * 60_000)
    expect(await types({store})).toEqual(['job.overdue'])
    await settle(hourMs)
    await until(async () => (await types({store})).length === 2)
  })
})

test('a disabled job, and one of which nothing is expected any more, is never overdue', async () => {
  await withWatch(async ({store, clock, watch, settle}) => {
    await addJob(store, clock, {...expecting, enabled: false})
    const released = await addJob(store, clock, expecting)
    const deleted = await addJob(store, clock, expecting)
    await watch.start()
    await changeJob(store, released.key, () => ({expectSuccessWithinMs: null, expectedSince: null}))
    watch.jobChanged(released.key)
    await store.transaction((transaction) => transaction.delete(Jobs, deleted.id))
    await settle(3 * hourMs)
    expect(await eventsOf(store)).toEqual([])
  })
})

test('an expectation that is set or shortened while the watch runs holds', async () => {
  await withWatch(async ({store, clock, watch, settle}) => {
    await watch.start()
    const job = await addJob(store, clock, {...expecting, expectSuccessWithinMs: 10 * hourMs})
    watch.jobChanged(job.key)
    await settle(60_000)
    await changeJob(store, job.key, () => ({expectSuccessWithinMs: 5 * 60_000}))
    watch.jobChanged(job.key)
    await settle(6 * 60_000)
    await until(async () => (await types({store})).length === 1)
  })
})

test('a deadline that passed while the daemon was down is seen at start', async () => {
  await withWatch(async ({store, clock, watch, settle}) => {
    await addJob(store, clock, {...expecting, expectedSince: '2026-05-30T00:00:00.000Z'})
    await watch.start()
    await settle(1000)
    await until(async () => (await types({store})).length === 1)
    await Promise.all([watch.stop(), watch.stop()])
    expect(clock.timers).toBe(0)
  })
})
