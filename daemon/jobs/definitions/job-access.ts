import {Fault} from '../../../src/contract/faults.js'
import type {ScopeVerb} from '../../../src/contract/route.js'
import type {ResourceRef} from '../../access/decide.js'
import type {Principal} from '../../access/principal.js'
import type {StoreReader} from '../../store/store.js'
import type {InstanceMode, SystemJobRegistry} from '../system-jobs.js'
import {Jobs, type JobRecord} from '../records.js'

/** What jobs need to know of a server. */
export interface TargetServer {
  readonly id: string
  readonly organizationId: string
  readonly name: string | null
}

/** The servers of these ids that are there, read as the caller's transaction sees them. */
export type FindServers = (reader: StoreReader, ids: readonly string[]) => Promise<readonly TargetServer[]>

export type Allows = (principal: Principal, resource: ResourceRef, verb: ScopeVerb) => boolean

export interface AccessParts {
  readonly allows: Allows
  readonly findServers: FindServers
  readonly systemJobs: SystemJobRegistry
  readonly mode: InstanceMode
}

type Verb = 'read' | 'write'

/** The one answer for a job that is missing, foreign or not covered. */
export const jobNotFound = () => new Fault('NOT_FOUND', 'Not found')

/** A job that the principal may act on, or NOT_FOUND. */
export async function getJob(parts: AccessParts, reader: StoreReader, key: string, {principal, verb}: {principal: Principal; verb: Verb}): Promise<JobRecord> {
  const job = await reader.findOne(Jobs, 'key', [key])
  if (job === undefined) throw jobNotFound()
  const [mine] = await filterJobs(parts, reader, [job], {principal, verb})
  if (mine === undefined) throw jobNotFound()
  return mine
}

/** The jobs among these that the principal may act on: it administers every server of each. */
export async function filterJobs(parts: AccessParts, reader: StoreReader, jobs: readonly JobRecord[], {principal, verb}: {principal: Principal; verb: Verb}): Promise<JobRecord[]> {
  const servers = await findTargets(parts, reader, jobs)
  return jobs.filter((job) => {
    if (job.kind === 'system') return isShownSystemJob(parts, job) && parts.allows(principal, {type: 'job', id: job.key, organizationId: principal.organizationId}, verb)
    if (!parts.allows(principal, {type: 'job', id: job.key, organizationId: job.organizationId}, verb)) return false
    // A server that is gone is held by whoever could administer it if it were the organization's.
    return job.serverIds.every((id) => parts.allows(principal, {type: 'server', id, organizationId: servers.get(id)?.organizationId ?? job.organizationId}, 'admin'))
  })
}

/** The servers of some jobs, by id. */
export async function findTargets(parts: Pick<AccessParts, 'findServers'>, reader: StoreReader, jobs: readonly Pick<JobRecord, 'serverIds'>[]): Promise<Map<string, TargetServer>> {
  const ids = [...new Set(jobs.flatMap((job) => job.serverIds))]
  const servers = ids.length === 0 ? [] : await parts.findServers(reader, ids)
  return new Map(servers.map((server) => [server.id, server]))
}

/** The first of some servers that the principal does not administer: unknown, foreign and not covered look the same. */
export async function findForeignServer(parts: AccessParts, reader: StoreReader, serverIds: readonly string[], principal: Principal): Promise<string | undefined> {
  const servers = await findTargets(parts, reader, [{serverIds: [...serverIds]}])
  return serverIds.find((id) => {
    const organizationId = servers.get(id)?.organizationId
    return organizationId === undefined || !parts.allows(principal, {type: 'server', id, organizationId}, 'admin')
  })
}

// Rows of another mode or an older release stay stored, so that what an operator chose is there when they come back.
function isShownSystemJob({systemJobs, mode}: AccessParts, job: JobRecord): boolean {
  return mode !== 'cloud' && systemJobs.find(job.key) !== undefined
}
