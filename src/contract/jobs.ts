import {z} from 'zod'
import {id, Instant, InstantInput, PageInfo, pageQuery, RunId, ServerId} from './fields.js'
import {shellOwnedNames} from './shell-names.js'
import {route} from './route.js'

export const JobKey = z.string().min(1).max(200).describe('job key, such as custom:backup')
export const JobName = z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'lower-case letters, digits and hyphens, at most 63, starting with a letter or digit')

export const RunStatus = z.enum(['queued', 'running', 'success', 'failed', 'cancelled', 'skipped'])
export type RunStatus = z.output<typeof RunStatus>

export const EndReason = z.enum([
  'exit',
  'signal',
  'timeout',
  'unreachable',
  'interrupted',
  'overlap',
  'misfire',
  'dependency',
  'billing',
  'user',
])
export type EndReason = z.output<typeof EndReason>

export const RunTrigger = z.enum(['schedule', 'manual', 'once', 'dependency', 'event', 'failure'])
export type RunTrigger = z.output<typeof RunTrigger>

export const ServerResult = z.object({
  serverId: ServerId,
  status: RunStatus,
  endReason: EndReason.nullable(),
  exitCode: z.int().nullable(),
  signal: z.string().nullable().optional(),
  error: z.string().nullable().optional(),
  startedAt: Instant.nullable(),
  finishedAt: Instant.nullable(),
  attempts: z.int().optional().describe('how often it was tried on this server'),
})
export type ServerResult = z.output<typeof ServerResult>

/** Of a custom job: exit code, attempts and the result of each server; of a system job: its own counts. */
export const RunSummary = z.looseObject({
  exitCode: z.int().nullable().optional(),
  attempts: z.int().optional(),
  servers: z.array(ServerResult).optional(),
})
export type RunSummary = z.output<typeof RunSummary>

export const Run = z.object({
  id: RunId,
  jobId: z.string().describe('the key of the job'),
  jobKey: z.string(),
  kind: z.enum(['system', 'custom']),
  trigger: RunTrigger,
  status: RunStatus,
  endReason: EndReason.nullable(),
  serverId: z.string().nullable().describe('the target; null when there are several'),
  attempt: z.int(),
  retryOf: z.string().nullable(),
  startedBy: z.string().nullable().describe('the user who asked for it'),
  scheduledFor: Instant.nullable().describe('the instant it was due'),
  parameters: z.record(z.string(), z.string()).nullable(),
  startedAt: Instant.nullable().describe('null until a command starts'),
  finishedAt: Instant.nullable(),
  durationMs: z.number().nullable(),
  summary: RunSummary.nullable(),
  output: z.string().nullable().describe('cleaned: first and last 100,000 characters; null in lists'),
  outputBytes: z.int().describe('stored bytes of output'),
  error: z.string().nullable(),
  createdAt: Instant,
})
export type Run = z.output<typeof Run>

export const Retry = z.strictObject({
  maxAttempts: z.int().min(1).max(10).describe('counts the first try'),
  backoffSeconds: z.int().min(0).max(3600).describe('between attempts'),
})

export const NotifyConfig = z.strictObject({
  channels: z.array(z.string().min(1).max(200)).max(50),
  states: z.array(z.enum(['running', 'success', 'failed'])).max(3),
})

// A shell ends on the spot when one of its own is set.
const environmentName = new RegExp(`^(?!(?:${shellOwnedNames.join('|')})$)[A-Za-z_][A-Za-z0-9_]{0,127}$`)

export const Parameter = z.strictObject({
  name: z.string().regex(environmentName, 'is not an environment name, or belongs to the shell'),
  required: z.boolean().default(false),
  default: z.string().max(65_536).optional(),
})

const CommandConfig = z.object({
  serverIds: z.array(z.string()),
  serverId: z.string(),
  command: z.string(),
  timeoutMs: z.int().optional(),
  retry: Retry.optional(),
  env: z.record(z.string(), z.string()).optional(),
  secrets: z.record(z.string(), z.string()).optional().describe('names only; values are always empty'),
})

