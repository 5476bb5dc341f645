import type {Job} from '../../../src/contract/job.js'
import type {Run} from '../../../src/contract/run.js'
import type {jobRoutes} from '../../../src/contract/jobs.js'
import type {Handlers} from '../../http/handlers.js'
import type {Store, StoreReader} from '../../store/store.js'
import {Jobs, type JobRecord} from '../records.js'
import {applyManifest} from './apply-manifest.js'
import {createJob, deleteJob, updateJob, type ChangeParts} from './change-job.js'
import {filterJobs, findTargets, getJob} from './job-access.js'
import {toJobView} from './job-view.js'
import {planManifest, type PlannedChange} from './plan-manifest.js'
import {listTriggerEvents} from './trigger-events.js'

export interface JobDefinitionParts extends ChangeParts {
  readonly store: Store
  /** Whether schedules run, and if not, why. */
  readonly schedules: () => {readonly enabled: boolean; readonly reason: string | null}
  /** Runs of a job as they are shown, newest first, without output. */
  readonly runsOf: (job: JobRecord, limit: number) => Promise<readonly Run[]>
  /** Told of every job that was made, changed or deleted, after the commit. */
  readonly jobChanged: (key: string) => void
}

type DefinitionRoutes = Pick<typeof jobRoutes, 'list' | 'create' | 'triggerEvents' | 'backupSchedules' | 'preview' | 'apply' | 'show' | 'update' | 'delete'>

const runsInList = 5
const runsInDetail = 25

export function createJobDefinitionHandlers(parts: JobDefinitionParts): Handlers<DefinitionRoutes> {
  const {store, jobChanged} = parts
  return {
    async list(_input, {principal}) {
      const mine = await filterJobs(parts, store, await readJobs(store, principal.organizationId), {principal, verb: 'read'})
      const data = await toViews(parts, mine.sort(byKindAndLabel), runsInList)
      return {data, scheduler: {...parts.schedules(), timeZone: parts.dueTimes.timeZone}}
    },

    async create({body}, caller) {
      const job = await store.transaction((transaction) => createJob(parts, transaction, body, caller))
      jobChanged(job.key)
      return {data: await toView(parts, job)}
    },

    async triggerEvents() {
      return {data: listTriggerEvents()}
    },

    // Backup policies come with backups; there are none yet.
    async backupSchedules() {
      return {data: []}
    },

    async preview({body}, {principal}) {
      return toPlan(body.manifest, await planManifest(parts, store, body, principal), false)
    },

    async apply({body}, caller) {
      const planned = await store.transaction((transaction) => applyManifest(parts, transaction, body, caller))
      for (const {change} of planned) if (change.action !== 'unchanged' && change.action !== 'left') jobChanged(change.key)
      return toPlan(body.manifest, planned, true)
    },

    async show({params}, {principal}) {
      return {data: await toView(parts, await getJob(parts, store, params.key, {principal, verb: 'read'}))}
    },

    async update({params, body}, caller) {
      const job = await store.transaction((transaction) => updateJob(parts, transaction, {key: params.key, patch: body}, caller))
      jobChanged(job.key)
      return {data: await toView(parts, job)}
    },

    async delete({params}, caller) {
      await store.transaction((transaction) => deleteJob(parts, transaction, params.key, caller))
      jobChanged(params.key)
      return {success: true as const}
    },
  }
}

async function readJobs(reader: StoreReader, organizationId: string): Promise<JobRecord[]> {
  return [...(await reader.find(Jobs, 'organization', [organizationId])), ...(await reader.find(Jobs, 'organization', [null]))]
}

function byKindAndLabel(one: JobRecord, other: JobRecord): number {
  return compare(one.kind, other.kind) || compare(one.label, other.label) || compare(one.key, other.key)
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}

async function toView(parts: JobDefinitionParts, job: JobRecord): Promise<Job> {
  const [view] = await toViews(parts, [job], runsInDetail)
  return view as Job
}

async function toViews(parts: JobDefinitionParts, jobs: readonly JobRecord[], runs: number): Promise<Job[]> {
  const servers = await findTargets(parts, parts.store, jobs)
  const shown = {timeZone: parts.dueTimes.timeZone, schedulesOn: parts.schedules().enabled, hasServer: (id: string) => servers.has(id)}
  const views: Job[] = []
  // One after another: each is a look into memory, and thousands at once would hold up everybody else.
  for (const job of jobs) views.push(toJobView(job, {...shown, recentRuns: await parts.runsOf(job, runs)}))
  return views
}

function toPlan(manifest: string, planned: readonly PlannedChange[], applied: boolean) {
  return {data: {manifest, changes: planned.map(({change}) => change), applied}}
}
