import type {Job} from '../../../src/contract/job.js'
import type {Run} from '../../../src/contract/run.js'
import type {JobRecord} from '../records.js'

export interface JobViewParts {
  /** Newest first. */
  readonly recentRuns: readonly Run[]
  /** Of the instance, for jobs that have none of their own. */
  readonly timeZone: string
  /** While schedules are off nothing is promised. */
  readonly schedulesOn: boolean
  /** Whether a server is there. */
  readonly hasServer: (serverId: string) => boolean
}

/** A job as it goes over the wire: never a value of a secret. */
export function toJobView(job: JobRecord, {recentRuns, timeZone, schedulesOn, hasServer}: JobViewParts): Job {
  return {
    id: job.id,
    key: job.key,
    kind: job.kind,
    name: job.name,
    manifest: job.manifest,
    label: job.label,
    scheduleType: job.scheduleType,
    cronExpression: job.cronExpression,
    timeZone: job.timeZone ?? timeZone,
    runAt: job.runAt,
    jitterSeconds: job.jitterSeconds,
    overlap: job.overlap,
    misfire: job.misfire,
    enabled: job.enabled,
    actionType: job.kind === 'system' ? 'builtin' : 'command',
    actionConfig: job.kind === 'system' ? null : toCommandConfig(job),
    parameters: job.parameters,
    outputLimitBytes: job.outputLimitBytes,
    separateStderr: job.separateStderr,
    dependsOn: toOptional(job.dependsOn),
    onFailure: toOptional(job.onFailure),
    triggerEvents: toOptional(job.triggerEvents),
    expectSuccessWithinMs: job.expectSuccessWithinMs,
    overdue: job.overdue,
    broken: findBreak(job, hasServer),
    notifyConfig: job.notifyConfig,
    createdBy: job.createdBy,
    createdAt: job.createdAt,
    updatedAt: job.updatedAt,
    nextRunAt: schedulesOn && job.enabled ? job.nextRunAt : null,
    lastRun: recentRuns[0] ?? null,
    recentRuns: [...recentRuns],
  }
}

function toCommandConfig(job: JobRecord): NonNullable<Job['actionConfig']> {
  return {
    serverIds: job.serverIds,
    serverId: job.serverIds[0] ?? '',
    command: job.command,
    ...(job.timeoutMs !== null && {timeoutMs: job.timeoutMs}),
    ...(job.retry !== null && {retry: job.retry}),
    ...(Object.keys(job.env).length > 0 && {env: job.env}),
    ...(Object.keys(job.secrets).length > 0 && {secrets: Object.fromEntries(Object.keys(job.secrets).sort().map((name) => [name, '']))}),
  }
}

function toOptional(list: string[]): string[] | null {
  return list.length === 0 ? null : list
}

function findBreak(job: JobRecord, hasServer: (serverId: string) => boolean): string | null {
  const gone = job.serverIds.filter((id) => !hasServer(id))
  if (gone.length === 0) return null
  return gone.length === 1 ? `server ${gone[0]} is gone` : `servers ${gone.join(', ')} are gone`
}
