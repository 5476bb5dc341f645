import {Fault, invalidInput} from '../../../src/contract/faults.js'
import type {JobCreate, JobUpdate} from '../../../src/contract/job.js'
import type {Principal} from '../../access/principal.js'
import {toInstant, type Clock} from '../../clock.js'
import type {RecordEvent} from '../../events/event-log.js'
import type {Actor} from '../../events/record.js'
import {newId} from '../../store/ids.js'
import type {StoreReader, Transaction} from '../../store/store.js'
import type {DueTimes} from '../due-times.js'
import {Jobs, Runs, type JobRecord} from '../records.js'
import {applyWish, namedServers, type WishContext} from './apply-wish.js'
import {findLinkErrors, readLinkScope} from './check-links.js'
import {findForeignServer, getJob, jobNotFound, type AccessParts} from './job-access.js'
import {findUsers} from './job-graph.js'
import {diffSecrets, sealSecrets, type Sealer} from './job-secrets.js'
import {blankJob, diffSettings, toSnapshot} from './job-settings.js'

export interface ChangeParts extends AccessParts {
  readonly clock: Clock
  readonly recordEvent: RecordEvent
  readonly dueTimes: DueTimes
  readonly sealer: Sealer
}

/** Who changes something, for access and for the audit trail. */
export interface Caller {
  readonly principal: Principal
  readonly actor: Actor
}

export async function createJob(parts: ChangeParts, transaction: Transaction, {name, ...wish}: JobCreate, caller: Caller): Promise<JobRecord> {
  const {principal} = caller
  if (!parts.allows(principal, {type: 'job', id: '*', organizationId: principal.organizationId}, 'write')) throw jobNotFound()
  const foreign = await findForeignServer(parts, transaction, namedServers(wish), principal)
  // The id is what the caller gave; saying it back tells nothing.
  if (foreign !== undefined) throw new Fault('NOT_FOUND', `there is no server ${foreign}`, {suggestions: ['servers list']})
  const blank = await nameJob(parts, transaction, {name: name ?? null, manifest: null, principal})
  const job = applyWish(blank, wish, toWishContext(parts, blank))
  await checkLinks(parts, transaction, job, principal)
  await insertJob(parts, transaction, job, caller.actor)
  return job
}

export async function updateJob(parts: ChangeParts, transaction: Transaction, {key, patch}: {key: string; patch: JobUpdate}, caller: Caller): Promise<JobRecord> {
  const {principal} = caller
  const job = await getJob(parts, transaction, key, {principal, verb: 'write'})
  if (job.kind === 'system') return updateSystemJob(parts, transaction, {job, patch}, caller)
  if ((await findForeignServer(parts, transaction, namedServers(patch), principal)) !== undefined) throw jobNotFound()
  const changed = applyWish(job, patch, toWishContext(parts, job))
  if (patch.dependsOn !== undefined || patch.onFailure !== undefined) await checkLinks(parts, transaction, changed, principal)
  return storeChange(parts, transaction, {before: job, after: changed}, caller.actor)
}

async function updateSystemJob(parts: ChangeParts, transaction: Transaction, {job, patch}: {job: JobRecord; patch: JobUpdate}, {principal, actor}: Caller): Promise<JobRecord> {
  if (!principal.instanceAdmin) throw new Fault('INSTANCE_ADMIN_REQUIRED', `only an administrator of the instance changes the system job ${job.key}`)
  const {cronExpression, enabled, ...others} = patch
  const [strange] = Object.entries(others).filter(([, value]) => value !== undefined).map(([name]) => name)
  if (strange !== undefined) throw new Fault('SYSTEM_JOB', `a system job takes only cronExpression and enabled, not ${strange}`)
  const changed = applyWish(job, {cronExpression, enabled}, {...toWishContext(parts, job), isSystem: true})
  return storeChange(parts, transaction, {before: job, after: changed}, actor)
}

export async function deleteJob(parts: ChangeParts, transaction: Transaction, key: string, {principal, actor}: Caller): Promise<void> {
  const job = await getJob(parts, transaction, key, {principal, verb: 'write'})
  if (job.kind === 'system') throw new Fault('SYSTEM_JOB', `${key} is a system job and can not be deleted; turn it off instead`, {suggestions: [`jobs disable ${key}`]})
  const users = findUsers(await transaction.find(Jobs, 'organization', [job.organizationId]), key)
  if (users.length > 0) throw toInUse(key, users.map((user) => user.key))
  await removeJob(parts, transaction, job, actor)
}

