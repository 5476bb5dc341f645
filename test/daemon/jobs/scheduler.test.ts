import {describe, expect, test} from 'vitest'
import {Fault} from '../../../src/contract/faults.js'
import {DueTimes} from '../../../daemon/jobs/due-times.js'
import {Jobs} from '../../../daemon/jobs/records.js'
import type {RequestRun} from '../../../daemon/jobs/run-request.js'
import type {Store} from '../../../daemon/store/store.js'
import {addJob, changeJob, jobRecord, until} from './job-fixture.js'
import {withScheduler} from './scheduler-fixture.js'

const noon = '2026-06-01T12:00:00Z'
const dueTimes = new DueTimes('UTC')

/** The same store, whose single reads are answered late, as over a network. */
function slowed(store: Store, wait: () => Promise<void>): Store {
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      const method = value.bind(target) as (...args: unknown[]) => Promise<unknown>
      if (name !== 'findOne') return method
      return async (...args: unknown[]) => {
        const found = await method(...args)
        await wait()
        return found
      }
    },
  })
}

describe('firing', () => {
  test('a recurring job runs at each due time, and its next one is stored with the run', async () => {
    await withScheduler(noon, async ({store, clock, create, walk, fires}) => {
      const job = await addJob(store, clock)
      const scheduler = create()
      await scheduler.start()
      expect(scheduler.status()).toEqual({state: 'running', lastTickAt: '2026-06-01T12:00:00.000Z', nextFireAt: '2026-06-01T12:05:00.000Z'})
      await walk(4 * 60_000 + 59_999)
      expect(await fires()).toEqual([])
      await walk(1)
      expect(await fires()).toEqual(['2026-06-01T12:05:00 schedule queued'])
      expect(await store.findOne(Jobs, 'key', [job.key])).toMatchObject({nextDueAt: '2026-06-01T12:10:00.000Z', nextRunAt: '2026-06-01T12:10:00.000Z'})
      await walk(10 * 60_000)
      expect(await fires()).toHaveLength(3)
    })
  })

  test('a once job runs once and is disarmed in the same transaction', async () => {
    await withScheduler(noon, async ({store, clock, create, walk, fires}) => {
      const job = await addJob(store, clock, {scheduleType: 'once', cronExpression: null, runAt: '2026-06-01T12:00:30.000Z'})
      await create().start()
      await walk(60 * 60_000, 30_000)
      expect(await fires()).toEqual(['2026-06-01T12:00:30 once queued'])
      expect(await store.findOne(Jobs, 'key', [job.key])).toMatchObject({enabled: false, runAt: null, nextDueAt: null, nextRunAt: null})
    })
  })

  test('manual and disabled jobs do not run', async () => {
    await withScheduler(noon, async ({store, clock, create, walk, fires}) => {
      await addJob(store, clock, {enabled: false})
      await addJob(store, clock, {scheduleType: 'manual', cronExpression: null})
      await addJob(store, clock, {scheduleType: 'once', cronExpression: null, runAt: '2026-06-01T12:00:30.000Z', enabled: false})
      const scheduler = create()
      await scheduler.start()
      await walk(60 * 60_000)
      expect(await fires()).toEqual([])
      expect(scheduler.status().nextFireAt).toBeNull()
    })
  })

  test('a timer that is early starts nothing, and nothing runs twice', async () => {
    await withScheduler(noon, async ({store, clock, create, walk, idle, fires}) => {
      await addJob(store, clock, {cronExpression: '* * * * *'})
      await create().start()
      clock.advance(59_999)
      clock.fireEarly()
      await idle()
      expect(await fires()).toEqual([])
      await walk(1)
      expect(await fires()).toEqual(['2026-06-01T12:01:00 schedule queued'])
    })
  })

  test('a job that is due far away waits for it on short sleeps', async () => {
    await withScheduler('2026-01-31T00:00:00Z', async ({store, clock, create, walk, fires}) => {
      await addJob(store, clock, {cronExpression: '0 0 31 3 *'})
      const scheduler = create()
      await scheduler.start()
      await walk(58 * 86_400_000, 86_400_000)
      expect(await fires()).toEqual([])
      await walk(2 * 86_400_000, 86_400_000)
      expect(await fires()).toEqual(['2026-03-31T00:00:00 schedule queued'])
    })
  })

  test('many jobs that are due at once all run once', async () => {
    await withScheduler(noon, async ({store, clock, create, walk, fires}) => {
      await store.transaction(async (transaction) => {
        for (let index = 0; index < 500; index++) {
          const job = jobRecord()
          await transaction.insert(Jobs, {...job, ...dueTimes.dueAfter(job, clock.now())})
        }
      })
      await create().start()
      await walk(5 * 60_000)
      await until(async () => (await fires()).length >= 500)
      expect(await fires()).toHaveLength(500)
    })
  })
})

