import {systemActor} from '../events/record.js'
import type {Transaction} from '../store/store.js'
import {Jobs, Runs, type JobRecord, type RunRecord} from './records.js'
import {toEventPayload} from './run-environment.js'
import type {RequestRun} from './run-request.js'

// Deep enough for any chain people draw; a loop through failures and dependencies ends here at the latest.
const longestChain = 50
const rememberedRuns = 50

/** Starts the jobs that wait for this success and whose other prerequisites are green: once for one set of successes. */
export async function startDependents(transaction: Transaction, requestRun: RequestRun, run: RunRecord, candidates: readonly string[]): Promise<void> {
  for (const key of candidates) {
    const job = await transaction.findOne(Jobs, 'key', [key])
    if (job === undefined || !job.enabled || !job.dependsOn.includes(run.jobKey) || !isSameOrganization(job, run)) continue
    const prerequisites = await findGreenRuns(transaction, job)
    if (prerequisites === undefined || (await isClaimed(transaction, job, prerequisites))) continue
    if (await isInChain(transaction, run, key)) continue
    await requestRun(transaction, {job, trigger: 'dependency', actor: systemActor, causedBy: run.id, prerequisites})
  }
}

/** Starts the jobs that a failed job names for this case. */
export async function startFailureJobs(transaction: Transaction, requestRun: RequestRun, run: RunRecord, failed: JobRecord): Promise<void> {
  for (const key of failed.onFailure) {
    const job = await transaction.findOne(Jobs, 'key', [key])
    if (job === undefined || !job.enabled || !isSameOrganization(job, run) || (await isInChain(transaction, run, key))) continue
    const {id: runId, endReason, exitCode, error} = run
    const payload = toEventPayload({runId, jobKey: failed.key, label: failed.label, status: run.status, endReason, exitCode, error})
    const event = {type: 'job_run.failed', resourceType: 'job', resourceId: failed.key, payload}
    await requestRun(transaction, {job, trigger: 'failure', actor: systemActor, causedBy: run.id, event})
  }
}

// System jobs belong to no organization; anybody's job may wait for one.
function isSameOrganization(job: JobRecord, run: RunRecord): boolean {
  return run.organizationId === null || job.organizationId === run.organizationId
}

// Ids of the newest run of every prerequisite, or nothing while one of them is not a success.
async function findGreenRuns(transaction: Transaction, job: JobRecord): Promise<string[] | undefined> {
  const ids: string[] = []
  for (const key of job.dependsOn) {
    const {items} = await transaction.page(Runs, 'job', [key], {limit: 1, where: (run) => run.status !== 'skipped'})
    const newest = items[0]
    if (newest?.status !== 'success') return undefined
    ids.push(newest.id)
  }
  return ids.sort()
}

async function isClaimed(transaction: Transaction, job: JobRecord, prerequisites: readonly string[]): Promise<boolean> {
  const {items} = await transaction.page(Runs, 'job', [job.key], {limit: rememberedRuns, where: (run) => run.prerequisites !== undefined})
  return items.some((run) => run.prerequisites?.join() === prerequisites.join())
}

// A job that led here, by success or failure, does not start again by it: edges of both kinds can form a loop that no check of one kind sees.
async function isInChain(transaction: Transaction, run: RunRecord, key: string): Promise<boolean> {
  let link: RunRecord | undefined = run
  for (let length = 0; link !== undefined; length += 1) {
    if (link.jobKey === key || length >= longestChain) return true
    link = link.causedBy === undefined ? undefined : await transaction.get(Runs, link.causedBy)
  }
  return false
}
