import {toInstant, type Clock} from '../clock.js'
import {newId} from '../store/ids.js'
import type {Store, Transaction} from '../store/store.js'
import {blankJob} from './definitions/job-settings.js'
import type {DueTimes} from './due-times.js'
import {Jobs, type JobRecord} from './records.js'
import type {SystemJob, SystemJobRegistry} from './system-jobs.js'

/**
 * Brings the stored system jobs in line with the registry, before the scheduler starts: adds what is missing, renews labels, and takes the due time
 * from those this instance no longer has. What an operator chose (schedule, on or off) stays.
 */
export async function seedSystemJobs(store: Store, clock: Clock, registry: SystemJobRegistry, dueTimes: DueTimes): Promise<void> {
  await store.transaction(async (transaction) => {
    const nowMs = clock.now()
    const stored = (await transaction.find(Jobs, 'organization', [null])).filter((job) => job.kind === 'system')
    for (const job of registry.jobs) await seed(transaction, job, dueTimes, nowMs)
    for (const job of stored) {
      const isLeft = registry.find(job.key) === undefined && job.nextRunAt !== null
      if (isLeft) await transaction.put(Jobs, {...job, nextDueAt: null, nextRunAt: null})
    }
  })
}

async function seed(transaction: Transaction, {key, label, cronExpression}: SystemJob, dueTimes: DueTimes, nowMs: number): Promise<void> {
  const known = await transaction.findOne(Jobs, 'key', [key])
  if (known === undefined) {
    const blank = blankJob({id: newId('job'), key, organizationId: null, name: null, manifest: null, createdBy: null}, toInstant(nowMs))
    const job: JobRecord = {...blank, kind: 'system', label, cronExpression}
    return transaction.insert(Jobs, {...job, ...dueTimes.dueAfter(job, nowMs)})
  }
  const armed = known.nextDueAt === null ? {...known, ...dueTimes.dueAfter(known, nowMs)} : known
  if (known.label !== label || armed.nextDueAt !== known.nextDueAt) await transaction.put(Jobs, {...armed, label})
}