describe('changes', () => {
  test('what is changed while the scheduler runs holds at once: sooner, later, off, deleted, new', async () => {
    await withScheduler(noon, async ({store, clock, create, walk, idle, fires}) => {
      const job = await addJob(store, clock, {cronExpression: '30 * * * *'})
      const scheduler = create()
      await scheduler.start()
      const reschedule = async (over: Partial<typeof job>) => {
        await changeJob(store, job.key, (old) => ({...over, ...dueTimes.dueAfter({...old, ...over}, clock.now())}))
        scheduler.jobChanged(job.key)
        await idle()
      }
      await reschedule({cronExpression: '10 * * * *'})
      expect(scheduler.status().nextFireAt).toBe('2026-06-01T12:10:00.000Z')
      await reschedule({cronExpression: '20 * * * *'})
      await walk(15 * 60_000)
      expect(await fires()).toEqual([])
      await reschedule({enabled: false})
      await walk(10 * 60_000)
      expect(await fires()).toEqual([])
      await reschedule({enabled: true, cronExpression: '*/30 * * * *'})
      await walk(5 * 60_000)
      expect(await fires()).toEqual(['2026-06-01T12:30:00 schedule queued'])
      await store.transaction((transaction) => transaction.delete(Jobs, job.id))
      scheduler.jobChanged(job.key)
      await walk(60 * 60_000)
      expect(await fires()).toHaveLength(1)
      const later = await addJob(store, clock, {cronExpression: '35 13 * * *'})
      scheduler.jobChanged(later.key)
      await idle()
      await walk(5 * 60_000)
      expect(await fires()).toHaveLength(2)
    })
  })

  test('a change while the job is being fired wins over what the fire had in mind', async () => {
    await withScheduler(noon, async ({store, clock, create, walk, fires, requestRun}) => {
      const job = await addJob(store, clock)
      let letGo = () => {}
      const held = new Promise<void>((resolve) => (letGo = resolve))
      let entered = false
      const slow: RequestRun = async (transaction, request) => {
        entered = true
        await held
        return requestRun(transaction, request)
      }
      const scheduler = create({requestRun: slow})
      await scheduler.start()
      clock.advance(5 * 60_000)
      await until(() => entered)
      const changing = changeJob(store, job.key, (old) => ({cronExpression: '45 * * * *', ...dueTimes.dueAfter({...old, cronExpression: '45 * * * *'}, clock.now())}))
      scheduler.jobChanged(job.key)
      letGo()
      await changing
      scheduler.jobChanged(job.key)
      await walk(30 * 60_000)
      expect(scheduler.status().nextFireAt).toBe('2026-06-01T12:45:00.000Z')
      expect(await fires()).toEqual(['2026-06-01T12:05:00 schedule queued'])
    })
  })

  test('a change that comes while the one before is being read is not lost', async () => {
    await withScheduler(noon, async ({store, clock, create, idle}) => {
      const job = await addJob(store, clock)
      let reads = 0
      let letGo = () => {}
      const held = new Promise<void>((resolve) => (letGo = resolve))
      const slowStore = slowed(store, async () => {
        reads += 1
        await held
      })
      const scheduler = create({store: slowStore})
      await scheduler.start()
      for (const cronExpression of ['45 * * * *', '50 * * * *']) {
        await changeJob(store, job.key, (old) => ({cronExpression, ...dueTimes.dueAfter({...old, cronExpression}, clock.now())}))
        scheduler.jobChanged(job.key)
        await until(() => reads > 0)
      }
      letGo()
      await idle()
      expect(scheduler.status().nextFireAt).toBe('2026-06-01T12:50:00.000Z')
    })
  })

  test('an edit that the scheduler was not told of is seen when the old time comes', async () => {
    await withScheduler(noon, async ({store, clock, create, walk, fires}) => {
      const job = await addJob(store, clock)
      const scheduler = create()
      await scheduler.start()
      await changeJob(store, job.key, (old) => dueTimes.dueAfter({...old, cronExpression: '45 * * * *'}, clock.now()))
      await walk(6 * 60_000)
      expect(await fires()).toEqual([])
      expect(scheduler.status().nextFireAt).toBe('2026-06-01T12:45:00.000Z')
    })
  })
})

