import {z} from 'zod'
import {AuditSource} from '../../src/contract/audit.js'
import {Misfire, NotifyConfig, Overlap, Parameter, Retry} from '../../src/contract/job.js'
import {EndReason, RunStatus, RunSummary, RunTrigger, ServerResult} from '../../src/contract/run.js'
import {defineCollection} from '../store/collection.js'

/** A job as it is stored. Secrets are sealed values; `nextRunAt` is when the scheduler fires it next. */
export const JobRecord = z.object({
  id: z.string(),
  key: z.string(),
  /** null for system jobs, which belong to the instance. */
  organizationId: z.string().nullable(),
  kind: z.enum(['system', 'custom']),
  name: z.string().nullable(),
  manifest: z.string().nullable(),
  label: z.string(),
  scheduleType: z.enum(['recurring', 'once', 'manual']),
  cronExpression: z.string().nullable(),
  /** null: the zone of the instance. */
  timeZone: z.string().nullable(),
  runAt: z.string().nullable(),
  jitterSeconds: z.int(),
  overlap: Overlap,
  misfire: Misfire,
  enabled: z.boolean(),
  serverIds: z.array(z.string()),
  command: z.string(),
  timeoutMs: z.int().nullable(),
  retry: Retry.nullable(),
  env: z.record(z.string(), z.string()),
  secrets: z.record(z.string(), z.string()),
  parameters: z.array(Parameter),
  outputLimitBytes: z.int(),
  separateStderr: z.boolean(),
  dependsOn: z.array(z.string()),
  onFailure: z.array(z.string()),
  triggerEvents: z.array(z.string()),
  expectSuccessWithinMs: z.int().nullable(),
  /** Since when a success is expected: the last success, else when the expectation was set. */
  expectedSince: z.string().nullable(),
  overdue: z.boolean(),
  notifyConfig: NotifyConfig.nullable(),
  createdBy: z.string().nullable(),
  createdAt: z.string(),
  updatedAt: z.string(),
  /** The cron instant that is due next, before jitter; null when nothing is due. */
  nextDueAt: z.string().nullable(),
  /** nextDueAt and its jitter. */
  nextRunAt: z.string().nullable(),
})
export type JobRecord = z.output<typeof JobRecord>

export const Jobs = defineCollection({
  name: 'jobs',
  version: 1,
  schema: JobRecord,
  indexes: {
    key: {fields: ['key'], unique: true},
    name: {fields: ['organizationId', 'name'], unique: true, sparse: true},
    organization: {fields: ['organizationId'], orderBy: 'label'},
    manifest: {fields: ['organizationId', 'manifest'], sparse: true},
  },
})

/** How far an active run has come on one server; what a restart needs to go on. */
export const ServerProgress = z.object({
  /** The attempt under way, or the next one. */
  attempt: z.int(),
  /** Names the command on the server: `<run>.<index>.<launch>`. Not raised after an attempt that may have started unseen. */
  launch: z.int(),
  /** Whether the command of this launch is known to have started. */
  started: z.boolean(),
  /** When the next attempt is due, while it waits for that. */
  retryAt: z.string().nullable(),
})
export type ServerProgress = z.output<typeof ServerProgress>

export const RunRecord = z.object({
  id: z.string(),
  jobKey: z.string(),
  organizationId: z.string().nullable(),
  kind: z.enum(['system', 'custom']),
  trigger: RunTrigger,
  status: RunStatus,
  endReason: EndReason.nullable(),
  /** true until it has ended; what start-up and the overlap rules look for. */
  active: z.boolean(),
  serverIds: z.array(z.string()),
  attempt: z.int(),
  retryOf: z.string().nullable(),
  startedBy: z.string().nullable(),
  scheduledFor: z.string().nullable(),
  parameters: z.record(z.string(), z.string()).nullable(),
  startedAt: z.string().nullable(),
  finishedAt: z.string().nullable(),
  durationMs: z.number().nullable(),
  exitCode: z.int().nullable(),
  servers: z.array(ServerResult),
  /** What a system job counted. */
  summary: RunSummary.nullable(),
  error: z.string().nullable(),
  /** A user's id, `system`, or `run:<id>` when a newer run took its place. */
  cancelRequestedBy: z.string().nullable(),
  createdAt: z.string(),
  /** One an entry of serverIds; only while active. */
  progress: z.array(ServerProgress).optional(),
  /** Stored bytes of output, set when it ends. */
  outputBytes: z.int().optional(),
  /** The run whose end started this one. */
  causedBy: z.string().optional(),
  /** The successes that started a dependent, sorted: the same set starts it once. */
  prerequisites: z.array(z.string()).optional(),
})
export type RunRecord = z.output<typeof RunRecord>

export const Runs = defineCollection({
  name: 'runs',
  version: 1,
  schema: RunRecord,
  indexes: {
    job: {fields: ['jobKey']},
    organization: {fields: ['organizationId']},
    jobStatus: {fields: ['jobKey', 'status']},
    active: {fields: ['active', 'jobKey']},
    activity: {fields: ['active']},
  },
})

/** What an active run needs to start or go on, fixed when it was asked for; deleted when it ends. */
export const RunPlan = z.object({
  /** The run's id. */
  id: z.string(),
  /** The job's row id: its secrets are sealed for that. */
  jobId: z.string(),
  command: z.string(),
  timeoutMs: z.int().nullable(),
  retry: Retry.nullable(),
  env: z.record(z.string(), z.string()),
  /** Sealed. */
  secrets: z.record(z.string(), z.string()),
  outputLimitBytes: z.int(),
  separateStderr: z.boolean(),
  /** Given to the command as JOB_EVENT_*. */
  event: z.object({type: z.string(), resourceType: z.string(), resourceId: z.string(), payload: z.string()}).nullable(),
  /** Runs of the same job that must be done with a server before this one starts there. */
  after: z.array(z.string()),
  /** Why it must not start; the executor ends it with these. */
  refusal: z.object({endReason: EndReason, error: z.string()}).nullable(),
  /** Who asked to cancel it, for the audit trail. */
  cancelActor: z
    .object({userId: z.string().nullable(), source: AuditSource, clientId: z.string().nullable(), ipAddress: z.string().nullable(), userAgent: z.string().nullable()})
    .nullable(),
})
export type RunPlan = z.output<typeof RunPlan>

export const RunPlans = defineCollection({name: 'run_plans', version: 1, schema: RunPlan, indexes: {}})

/** A command folder on a server that is still to be removed, its command stopped first where nobody follows it any more. */
export const RunLeftover = z.object({id: z.string(), serverId: z.string(), stop: z.boolean(), createdAt: z.string()})
export type RunLeftover = z.output<typeof RunLeftover>

export const RunLeftovers = defineCollection({name: 'run_leftovers', version: 1, schema: RunLeftover, indexes: {}})