export const Overlap = z.enum(['skip', 'queue', 'allow', 'replace'])
export const Misfire = z.enum(['skip', 'once', 'all'])

export const Job = z.object({
  id: id('job'),
  key: JobKey,
  kind: z.enum(['system', 'custom']),
  name: z.string().nullable(),
  manifest: z.string().nullable().describe('the job file that declares it'),
  label: z.string(),
  scheduleType: z.enum(['recurring', 'once', 'manual']),
  cronExpression: z.string().nullable(),
  timeZone: z.string().describe('the zone the expression is read in'),
  runAt: Instant.nullable(),
  jitterSeconds: z.int(),
  overlap: Overlap,
  misfire: Misfire,
  enabled: z.boolean(),
  actionType: z.enum(['builtin', 'command']),
  actionConfig: CommandConfig.nullable(),
  parameters: z.array(Parameter),
  outputLimitBytes: z.int(),
  separateStderr: z.boolean(),
  dependsOn: z.array(z.string()).nullable(),
  onFailure: z.array(z.string()).nullable().describe('keys of jobs to run when this one fails'),
  triggerEvents: z.array(z.string()).nullable(),
  expectSuccessWithinMs: z.int().nullable(),
  overdue: z.boolean().describe('has not succeeded within expectSuccessWithinMs'),
  broken: z.string().nullable().describe('why it can not run, such as a server that was deleted'),
  notifyConfig: NotifyConfig.nullable(),
  createdBy: z.string().nullable(),
  createdAt: Instant,
  updatedAt: Instant,
  nextRunAt: Instant.nullable(),
  lastRun: Run.nullable(),
  recentRuns: z.array(Run),
})
export type Job = z.output<typeof Job>

const EnvironmentName = Parameter.shape.name
const EnvironmentValue = z.string().max(131_072).regex(/^[^\0]*$/, 'must not hold a NUL')
const Environment = z.record(EnvironmentName, EnvironmentValue).refine((map) => Object.keys(map).length <= 200, 'holds at most 200 entries')
const keys = z.array(z.string().min(1).max(200)).max(50)

// The fields a person may set. Create requires some of them; update takes any.
const settable = {
  label: z.string().min(1).max(120).regex(/\S/, 'must not be blank'),
  command: z.string().min(1).max(10_000).regex(/\S/, 'must not be blank').regex(/^[^\0]*$/, 'must not hold a NUL'),
  serverId: z.string().min(1).max(200),
  serverIds: z.array(z.string().min(1).max(200)).max(50),
  scheduleType: Job.shape.scheduleType,
  cronExpression: z.string().min(1).max(120).nullable(),
  timeZone: z.string().min(1).max(100).nullable().describe('IANA name, such as Europe/Berlin; null for the zone of the instance'),
  runAt: InstantInput.nullable(),
  jitterSeconds: z.int().min(0).max(3600),
  overlap: Overlap,
  misfire: Misfire,
  timeoutMs: z.int().min(1000).max(86_400_000).nullable(),
  retry: Retry.nullable(),
  env: Environment,
  secrets: Environment.describe('replaces the whole map; sealed at rest'),
  parameters: z.array(Parameter).max(50),
  outputLimitBytes: z.int().min(1024).max(10_737_418_240),
  separateStderr: z.boolean(),
  dependsOn: keys.nullable(),
  onFailure: keys.nullable(),
  triggerEvents: z.array(z.string().min(1).max(200)).max(50).nullable(),
  expectSuccessWithinMs: z.int().min(60_000).max(31_536_000_000).nullable(),
  notifyConfig: NotifyConfig.nullable(),
}

export const JobUpdate = z.strictObject({...settable, enabled: z.boolean()}).partial()
export const JobCreate = JobUpdate.extend({name: JobName.optional(), label: settable.label, command: settable.command}).omit({enabled: true})
export type JobCreate = z.output<typeof JobCreate>
export type JobUpdate = z.output<typeof JobUpdate>

export const ManifestName = z.string().regex(/^[a-z0-9][a-z0-9._-]{0,62}$/, 'lower-case letters, digits, dot, underscore and hyphen, at most 63')

