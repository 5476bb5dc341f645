import {systemClock, toInstant} from '../../../daemon/clock.js'
import {Jobs, RunPlans, Runs, type JobRecord} from '../../../daemon/jobs/records.js'
import {createScheduler} from '../../../daemon/jobs/scheduler.js'
import {SchedulerStates} from '../../../daemon/jobs/scheduler-state.js'
import {createLog} from '../../../daemon/log.js'
import type {Collection} from '../../../daemon/store/collection.js'
import {openFileStore} from '../../../daemon/store/file-store.js'
import {percentile} from '../measure.js'
import {newJob, newRun} from '../seed.js'

const batch = 5000
const leadMs = 15_000
const spreadMs = 600_000

/** A job that is due once a day, at a second of its own within the next ten minutes. */
function spreadJob(number: number, count: number, fromMs: number): JobRecord {
  const dueMs = Math.ceil((fromMs + leadMs + (number / count) * spreadMs) / 1000) * 1000
  const due = new Date(dueMs)
  const at = toInstant(dueMs)
  const cronExpression = `${due.getUTCSeconds()} ${due.getUTCMinutes()} ${due.getUTCHours()} * * *`
  return {...newJob(number, 'org_AAAAAAAAAAAAAAAA', fromMs), cronExpression, nextDueAt: at, nextRunAt: at}
}

/** Loads so many schedules, lets them fire for a while with a counter in place of the run, and prints what it took. Arguments: home, jobs, seconds. */
export async function main([home = '', count = '100000', seconds = '60']: readonly string[]): Promise<void> {
  const log = createLog({write: () => undefined, now: Date.now, redact: (text) => text})
  const collections = [Jobs, Runs, RunPlans, SchedulerStates] as readonly unknown[] as readonly Collection[]
  const {store} = await openFileStore({home, collections, clock: systemClock, log})
  const jobs = Number(count)
  const fromMs = Date.now()
  for (let from = 0; from < jobs; from += batch) {
    await store.transaction(async (transaction) => {
      for (let number = from; number < Math.min(from + batch, jobs); number++) await transaction.insert(Jobs, spreadJob(number, jobs, fromMs))
    })
  }
  global.gc?.()
  const before = process.memoryUsage().rss
  const late: number[] = []
  const run = newRun(0, 1, 'org_AAAAAAAAAAAAAAAA', fromMs)
  const scheduler = createScheduler({
    store, clock: systemClock, log, enabled: true, timeZone: 'UTC',
    requestRun: async (_transaction, request) => {
      late.push(Date.now() - Date.parse(request.scheduledFor ?? ''))
      return run
    },
  })
  await scheduler.start()
  await new Promise((resolve) => setTimeout(resolve, fromMs + leadMs + Number(seconds) * 1000 - Date.now()))
  const after = process.memoryUsage().rss
  await scheduler.stop()
  await store.close()
  console.log(JSON.stringify({fired: late.length, lateMs: percentile(late, 99), megabytes: (after - before) / 1e6}))
}