describe('trouble', () => {
  test('while the disk is full nothing is lost: the fire comes when there is room', async () => {
    await withScheduler(noon, async ({store, clock, create, walk, fires, requestRun, logLines}) => {
      for (let index = 0; index < 3; index++) await addJob(store, clock)
      let full = true
      const scheduler = create({
        requestRun: async (transaction, request) => {
          if (full) throw new Fault('STORE_FULL', 'no space is left')
          return requestRun(transaction, request)
        },
      })
      await scheduler.start()
      await walk(6 * 60_000, 1_000)
      expect(await fires()).toEqual([])
      expect(logLines.filter((line) => line.level === 'error').length).toBeLessThan(15)
      full = false
      await walk(60_000, 1_000)
      expect(await fires()).toEqual(Array(3).fill('2026-06-01T12:05:00 schedule queued'))
    })
  })

  test('a job that can not be started is tried again and holds up no other', async () => {
    await withScheduler(noon, async ({store, clock, create, walk, fires, requestRun, logLines}) => {
      const broken = await addJob(store, clock, {cronExpression: '5 12 * * *'})
      await addJob(store, clock, {cronExpression: '*/5 * * * *'})
      let failures = 3
      const scheduler = create({
        requestRun: async (transaction, request) => {
          if (request.job.key === broken.key && failures-- > 0) throw new Error('a bug')
          return requestRun(transaction, request)
        },
      })
      await scheduler.start()
      await walk(5 * 60_000)
      expect(await fires()).toHaveLength(1)
      await walk(30_000, 1_000)
      expect(await fires()).toEqual(Array(2).fill('2026-06-01T12:05:00 schedule queued'))
      expect(logLines.filter((line) => line.details['jobKey'] === broken.key)).toHaveLength(3)
    })
  })

  test('starting and stopping twice is as once, and a stopped one fires nothing', async () => {
    await withScheduler(noon, async ({store, clock, create, walk, fires}) => {
      await addJob(store, clock)
      const scheduler = create()
      expect(scheduler.status().state).toBe('stopped')
      await Promise.all([scheduler.start(), scheduler.start()])
      expect(clock.timers).toBe(1)
      await Promise.all([scheduler.stop(), scheduler.stop()])
      expect(clock.timers).toBe(0)
      expect(scheduler.status()).toMatchObject({state: 'stopped', nextFireAt: null})
      await walk(10 * 60_000)
      expect(await fires()).toEqual([])
      await scheduler.start()
      await walk(5 * 60_000)
      expect(await fires()).toEqual(['2026-06-01T12:10:00 schedule queued', '2026-06-01T12:15:00 schedule queued'])
    })
  })
})