/** A job as a job file declares it: everything of a new job, its name required, and whether it is enabled. */
export const DeclaredJob = JobCreate.extend({name: JobName, enabled: z.boolean().default(true)})
const Manifest = z.strictObject({
  manifest: ManifestName,
  jobs: z.array(DeclaredJob).max(1000),
  prune: z.boolean().default(false).describe('delete jobs of this manifest that are not named'),
  adopt: z.boolean().default(false).describe('take over jobs of the same name that were made otherwise'),
})

export const JobChange = z.object({
  action: z.enum(['create', 'update', 'delete', 'unchanged', 'conflict', 'left']),
  key: z.string(),
  name: z.string(),
  fields: z.array(z.object({field: z.string(), from: z.unknown(), to: z.unknown()})).describe('of secrets only the names'),
})
export type JobChange = z.output<typeof JobChange>
const Plan = z.object({data: z.object({manifest: z.string(), changes: z.array(JobChange), applied: z.boolean()})})

const keyParams = z.strictObject({key: JobKey})
const runParams = z.strictObject({runId: RunId})
const RunParameters = z.record(EnvironmentName, EnvironmentValue)

export const RunEvent = z.discriminatedUnion('type', [
  z.object({type: z.literal('snapshot'), run: Run}),
  z.object({
    type: z.literal('log'),
    line: z.string(),
    level: z.enum(['info', 'warn', 'error']),
    serverId: z.string().nullable(),
    at: Instant,
    partial: z.boolean().optional(),
  }),
  z.object({type: z.literal('complete'), status: RunStatus, endReason: EndReason.nullable(), error: z.string().nullable()}),
])
export type RunEvent = z.output<typeof RunEvent>

