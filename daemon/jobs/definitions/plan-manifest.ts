import type {z} from 'zod'
import {Fault, invalidInput, type FieldError} from '../../../src/contract/faults.js'
import type {JobChange} from '../../../src/contract/job.js'
import type {jobRoutes} from '../../../src/contract/jobs.js'
import type {Principal} from '../../access/principal.js'
import type {StoreReader} from '../../store/store.js'
import {Jobs, type JobRecord} from '../records.js'
import {applyWish, namedServers} from './apply-wish.js'
import {nameJob, toInUse, toWishContext, type ChangeParts} from './change-job.js'
import {findLinkErrors, readLinkScope} from './check-links.js'
import {filterJobs, findForeignServer} from './job-access.js'
import {findUsers} from './job-graph.js'
import {diffSecrets} from './job-secrets.js'
import {defaultSettings, diffSettings, isBlank, type JobWish} from './job-settings.js'

export type Manifest = z.output<typeof jobRoutes.apply.body>
type DeclaredJob = Manifest['jobs'][number]

/** One job of a plan: what it is, what it becomes, and how that is told. */
export interface PlannedChange {
  readonly change: JobChange
  readonly before: JobRecord | undefined
  readonly after: JobRecord | undefined
}

/** What making the jobs of a file so would change. Reads only; `apply` and its preview share it. */
export async function planManifest(parts: ChangeParts, reader: StoreReader, manifest: Manifest, principal: Principal): Promise<PlannedChange[]> {
  refuseDoubles(manifest.jobs)
  const planned: PlannedChange[] = []
  const errors: FieldError[] = []
  for (const [index, declared] of manifest.jobs.entries()) {
    try {
      planned.push(await planJob(parts, reader, {manifest, declared, principal}))
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== 'VALIDATION_ERROR') throw error
      errors.push(...within(index, error.errors))
    }
  }
  if (errors.length > 0) throw invalidInput(errors)
  planned.push(...(await planOthers(parts, reader, manifest, principal)))
  await checkPlan(parts, reader, planned, principal)
  return planned
}

function within(index: number, errors: readonly FieldError[]): FieldError[] {
  return errors.map(({path, message}) => ({path: `/jobs/${index}${path}`, message}))
}

function refuseDoubles(jobs: readonly DeclaredJob[]): void {
  const seen = new Set<string>()
  for (const [index, {name}] of jobs.entries()) {
    if (seen.has(name)) throw invalidInput(within(index, [{path: '/name', message: `${name} is declared twice`}]))
    seen.add(name)
  }
}

interface Declaration {
  readonly manifest: Manifest
  readonly declared: DeclaredJob
  readonly principal: Principal
}

async function planJob(parts: ChangeParts, reader: StoreReader, {manifest, declared, principal}: Declaration): Promise<PlannedChange> {
  const foreign = await findForeignServer(parts, reader, namedServers(declared), principal)
  if (foreign !== undefined) throw new Fault('NOT_FOUND', `job ${declared.name}: there is no server ${foreign}`, {suggestions: ['servers list']})
  const before = await reader.findOne(Jobs, 'name', [principal.organizationId, declared.name])
  if (before === undefined) {
    const blank = await nameJob(parts, reader, {name: declared.name, manifest: manifest.manifest, principal})
    const after = applyWish(blank, toWish(declared, blank, parts.clock.now()), toWishContext(parts, blank))
    return toPlanned(undefined, after, 'create')
  }
  if (before.manifest !== manifest.manifest && !manifest.adopt) return toPlanned(before, before, 'conflict')
  const [mine] = await filterJobs(parts, reader, [before], {principal, verb: 'write'})
  if (mine === undefined) throw new Fault('NOT_FOUND', `job ${declared.name}: its servers are not all yours to administer`)
  const after = applyWish({...before, manifest: manifest.manifest}, toWish(declared, before, parts.clock.now()), toWishContext(parts, before))
  return toPlanned(before, after, 'update')
}

/** A declaration says everything: what it leaves out goes back to its default. */
function toWish({name: _, ...declared}: DeclaredJob, stored: JobRecord, nowMs: number): JobWish {
  const wish: JobWish = {...defaultSettings, env: {}, secrets: {}, parameters: [], dependsOn: [], onFailure: [], triggerEvents: [], ...withoutAbsent(declared)}
  if (!hasFired(wish, stored, nowMs)) return wish
  // It ran when the file said. Applying the file again must neither refuse it nor run it again.
  const {scheduleType: _type, runAt: _runAt, cronExpression: _cron, enabled: _enabled, ...rest} = wish
  return rest
}

function withoutAbsent(declared: Omit<DeclaredJob, 'name'>): JobWish {
  return Object.fromEntries(Object.entries(declared).filter(([, value]) => value !== undefined))
}

function hasFired(wish: JobWish, stored: JobRecord, nowMs: number): boolean {
  const isOnce = wish.scheduleType === 'once' && stored.scheduleType === 'once' && !isBlank(stored)
  return isOnce && stored.runAt === null && typeof wish.runAt === 'string' && Date.parse(wish.runAt) <= nowMs
}

function toPlanned(before: JobRecord | undefined, after: JobRecord, action: 'create' | 'update' | 'conflict'): PlannedChange {
  const fields = action === 'conflict' ? [] : [...diffSettings(before, after), ...diffSecrets(before?.secrets ?? {}, after.secrets)]
  const done = action === 'update' && fields.length === 0 ? 'unchanged' : action
  return {change: {action: done, key: after.key, name: after.name ?? '', fields}, before, after: done === 'conflict' || done === 'unchanged' ? before : after}
}

/** The jobs that an earlier version of the file declared and this one does not. */
async function planOthers(parts: ChangeParts, reader: StoreReader, manifest: Manifest, principal: Principal): Promise<PlannedChange[]> {
  const named = new Set(manifest.jobs.map((job) => job.name))
  const others = (await reader.find(Jobs, 'manifest', [principal.organizationId, manifest.manifest])).filter((job) => !named.has(job.name ?? ''))
  const mine = await filterJobs(parts, reader, others, {principal, verb: 'write'})
  const sorted = mine.sort((one, other) => ((one.name ?? '') < (other.name ?? '') ? -1 : 1))
  return sorted.map((job) => ({
    change: {action: manifest.prune ? 'delete' : 'left', key: job.key, name: job.name ?? '', fields: []},
    before: job,
    after: manifest.prune ? undefined : job,
  }))
}

/** Links are checked against what there will be, so jobs of one file may name each other in any order. */
async function checkPlan(parts: ChangeParts, reader: StoreReader, planned: readonly PlannedChange[], principal: Principal): Promise<void> {
  const changes = new Map(planned.map(({change, after}) => [change.key, after]))
  const isLinked = planned.some(({after, before}) => after === undefined || after.dependsOn.length + after.onFailure.length > 0 || before === undefined)
  if (!isLinked) return
  const scope = await readLinkScope(parts, reader, {organizationId: principal.organizationId, principal, changes})
  const errors = planned.flatMap(({change, after}, index) => {
    const isDeclared = change.action === 'create' || change.action === 'update'
    return isDeclared && after !== undefined ? within(index, findLinkErrors(scope, after)) : []
  })
  if (errors.length > 0) throw invalidInput(errors)
  for (const {change} of planned.filter(({after}) => after === undefined)) {
    const users = findUsers(scope.all.values(), change.key)
    if (users.length > 0) throw toInUse(change.key, users.map((user) => user.key))
  }
}