export function toInUse(key: string, users: readonly string[]): Fault {
  const names = users.slice(0, 3).join(', ')
  return new Fault('JOB_IN_USE', `${key} can not be deleted: ${names}${users.length > 3 ? ` and ${users.length - 3} more` : ''} would wait for it in vain`, {details: {jobs: users}})
}

export function toWishContext(parts: Pick<ChangeParts, 'clock' | 'dueTimes' | 'sealer'>, job: Pick<JobRecord, 'id' | 'secrets'>): WishContext {
  return {dueTimes: parts.dueTimes, nowMs: parts.clock.now(), seal: (values) => sealSecrets(parts.sealer, job, values)}
}

/** A blank job under a name that is free in the organization, or under none. */
export async function nameJob(
  parts: Pick<ChangeParts, 'clock'>,
  reader: StoreReader,
  {name, manifest, principal}: {name: string | null; manifest: string | null; principal: Principal},
): Promise<JobRecord> {
  const {organizationId, userId: createdBy} = principal
  if (name !== null && (await reader.findOne(Jobs, 'name', [organizationId, name])) !== undefined) throw new Fault('JOB_EXISTS', `a job named ${name} is there already`, {suggestions: [`jobs show ${name}`]})
  const key = name !== null && (await isFreeKey(reader, `custom:${name}`, organizationId)) ? `custom:${name}` : `custom:${newId('job').slice('job_'.length)}`
  return blankJob({id: newId('job'), key, organizationId, name, manifest, createdBy}, toInstant(parts.clock.now()))
}

// Keys are unique in the instance, names in an organization: whoever comes second gets a random key, and learns nothing of the first.
// History outlives its job and is found by key, so a key with runs of another organization is not free either.
async function isFreeKey(reader: StoreReader, key: string, organizationId: string): Promise<boolean> {
  if ((await reader.findOne(Jobs, 'key', [key])) !== undefined) return false
  const {items} = await reader.page(Runs, 'job', [key], {limit: 1, where: (run) => run.organizationId !== organizationId})
  return items.length === 0
}

async function checkLinks(parts: AccessParts, reader: StoreReader, job: JobRecord, principal: Principal): Promise<void> {
  if (job.dependsOn.length === 0 && job.onFailure.length === 0) return
  const scope = await readLinkScope(parts, reader, {organizationId: principal.organizationId, principal, changes: new Map([[job.key, job]])})
  const errors = findLinkErrors(scope, job)
  if (errors.length > 0) throw invalidInput(errors)
}

export async function insertJob(parts: Pick<ChangeParts, 'recordEvent'>, transaction: Transaction, job: JobRecord, actor: Actor): Promise<void> {
  await transaction.insert(Jobs, job)
  await parts.recordEvent(transaction, toEvent('job.created', job, actor, {after: toSnapshot(job)}))
}

export async function removeJob(parts: Pick<ChangeParts, 'recordEvent'>, transaction: Transaction, job: JobRecord, actor: Actor): Promise<void> {
  await transaction.delete(Jobs, job.id)
  await parts.recordEvent(transaction, toEvent('job.deleted', job, actor, {before: toSnapshot(job)}))
}

/** Stores a changed job with its event; a change of nothing is none. */
export async function storeChange(
  parts: Pick<ChangeParts, 'recordEvent'>,
  transaction: Transaction,
  {before, after}: {before: JobRecord; after: JobRecord},
  actor: Actor,
): Promise<JobRecord> {
  const fields = diffSettings(before, after).map((change) => change.field)
  const secretChanges = diffSecrets(before.secrets, after.secrets).map((change) => change.field)
  if (fields.length === 0 && secretChanges.length === 0) return before
  await transaction.put(Jobs, after)
  const shown = secretChanges.length > 0 ? [...fields, 'secrets'] : fields
  const payload = {before: toSnapshot(before, shown), after: toSnapshot(after, shown), ...(secretChanges.length > 0 && {secretChanges})}
  await parts.recordEvent(transaction, toEvent('job.updated', after, actor, payload))
  return after
}

function toEvent(type: 'job.created' | 'job.updated' | 'job.deleted', job: JobRecord, actor: Actor, payload: Record<string, unknown>) {
  return {type, organizationId: job.organizationId, resourceType: 'job', resourceId: job.key, actor, payload: {...payload, label: job.label}}
}
