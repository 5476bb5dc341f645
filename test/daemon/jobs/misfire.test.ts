import {describe, expect, test} from 'vitest'
import {Jobs, type JobRecord} from '../../../daemon/jobs/records.js'
import {addJob} from './job-fixture.js'
import {withScheduler, type SchedulerBench} from './scheduler-fixture.js'

const hourMs = 3_600_000
const noon = '2026-06-01T12:00:00Z'

/** Runs a scheduler, leaves it off for a while as after a crash, and runs another. */
async function afterDowntime({store, clock, create, idle}: SchedulerBench, downMs: number, over: Partial<JobRecord>): Promise<JobRecord> {
  const job = await addJob(store, clock, over)
  const first = create()
  await first.start()
  await first.stop()
  clock.advance(downMs)
  await create().start()
  await idle()
  return job
}

describe('after downtime', () => {
  test('once: one run makes up for all that was missed, and the next is in the future', async () => {
    await withScheduler(noon, async (bench) => {
      const job = await afterDowntime(bench, 3 * hourMs + 90_000, {misfire: 'once'})
      expect(await bench.fires()).toEqual(['2026-06-01T15:00:00 schedule queued'])
      expect(await bench.store.findOne(Jobs, 'key', [job.key])).toMatchObject({nextDueAt: '2026-06-01T15:05:00.000Z'})
    })
  })

  test('skip: what was missed leaves one skipped run in history', async () => {
    await withScheduler(noon, async (bench) => {
      await afterDowntime(bench, 3 * hourMs + 90_000, {misfire: 'skip'})
      expect(await bench.fires()).toEqual(['2026-06-01T15:00:00 schedule skipped'])
      await bench.walk(5 * 60_000)
      expect(await bench.fires()).toEqual(['2026-06-01T15:00:00 schedule skipped', '2026-06-01T15:05:00 schedule queued'])
    })
  })

  test('skip: a fire that is only a little late runs, those before it are skipped', async () => {
    await withScheduler(noon, async (bench) => {
      await afterDowntime(bench, hourMs + 20_000, {misfire: 'skip'})
      expect(await bench.fires()).toEqual(['2026-06-01T12:55:00 schedule skipped', '2026-06-01T13:00:00 schedule queued'])
    })
  })

  test('all: each missed fire runs, in order, each for its own due time', async () => {
    await withScheduler(noon, async (bench) => {
      await afterDowntime(bench, 20 * 60_000 + 1, {misfire: 'all'})
      expect(await bench.fires()).toEqual(['12:05', '12:10', '12:15', '12:20'].map((time) => `2026-06-01T${time}:00 schedule queued`))
    })
  })

  test('all: never more than the newest hundred, however long it was', async () => {
    await withScheduler(noon, async (bench) => {
      await afterDowntime(bench, 400 * 24 * hourMs, {misfire: 'all', cronExpression: '* * * * *'})
      const fires = await bench.fires()
      expect(fires).toHaveLength(100)
      expect(fires[0]).toBe('2027-07-06T10:21:00 schedule queued')
      expect(fires.at(-1)).toBe('2027-07-06T12:00:00 schedule queued')
    })
  })

  test.each(['once', 'all'] as const)('%s: a once job that came due meanwhile still runs, once', async (misfire) => {
    await withScheduler(noon, async (bench) => {
      const runAt = '2026-06-01T12:30:00.000Z'
      await afterDowntime(bench, 3 * hourMs, {scheduleType: 'once', cronExpression: null, runAt, misfire})
      expect(await bench.fires()).toEqual(['2026-06-01T12:30:00 once queued'])
    })
  })

  test('skip: a once job that came due meanwhile is recorded and disarmed', async () => {
    await withScheduler(noon, async (bench) => {
      const job = await afterDowntime(bench, 3 * hourMs, {scheduleType: 'once', cronExpression: null, runAt: '2026-06-01T12:30:00.000Z', misfire: 'skip'})
      expect(await bench.fires()).toEqual(['2026-06-01T12:30:00 once skipped'])
      expect(await bench.store.findOne(Jobs, 'key', [job.key])).toMatchObject({enabled: false, runAt: null})
    })
  })

  test('a job that was disabled when it was due missed nothing', async () => {
    await withScheduler(noon, async (bench) => {
      await afterDowntime(bench, 3 * hourMs, {enabled: false, misfire: 'all'})
      expect(await bench.fires()).toEqual([])
    })
  })
})

