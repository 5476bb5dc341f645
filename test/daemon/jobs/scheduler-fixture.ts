import {freeOfCharge} from '../../../daemon/jobs/billing.js'
import {createRequestRun} from '../../../daemon/jobs/request-run.js'
import type {RequestRun} from '../../../daemon/jobs/run-request.js'
import {createScheduler, type Scheduler, type SchedulerParts} from '../../../daemon/jobs/scheduler.js'
import {allRuns, until, withJobs, type JobBench} from './job-fixture.js'

export interface SchedulerBench extends JobBench {
  /** Another scheduler on the same store, as after a restart. */
  readonly create: (over?: Partial<SchedulerParts>) => Scheduler
  /** Waits until everything that was set off has ended. */
  readonly idle: () => Promise<void>
  /** Lets time pass in steps, waiting after each for what it set off. */
  readonly walk: (ms: number, stepMs?: number) => Promise<void>
  /** What ran: `<due> <trigger> <status>`. */
  readonly fires: () => Promise<string[]>
  readonly requestRun: RequestRun
}

export async function withScheduler(startAt: string, work: (bench: SchedulerBench) => Promise<void>): Promise<void> {
  await withJobs(startAt, async (bench) => {
    const {store, clock, log} = bench
    const schedulers: Scheduler[] = []
    const requestRun = createRequestRun({clock, billing: freeOfCharge, recordEvent: bench.recordEvent})
    const create = (over: Partial<SchedulerParts> = {}) => {
      const scheduler = createScheduler({store, clock, log, enabled: true, timeZone: 'UTC', requestRun, ...over})
      schedulers.push(scheduler)
      return scheduler
    }
    const idle = () => until(() => schedulers.every((scheduler) => scheduler.progress().pending === 0))
    const walk = async (ms: number, stepMs = 60_000) => {
      for (let left = ms; left > 0; left -= stepMs) {
        clock.advance(Math.min(left, stepMs))
        await idle()
      }
    }
    const fires = async () => (await allRuns(store)).map((run) => `${run.scheduledFor?.slice(0, 19)} ${run.trigger} ${run.status}`)
    try {
      await work({...bench, create, idle, walk, fires, requestRun})
    } finally {
      await Promise.all(schedulers.map((scheduler) => scheduler.stop()))
    }
  })
}
