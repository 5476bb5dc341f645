import {z} from 'zod'
import {id, Instant, InstantInput} from './fields.js'
import {Run} from './run.js'
import {shellOwnedNames} from './shell-names.js'

export const JobKey = z.string().min(1).max(200).describe('job key, such as custom:backup')
export const JobName = z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'lower-case letters, digits and hyphens, at most 63, starting with a letter or digit')

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
export const Manifest = z.strictObject({
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
export const Plan = z.object({data: z.object({manifest: z.string(), changes: z.array(JobChange), applied: z.boolean()})})

export const RunParameters = z.record(EnvironmentName, EnvironmentValue)
