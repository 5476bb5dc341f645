import type {FieldError} from '../../../src/contract/faults.js'
import type {Principal} from '../../access/principal.js'
import type {StoreReader} from '../../store/store.js'
import {Jobs, type JobRecord} from '../records.js'
import {filterJobs, type AccessParts} from './job-access.js'
import {findLoop} from './job-graph.js'

/** The jobs that a job may be linked with: those of its organization as they will be, and the system jobs. */
export interface LinkScope {
  readonly all: ReadonlyMap<string, JobRecord>
  readonly readable: ReadonlySet<string>
  readonly startable: ReadonlySet<string>
}

/** Reads the jobs of an organization, some of them replaced by what they are about to become (undefined: deleted). */
export async function readLinkScope(
  parts: AccessParts,
  reader: StoreReader,
  {organizationId, principal, changes}: {organizationId: string; principal: Principal; changes: ReadonlyMap<string, JobRecord | undefined>},
): Promise<LinkScope> {
  const stored = [...(await reader.find(Jobs, 'organization', [organizationId])), ...(await reader.find(Jobs, 'organization', [null]))]
  const all = new Map(stored.map((job) => [job.key, job]))
  for (const [key, job] of changes) {
    if (job === undefined) all.delete(key)
    else all.set(key, job)
  }
  const readable = await filterJobs(parts, reader, [...all.values()], {principal, verb: 'read'})
  const startable = await filterJobs(parts, reader, [...all.values()].filter((job) => job.kind === 'custom'), {principal, verb: 'write'})
  return {all, readable: new Set(readable.map((job) => job.key)), startable: new Set(startable.map((job) => job.key))}
}

/** What is wrong with the links of a job. Whoever names a job to start on failure must be able to start it. */
export function findLinkErrors(scope: LinkScope, job: JobRecord): FieldError[] {
  const errors: FieldError[] = []
  for (const key of job.dependsOn) {
    if (!scope.readable.has(key)) errors.push({path: '/dependsOn', message: `there is no job ${key}`})
  }
  for (const key of job.onFailure) {
    if (scope.all.get(key)?.kind === 'system' && scope.readable.has(key)) errors.push({path: '/onFailure', message: `${key} is a system job; a failure starts jobs of people only`})
    else if (!scope.startable.has(key)) errors.push({path: '/onFailure', message: `there is no job ${key}`})
  }
  return errors.length > 0 ? errors : findLoopErrors(scope, job)
}

function findLoopErrors(scope: LinkScope, job: JobRecord): FieldError[] {
  if (job.dependsOn.length === 0 && job.onFailure.length === 0) return []
  const loop = findLoop(scope.all.values(), job.key)
  if (loop === undefined) return []
  const path = job.dependsOn.includes(loop.at(-2) ?? '') ? '/dependsOn' : '/onFailure'
  const shown = loop.map((key) => (scope.readable.has(key) ? key : '…'))
  return [{path, message: `would let jobs start each other for ever: ${shown.join(' → ')}`}]
}
