import {expect, test} from 'vitest'
import {createSchedulerWatchdog} from '../../../daemon/jobs/scheduler-watchdog.js'
import {addJob, eventsOf, until} from './job-fixture.js'
import {withScheduler} from './scheduler-fixture.js'

const noon = '2026-06-01T12:00:00Z'

test('a scheduler that ticks is never reported, busy or idle, wherever the clock is put', async () => {
  await withScheduler(noon, async ({store, clock, log, recordEvent, create, walk}) => {
    await addJob(store, clock, {cronExpression: '0 0 1 1 *'})
    const scheduler = create()
    await scheduler.start()
    const watchdog = createSchedulerWatchdog({store, clock, log, recordEvent, scheduler})
    watchdog.start()
    await walk(600_000)
    clock.jump(3_600_000)
    await walk(600_000)
    clock.jump(-7_200_000)
    await walk(600_000)
    expect(watchdog.status()).toEqual({healthy: true, message: null})
    expect(await eventsOf(store)).toEqual([])
    await watchdog.stop()
  })
})

test('one that stopped is reported once, and once more when it goes on', async () => {
  await withScheduler(noon, async ({store, clock, log, recordEvent, create, walk}) => {
    await addJob(store, clock)
    const scheduler = create()
    await scheduler.start()
    const watchdog = createSchedulerWatchdog({store, clock, log, recordEvent, scheduler})
    watchdog.start()
    watchdog.start()
    await walk(60_000)
    await scheduler.stop()
    await walk(600_000)
    await until(async () => (await eventsOf(store)).length === 1)
    expect(watchdog.status().healthy).toBe(false)
    expect(watchdog.status().message).toContain('has not looked at its schedules for')
    await scheduler.start()
    await walk(600_000)
    await until(async () => (await eventsOf(store)).length === 2)
    expect((await eventsOf(store)).map((event) => [event.type, event.organizationId])).toEqual([['scheduler.stopped', null], ['scheduler.recovered', null]])
    expect(watchdog.status()).toEqual({healthy: true, message: null})
    await watchdog.stop()
    await scheduler.stop()
    expect(clock.timers).toBe(0)
  })
})

test('a fire that hangs is reported though the scheduler ticks', async () => {
  await withScheduler(noon, async ({store, clock, log, recordEvent, create}) => {
    await addJob(store, clock)
    let letGo = () => {}
    const held = new Promise<never>((_, reject) => (letGo = () => reject(new Error('let go'))))
    const scheduler = create({requestRun: () => held})
    await scheduler.start()
    const watchdog = createSchedulerWatchdog({store, clock, log, recordEvent, scheduler})
    watchdog.start()
    for (let minute = 0; minute < 15; minute++) clock.advance(60_000)
    expect(watchdog.status().message).toContain('starting a scheduled job has not ended')
    letGo()
    await until(() => scheduler.progress().pending === 0)
    await until(async () => (await eventsOf(store)).length > 0)
    await watchdog.stop()
  })
})

test('a report that the store does not take is made again', async () => {
  await withScheduler(noon, async ({store, clock, log, recordEvent, create}) => {
    const scheduler = create()
    let refuse = true
    const watchdog = createSchedulerWatchdog({
      store, clock, log, scheduler,
      recordEvent: async (transaction, event) => {
        if (refuse) throw new Error('no room')
        await recordEvent(transaction, event)
      },
    })
    watchdog.start()
    for (let minute = 0; minute < 10; minute++) clock.advance(60_000)
    await until(() => log.lines.some((line) => line.message.startsWith('could not record')))
    refuse = false
    clock.advance(60_000)
    await until(async () => (await eventsOf(store)).length === 1)
    await watchdog.stop()
  })
})