describe('schedules that are off', () => {
  test('fire nothing, and say so', async () => {
    await withScheduler(noon, async ({store, clock, create, walk, fires}) => {
      await addJob(store, clock)
      await addJob(store, clock, {scheduleType: 'once', cronExpression: null, runAt: '2026-06-01T12:30:00.000Z'})
      const scheduler = create({enabled: false})
      await scheduler.start()
      await walk(2 * hourMs, 10 * 60_000)
      expect(await fires()).toEqual([])
      expect(scheduler.status()).toEqual({state: 'off', lastTickAt: null, nextFireAt: null})
    })
  })

  test('leave nothing to make up for, but what was missed before they were turned off is', async () => {
    await withScheduler(noon, async ({store, clock, create, idle, fires}) => {
      await addJob(store, clock, {misfire: 'all', cronExpression: '*/30 * * * *'})
      await addJob(store, clock, {scheduleType: 'once', cronExpression: null, runAt: '2026-06-01T14:10:00.000Z'})
      const first = create()
      await first.start()
      await first.stop()
      clock.advance(hourMs + 1)
      const off = create({enabled: false})
      await off.start()
      clock.advance(5 * hourMs)
      await off.stop()
      clock.advance(hourMs)
      await create({enabled: false}).start()
      clock.advance(30 * 60_000)
      await create().start()
      await idle()
      expect(await fires()).toEqual([
        '2026-06-01T12:30:00 schedule queued',
        '2026-06-01T13:00:00 schedule queued',
        '2026-06-01T14:10:00 once skipped',
      ])
    })
  })

  test('are on again from then: the next fire comes as planned, and later downtime counts again', async () => {
    await withScheduler(noon, async ({store, clock, create, idle, walk, fires}) => {
      await addJob(store, clock, {misfire: 'all', cronExpression: '0 * * * *'})
      const off = create({enabled: false})
      await off.start()
      clock.advance(90 * 60_000)
      await off.stop()
      const on = create()
      await on.start()
      await walk(30 * 60_000)
      expect(await fires()).toEqual(['2026-06-01T14:00:00 schedule queued'])
      await on.stop()
      clock.advance(2 * hourMs)
      await create().start()
      await idle()
      expect(await fires()).toEqual(['14', '15', '16'].map((hour) => `2026-06-01T${hour}:00:00 schedule queued`))
    })
  })
})

describe('a wall clock that is moved', () => {
  test('back an hour: no instant fires twice, and firing goes on when its time comes', async () => {
    await withScheduler(noon, async ({store, clock, create, walk, fires, logLines}) => {
      await addJob(store, clock, {cronExpression: '*/10 * * * *'})
      await create().start()
      await walk(20 * 60_000)
      expect(await fires()).toHaveLength(2)
      clock.jump(-hourMs)
      await walk(69 * 60_000)
      expect(await fires()).toHaveLength(2)
      await walk(60_000)
      expect(await fires()).toEqual(['12:10', '12:20', '12:30'].map((time) => `2026-06-01T${time}:00 schedule queued`))
      expect(logLines.some((line) => line.level === 'warn' && line.message.startsWith('the clock was moved'))).toBe(true)
    })
  })

  test.each([
    ['once', ['2026-06-01T13:10:00 schedule queued']],
    ['skip', ['2026-06-01T13:10:00 schedule skipped']],
    ['all', ['12:10', '12:20', '12:30', '12:40', '12:50', '13:00', '13:10'].map((time) => `2026-06-01T${time}:00 schedule queued`)],
  ] as const)('forward an hour: what was jumped over counts as missed (%s), noticed within a minute', async (misfire, expected) => {
    await withScheduler(noon, async ({store, clock, create, walk, fires}) => {
      await addJob(store, clock, {cronExpression: '*/10 * * * *', misfire})
      await create().start()
      await walk(5 * 60_000)
      clock.jump(hourMs + 7 * 60_000)
      await walk(60_000)
      expect(await fires()).toEqual(expected)
    })
  })

  test('back while a fire waits to be tried again: it is not put off by the hour', async () => {
    await withScheduler(noon, async ({store, clock, create, walk, fires, requestRun}) => {
      await addJob(store, clock, {cronExpression: '*/10 * * * *'})
      let failing = true
      await create({
        requestRun: async (transaction, request) => {
          if (failing) throw new Error('not yet')
          return requestRun(transaction, request)
        },
      }).start()
      await walk(10 * 60_000 + 500, 500)
      failing = false
      clock.jump(-hourMs)
      await walk(2 * 60_000)
      expect(await fires()).toEqual([])
      await walk(59 * 60_000)
      expect(await fires()).toEqual(['2026-06-01T12:10:00 schedule queued'])
    })
  })
})

test('another zone of the instance moves the jobs that have none of their own, and only those', async () => {
  await withScheduler(noon, async ({store, clock, create}) => {
    const following = await addJob(store, clock, {cronExpression: '0 9 * * *'})
    const own = await addJob(store, clock, {cronExpression: '0 9 * * *', timeZone: 'Asia/Tokyo'})
    const first = create()
    await first.start()
    await first.stop()
    const second = create({timeZone: 'America/New_York'})
    await second.start()
    expect(await store.get(Jobs, following.id)).toMatchObject({nextDueAt: '2026-06-01T13:00:00.000Z'})
    expect(await store.get(Jobs, own.id)).toMatchObject({nextDueAt: own.nextDueAt})
    expect(second.status().nextFireAt).toBe('2026-06-01T13:00:00.000Z')
  })
})

test('jitter puts each fire off by the same amount every time, less than the gap, and the due time stays what it was', async () => {
  await withScheduler(noon, async ({store, clock, create, walk, fires}) => {
    const jobs = await Promise.all(Array.from({length: 8}, () => addJob(store, clock, {cronExpression: '*/2 * * * *', jitterSeconds: 3600})))
    const delays = jobs.map((job) => Date.parse(job.nextRunAt ?? '') - Date.parse(job.nextDueAt ?? ''))
    expect(new Set(delays).size).toBeGreaterThan(4)
    expect(Math.max(...delays)).toBeLessThan(2 * 60_000)
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(0)
    await create().start()
    await walk(2 * 60_000 + Math.max(...delays), 1_000)
    const due = (await fires()).filter((fire) => fire.startsWith('2026-06-01T12:02:00'))
    expect(due).toHaveLength(8)
    expect(await store.get(Jobs, jobs[0]?.id ?? '')).toMatchObject({nextDueAt: '2026-06-01T12:04:00.000Z'})
  })
})
