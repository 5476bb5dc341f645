import {collections} from '../../daemon/collections.js'
import {systemClock, toInstant} from '../../daemon/clock.js'
import {Jobs, Runs, type JobRecord, type RunRecord} from '../../daemon/jobs/records.js'
import {createLog} from '../../daemon/log.js'
import {openFileStore} from '../../daemon/store/file-store.js'
import {newId} from '../../daemon/store/ids.js'
import {serve} from './processes.js'

const rowsATransaction = 5000
const dayMs = 24 * 3600 * 1000

/** Fills a home with jobs and finished runs through the store's own interface. The daemon has made the home before, and takes it up after. */
export async function seedHome(home: string, counts: {jobs: number; runs: number}): Promise<void> {
  await (await serve(home)).stop()
  const log = createLog({write: () => undefined, now: Date.now, redact: (text) => text})
  const {store} = await openFileStore({home, collections, clock: systemClock, log})
  try {
    const organizationId = await organizationOf(store)
    const now = Date.now()
    await inBatches(counts.jobs, (number) => newJob(number, organizationId, now), (jobs) =>
      store.transaction(async (transaction) => {
        for (const job of jobs) await transaction.insert(Jobs, job)
      }),
    )
    await inBatches(counts.runs, (number) => newRun(number, counts.jobs, organizationId, now), (runs) =>
      store.transaction(async (transaction) => {
        for (const run of runs) await transaction.insert(Runs, run)
      }),
    )
  } finally {
    await store.close()
  }
}

async function organizationOf(store: Awaited<ReturnType<typeof openFileStore>>['store']): Promise<string> {
  const {Organizations} = await import('../../daemon/access/records.js')
  const known = await store.findOne(Organizations, 'slug', ['default'])
  if (known === undefined) throw new Error('the home has no organization')
  return known.id
}

async function inBatches<T>(count: number, make: (number: number) => T, keep: (batch: readonly T[]) => Promise<void>): Promise<void> {
  for (let from = 0; from < count; from += rowsATransaction) {
    await keep(Array.from({length: Math.min(rowsATransaction, count - from)}, (_, index) => make(from + index)))
  }
}

export function newJob(number: number, organizationId: string, now: number): JobRecord {
  const due = toInstant(now + dayMs)
  return {
    id: newId('job'), key: `custom:job-${number}`, organizationId, kind: 'custom', name: `job-${number}`, manifest: null, label: `Job ${number}`,
    scheduleType: 'recurring', cronExpression: `${number % 60} ${number % 24} * * *`, timeZone: null, runAt: null, jitterSeconds: 0, overlap: 'skip',
    misfire: 'skip', enabled: true, serverIds: ['srv_AAAAAAAAAAAAAAAA'], command: 'true', timeoutMs: null, retry: null, env: {}, secrets: {}, parameters: [],
    outputLimitBytes: 268_435_456, separateStderr: false, dependsOn: [], onFailure: [], triggerEvents: [], expectSuccessWithinMs: null, expectedSince: null,
    overdue: false, notifyConfig: null, createdBy: null, createdAt: toInstant(now - dayMs), updatedAt: toInstant(now - dayMs), nextDueAt: due, nextRunAt: due,
  }
}

export function newRun(number: number, jobs: number, organizationId: string, now: number): RunRecord {
  const at = toInstant(now - (number % 20) * 60_000 - 60_000)
  const serverId = 'srv_AAAAAAAAAAAAAAAA'
  return {
    id: newId('jrun'), jobKey: `custom:job-${number % Math.max(jobs, 1)}`, organizationId, kind: 'custom', trigger: 'schedule', status: 'success', endReason: 'exit',
    active: false, serverIds: [serverId], attempt: 1, retryOf: null, startedBy: null, scheduledFor: at, parameters: null, startedAt: at, finishedAt: at,
    durationMs: 40, exitCode: 0, summary: null, error: null, cancelRequestedBy: null, createdAt: at,
    servers: [{serverId, status: 'success', endReason: 'exit', exitCode: 0, startedAt: at, finishedAt: at}],
  }
}
