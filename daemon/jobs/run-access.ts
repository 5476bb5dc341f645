import {Fault} from '../../src/contract/faults.js'
import {allows} from '../access/decide.js'
import type {Principal} from '../access/principal.js'
import type {StoreReader} from '../store/store.js'
import {Jobs, Runs, type JobRecord, type RunRecord} from './records.js'

/** One answer for what is missing, of another organization, or not covered. */
export function notFound(): Fault {
  return new Fault('NOT_FOUND', 'no such job or run, or it is not yours to see')
}

/** Whether a principal administers all of these servers, as everything about a command job asks for. */
export function administersAll(principal: Principal, organizationId: string | null, serverIds: readonly string[]): boolean {
  return serverIds.every((id) => allows(principal, {type: 'server', id, organizationId}, 'admin'))
}

/** Whether a principal may see and run a job. System jobs are everybody's to see; in cloud mode nobody's. */
export function coversJob(principal: Principal, job: JobRecord, showsSystemJobs: boolean): boolean {
  if (job.kind === 'system') return showsSystemJobs
  return job.organizationId === principal.organizationId && administersAll(principal, job.organizationId, job.serverIds)
}

export async function getCoveredJob(reader: StoreReader, principal: Principal, key: string, showsSystemJobs: boolean): Promise<JobRecord> {
  const job = await reader.findOne(Jobs, 'key', [key])
  if (job === undefined || !coversJob(principal, job, showsSystemJobs)) throw notFound()
  return job
}

export async function getCoveredRun(reader: StoreReader, principal: Principal, runId: string, showsSystemJobs: boolean): Promise<RunRecord> {
  const run = await reader.get(Runs, runId)
  if (run === undefined) throw notFound()
  const job = await reader.findOne(Jobs, 'key', [run.jobKey])
  if (!coversRun(principal, run, job, showsSystemJobs)) throw notFound()
  return run
}

/** The servers of the job as it is now decide; those of the run itself once the job is gone. */
export function coversRun(principal: Principal, run: RunRecord, job: JobRecord | undefined, showsSystemJobs: boolean): boolean {
  if (run.kind === 'system') return showsSystemJobs
  return run.organizationId === principal.organizationId && administersAll(principal, run.organizationId, job?.serverIds ?? run.serverIds)
}

export type RunFilter = (run: RunRecord) => boolean

/** A filter for lists. Looks the jobs up only for those who do not administer every server anyway. */
export async function createRunFilter(reader: StoreReader, principal: Principal, showsSystemJobs: boolean): Promise<RunFilter> {
  const {organizationId} = principal
  if (administersAll(principal, organizationId, ['*'])) return (run) => (run.kind === 'system' ? showsSystemJobs : run.organizationId === organizationId)
  const jobs = new Map((await reader.find(Jobs, 'organization', [organizationId])).map((job) => [job.key, job]))
  return (run) => coversRun(principal, run, jobs.get(run.jobKey), showsSystemJobs)
}
