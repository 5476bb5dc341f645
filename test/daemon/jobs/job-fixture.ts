import {setImmediate} from 'node:timers/promises'
import type {Clock} from '../../../daemon/clock.js'
import {createRecordEvent} from '../../../daemon/events/event-log.js'
import type {DomainEvent} from '../../../daemon/events/record.js'
import {EventPositions, Events} from '../../../daemon/events/records.js'
import {DueTimes} from '../../../daemon/jobs/due-times.js'
import {Jobs, RunPlans, Runs, type JobRecord, type RunRecord} from '../../../daemon/jobs/records.js'
import {SchedulerStates} from '../../../daemon/jobs/scheduler-state.js'
import {openFileStore} from '../../../daemon/store/file-store.js'
import {newId} from '../../../daemon/store/ids.js'
import type {Store} from '../../../daemon/store/store.js'
import {ManualClock} from '../manual-clock.js'
import {recordingLog, withHome, type LogLine} from '../store/store-fixture.js'

export interface JobBench {
  readonly clock: ManualClock
  readonly store: Store
  readonly log: ReturnType<typeof recordingLog>
  readonly logLines: LogLine[]
  readonly recordEvent: ReturnType<typeof createRecordEvent>
}

/** A real store in a folder of its own, and a clock that the test moves. */
export async function withJobs<T>(startAt: string, work: (bench: JobBench) => Promise<T>): Promise<T> {
  return withHome(async (home) => {
    const clock = new ManualClock(startAt)
    const log = recordingLog()
    const {store} = await openFileStore({home, collections: [Jobs, Runs, RunPlans, SchedulerStates, Events, EventPositions], clock, log})
    try {
      return await work({clock, store, log, logLines: log.lines, recordEvent: createRecordEvent(clock)})
    } finally {
      await store.close()
    }
  })
}

export function jobRecord(over: Partial<JobRecord> = {}): JobRecord {
  const key = over.key ?? `custom:${newId('job').slice(4)}`
  return {
    id: newId('job'), key, organizationId: 'org_1', kind: 'custom', name: null, manifest: null, label: 'Rotate logs',
    scheduleType: 'recurring', cronExpression: '*/5 * * * *', timeZone: null, runAt: null, jitterSeconds: 0, overlap: 'allow', misfire: 'once', enabled: true,
    serverIds: ['srv_1'], command: 'true', timeoutMs: null, retry: null, env: {}, secrets: {}, parameters: [], outputLimitBytes: 1_000_000, separateStderr: false,
    dependsOn: [], onFailure: [], triggerEvents: [], expectSuccessWithinMs: null, expectedSince: null, overdue: false, notifyConfig: null,
    createdBy: null, createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z', nextDueAt: null, nextRunAt: null,
    ...over,
  }
}

/** Stores a job as the API would: with the time it is due next. */
export async function addJob(store: Store, clock: Clock, over: Partial<JobRecord> = {}, timeZone = 'UTC'): Promise<JobRecord> {
  const job = jobRecord(over)
  const armed = {...job, ...new DueTimes(timeZone).dueAfter(job, clock.now())}
  await store.transaction((transaction) => transaction.insert(Jobs, armed))
  return armed
}

export async function changeJob(store: Store, key: string, change: (job: JobRecord) => Partial<JobRecord>): Promise<void> {
  await store.transaction(async (transaction) => {
    const job = await transaction.findOne(Jobs, 'key', [key])
    if (job !== undefined) await transaction.put(Jobs, {...job, ...change(job)})
  })
}

export async function allRuns(store: Store): Promise<RunRecord[]> {
  const runs: RunRecord[] = []
  for await (const run of store.all(Runs)) runs.push(run)
  return runs.sort((a, b) => (a.scheduledFor ?? '').localeCompare(b.scheduledFor ?? ''))
}

export async function eventsOf(store: Store): Promise<DomainEvent[]> {
  return store.find(Events, 'position', ['all'])
}

/** Waits until a condition holds; fails after ten seconds of it not holding. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 10_000
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error('the condition did not come to hold')
    await setImmediate()
  }
}