export const jobRoutes = {
  list: route({
    method: 'GET',
    path: '/api/jobs',
    summary: 'list jobs',
    scope: 'job:read',
    mutates: false,
    mcp: true,
    output: z.object({
      data: z.array(Job),
      scheduler: z.object({enabled: z.boolean(), reason: z.string().nullable(), timeZone: z.string()}),
    }),
  }),
  create: route({
    method: 'POST',
    path: '/api/jobs',
    summary: 'create a job',
    scope: 'job:write',
    mutates: true,
    mcp: true,
    status: 201,
    body: JobCreate,
    output: z.object({data: Job}),
    errors: ['JOB_EXISTS'],
  }),
  triggerEvents: route({
    method: 'GET',
    path: '/api/jobs/trigger-events',
    summary: 'list the events that can start a job',
    scope: 'job:read',
    mutates: false,
    mcp: true,
    output: z.object({data: z.array(z.object({id: z.string(), label: z.string(), description: z.string()}))}),
  }),
  backupSchedules: route({
    method: 'GET',
    path: '/api/jobs/backup-schedules',
    summary: 'list backup policies that have a schedule',
    scope: 'job:read',
    mutates: false,
    mcp: true,
    output: z.object({data: z.array(z.looseObject({policyId: z.string(), cronExpression: z.string(), nextRunAt: Instant.nullable()}))}),
  }),
  preview: route({
    method: 'POST',
    path: '/api/jobs/apply/preview',
    summary: 'show what a job file would change',
    scope: 'job:write',
    mutates: false,
    body: Manifest,
    output: Plan,
  }),
  apply: route({
    method: 'POST',
    path: '/api/jobs/apply',
    summary: 'make the jobs of a job file so, all or nothing',
    scope: 'job:write',
    mutates: true,
    body: Manifest,
    output: Plan,
    errors: ['JOB_CONFLICT', 'JOB_IN_USE'],
  }),
  allRuns: route({
    method: 'GET',
    path: '/api/jobs/runs',
    summary: 'list runs of all jobs, newest first',
    scope: 'job:read',
    mutates: false,
    mcp: true,
    query: z.strictObject({...pageQuery(1000), status: RunStatus.optional(), jobKey: JobKey.optional()}),
    output: z.object({data: z.array(Run), pageInfo: PageInfo}),
  }),
  showRun: route({
    method: 'GET',
    path: '/api/jobs/runs/:runId',
    summary: 'show a run with its output',
    scope: 'job:read',
    mutates: false,
    mcp: true,
    params: runParams,
    output: z.object({data: Run}),
  }),
  streamRun: route({
    method: 'GET',
    path: '/api/jobs/runs/:runId/stream',
    summary: 'follow a run; resume with Last-Event-ID',
    scope: 'job:read',
    mutates: false,
    stream: 'sse',
    params: runParams,
    query: z.strictObject({tail: z.coerce.number().int().min(0).max(1_000_000).optional().describe('begin with the last N lines')}),
    output: RunEvent,
  }),
  runOutput: route({
    method: 'GET',
    path: '/api/jobs/runs/:runId/output',
    summary: 'download the stored output, the bytes as they came',
    scope: 'job:read',
    mutates: false,
    stream: 'bytes',
    params: runParams,
    query: z.strictObject({serverId: z.string().max(200).optional().describe('of this server only')}),
  }),
  cancelRun: route({
    method: 'POST',
    path: '/api/jobs/runs/:runId/cancel',
    summary: 'cancel a run: TERM to its process group, then KILL',
    scope: 'job:write',
    mutates: true,
    mcp: true,
    status: 202,
    params: runParams,
    output: z.object({data: Run}),
    errors: ['RUN_FINISHED'],
  }),
  retryRun: route({
    method: 'POST',
    path: '/api/jobs/runs/:runId/retry',
    summary: 'run again what a finished run did, as a new run',
    scope: 'job:write',
    mutates: true,
    status: 202,
    params: runParams,
    body: z.strictObject({onlyFailed: z.boolean().default(false).describe('only on the servers that did not succeed')}).optional(),
    output: z.object({data: z.object({key: z.string(), runId: RunId})}),
    errors: ['RUN_NOT_FINISHED', 'OVERLAP', 'CLOUD_BILLING_BLOCKED'],
  }),
  show: route({
    method: 'GET',
    path: '/api/jobs/:key',
    summary: 'show a job and its recent runs',
    scope: 'job:read',
    mutates: false,
    mcp: true,
    params: keyParams,
    output: z.object({data: Job}),
  }),
  update: route({
    method: 'PATCH',
    path: '/api/jobs/:key',
    summary: 'change a job',
    description: 'Members that are left out keep their value. secrets replaces the whole map. null clears timeoutMs, retry, timeZone, dependsOn and the like.',
    scope: 'job:write',
    mutates: true,
    mcp: true,
    params: keyParams,
    body: JobUpdate,
    output: z.object({data: Job}),
    errors: ['SYSTEM_JOB', 'INSTANCE_ADMIN_REQUIRED'],
  }),
  delete: route({
    method: 'DELETE',
    path: '/api/jobs/:key',
    summary: 'delete a job; its runs stay readable',
    scope: 'job:write',
    mutates: true,
    mcp: true,
    params: keyParams,
    output: z.object({success: z.literal(true)}),
    errors: ['SYSTEM_JOB', 'JOB_IN_USE'],
  }),
  run: route({
    method: 'POST',
    path: '/api/jobs/:key/run',
    summary: 'run a job now',
    scope: 'job:write',
    mutates: true,
    mcp: true,
    params: keyParams,
    body: z
      .strictObject({
        parameters: RunParameters.optional(),
        serverIds: z.array(ServerId).min(1).max(50).optional().describe('only these of its servers'),
      })
      .optional(),
    output: z.object({data: z.object({key: z.string(), runId: RunId.optional(), summary: RunSummary.optional()})}),
    errors: ['OVERLAP', 'CLOUD_BILLING_BLOCKED', 'INSTANCE_ADMIN_REQUIRED'],
  }),
  runs: route({
    method: 'GET',
    path: '/api/jobs/:key/runs',
    summary: 'list the runs of a job, newest first',
    scope: 'job:read',
    mutates: false,
    mcp: true,
    params: keyParams,
    query: z.strictObject({...pageQuery(1000), status: RunStatus.optional()}),
    output: z.object({data: z.array(Run), pageInfo: PageInfo}),
  }),
}
