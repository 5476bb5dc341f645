import {Fault, invalidInput} from '../../src/contract/faults.js'
import type {jobRoutes} from '../../src/contract/jobs.js'
import type {Principal} from '../access/principal.js'
import type {Handlers, RequestContext} from '../http/handlers.js'
import type {OutputStore} from '../store/output.js'
import type {Store} from '../store/store.js'
import {Jobs, type JobRecord, type RunRecord} from './records.js'
import {coversJob, createRunFilter, getCoveredJob, getCoveredRun, notFound} from './run-access.js'
import type {RunExecutor} from './run-executor.js'
import type {RunFeed} from './run-feed.js'
import {listRuns} from './run-list.js'
import type {RequestRun, RunRequest} from './run-request.js'
import {checkPosition, streamRun} from './run-stream.js'
import {toRunView} from './run-view.js'
import type {SystemJobRunner} from './system-job-runner.js'

export type RunRoutes = Pick<typeof jobRoutes, 'allRuns' | 'showRun' | 'streamRun' | 'runOutput' | 'cancelRun' | 'retryRun' | 'run' | 'runs'>

export interface RunHandlerParts {
  readonly store: Store
  readonly outputs: OutputStore
  readonly feed: RunFeed
  readonly executor: RunExecutor
  readonly requestRun: RequestRun
  readonly systemJobs: SystemJobRunner
  /** False in cloud mode. */
  readonly showsSystemJobs: boolean
}

const shownCharacters = 100_000

export function createRunHandlers(parts: RunHandlerParts): Handlers<RunRoutes> {
  const {store, outputs, executor, showsSystemJobs} = parts
  const findRun = (principal: Principal, runId: string) => getCoveredRun(store, principal, runId, showsSystemJobs)
  return {
    async allRuns({query}, {principal}) {
      const covers = await createRunFilter(store, principal, showsSystemJobs)
      const {items, pageInfo} = await listRuns(store, principal.organizationId, covers, query)
      return {data: items.map((run) => toRunView(run)), pageInfo}
    },
    async runs({params, query}, {principal}) {
      const job = await getCoveredJob(store, principal, params.key, showsSystemJobs)
      const covers = await createRunFilter(store, principal, showsSystemJobs)
      const {items, pageInfo} = await listRuns(store, principal.organizationId, covers, {...query, jobKey: job.key})
      return {data: items.map((run) => toRunView(run)), pageInfo}
    },
    async showRun({params}, {principal}) {
      const run = await findRun(principal, params.runId)
      const log = run.kind === 'custom' ? await outputs.find(run.id) : undefined
      if (log === undefined) return {data: toRunView(run)}
      return {data: toRunView(run, {output: await log.summary(shownCharacters), outputBytes: log.sizeBytes()})}
    },
    async streamRun({params, query}, {principal, lastEventId, signal}) {
      const run = await findRun(principal, params.runId)
      await checkPosition(parts, run.id, lastEventId)
      return streamRun(parts, {runId: run.id, lastEventId, tail: query.tail, signal})
    },
    async runOutput({params, query}, {principal}) {
      const run = await findRun(principal, params.runId)
      const {serverId} = query
      if (serverId !== undefined && !run.serverIds.includes(serverId)) throw invalidInput([{path: '/serverId', message: 'is not a server of this run'}])
      const log = await outputs.find(run.id)
      const name = serverId === undefined ? run.id : `${run.id}-${serverId}`
      return {contentType: 'application/octet-stream', filename: `${name}.log`, bytes: log?.bytes(serverId) ?? nothing()}
    },
    async cancelRun({params}, {principal, actor}) {
      const run = await findRun(principal, params.runId)
      return {data: toRunView(await executor.cancel(run.id, actor))}
    },
    async retryRun({params, body}, request) {
      const run = await findRun(request.principal, params.runId)
      const again = await store.transaction(async (transaction) => {
        const job = await transaction.findOne(Jobs, 'key', [run.jobKey])
        if (job === undefined || !coversJob(request.principal, job, showsSystemJobs)) throw notFound()
        return parts.requestRun(transaction, toRetry(job, run, body?.onlyFailed ?? false, request))
      })
      return {data: {key: again.jobKey, runId: again.id}}
    },
    async run({params, body}, request) {
      const {principal, actor} = request
      const job = await getCoveredJob(store, principal, params.key, showsSystemJobs)
      if (job.kind === 'system') return {data: await runSystemJob(parts, job, body, request)}
      const run = await store.transaction(async (transaction) => {
        const current = await getCoveredJob(transaction, principal, job.key, showsSystemJobs)
        const given = {...(body?.parameters && {parameters: body.parameters}), ...(body?.serverIds && {serverIds: body.serverIds})}
        return parts.requestRun(transaction, {job: current, trigger: 'manual', actor, ...given})
      })
      return {data: {key: run.jobKey, runId: run.id}}
    },
  }
}

async function* nothing(): AsyncGenerator<Buffer> {}

function toRetry(job: JobRecord, run: RunRecord, onlyFailed: boolean, {actor}: RequestContext): RunRequest {
  if (run.kind === 'system') throw new Fault('CONFLICT', `run ${run.id} belongs to a system job; run the job instead`, {suggestions: [`jobs run ${run.jobKey}`]})
  if (run.active) throw new Fault('RUN_NOT_FINISHED', `run ${run.id} is still going on`, {suggestions: [`runs cancel ${run.id}`]})
  const chosen = onlyFailed ? run.servers.filter((server) => server.status !== 'success').map((server) => server.serverId) : run.serverIds
  if (chosen.length === 0) throw new Fault('CONFLICT', `run ${run.id} failed on no server`)
  const gone = chosen.filter((id) => !job.serverIds.includes(id))
  if (gone.length > 0) throw new Fault('CONFLICT', `job ${job.key} does not run on ${gone.join(', ')} any more`)
  const declared = new Set(job.parameters.map((parameter) => parameter.name))
  const parameters = Object.fromEntries(Object.entries(run.parameters ?? {}).filter(([name]) => declared.has(name)))
  return {job, trigger: 'manual', actor, serverIds: chosen, retryOf: run.id, parameters}
}

async function runSystemJob({store, requestRun, systemJobs}: RunHandlerParts, job: JobRecord, body: object | undefined, {principal, actor}: RequestContext) {
  if (!principal.instanceAdmin) throw new Fault('INSTANCE_ADMIN_REQUIRED', `only an administrator of the instance may run ${job.key}`)
  const [surplus] = Object.keys(body ?? {})
  if (surplus !== undefined) throw invalidInput([{path: `/${surplus}`, message: 'is not for system jobs'}])
  const run = await store.transaction((transaction) => requestRun(transaction, {job, trigger: 'manual', actor}))
  const {summary} = await systemJobs.execute(run)
  return {key: job.key, summary}
}
