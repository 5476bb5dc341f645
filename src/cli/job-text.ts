import type {Job} from '../contract/job.js'
import type {Cell, Column} from './table.js'
import {formatBytes, formatDuration} from './time-text.js'

export function scheduleText(job: Job): string {
  if (job.scheduleType === 'recurring') return `${job.cronExpression ?? ''} ${job.timeZone}`
  return job.scheduleType === 'once' ? `once ${job.runAt ?? '(done)'}` : 'by hand'
}

/** One word for how a job is. */
export function jobState(job: Job): string {
  if (job.broken !== null) return 'broken'
  if (job.overdue) return 'overdue'
  return job.enabled ? 'enabled' : 'disabled'
}

export const jobColumns: readonly Column<Job>[] = [
  {heading: 'KEY', value: (job) => job.key, whole: true},
  {heading: 'LABEL', value: (job) => job.label},
  {heading: 'SCHEDULE', value: scheduleText},
  {heading: 'STATE', value: jobState},
  {heading: 'LAST RUN', value: (job) => job.lastRun?.status, kind: 'status'},
  {heading: 'ENDED', value: (job) => job.lastRun?.finishedAt, kind: 'time'},
  {heading: 'NEXT RUN', value: (job) => job.nextRunAt, kind: 'time'},
]

export function jobFields(job: Job, serverNames: ReadonlyMap<string, string>): [string, Cell][] {
  const config = job.actionConfig
  const list = (values: readonly string[] | null | undefined) => (values === null || values === undefined || values.length === 0 ? null : values.join(', '))
  return [
    ['key', job.key],
    ['label', job.label],
    ['kind', job.kind],
    ['state', job.broken === null ? jobState(job) : `broken: ${job.broken}`],
    ['schedule', scheduleText(job)],
    ['next run', job.nextRunAt],
    ['command', config?.command],
    ['servers', list(config?.serverIds.map((id) => serverNames.get(id) ?? id))],
    ['limit of a run', config?.timeoutMs === undefined ? null : formatDuration(config.timeoutMs)],
    ['attempts', config?.retry === undefined ? null : `${config.retry.maxAttempts}, ${config.retry.backoffSeconds} s apart`],
    ['environment', list(Object.keys(config?.env ?? {}))],
    ['secrets', list(Object.keys(config?.secrets ?? {}))],
    ['parameters', list(job.parameters.map(({name, required, default: preset}) => `${name}${required ? ' (required)' : preset === undefined ? '' : `=${preset}`}`))],
    ['when it overlaps', job.overlap],
    ['when it was missed', job.misfire],
    ['jitter', job.jitterSeconds === 0 ? null : `${job.jitterSeconds} s`],
    ['runs after', list(job.dependsOn)],
    ['runs on failure', list(job.onFailure)],
    ['runs on events', list(job.triggerEvents)],
    ['must succeed within', job.expectSuccessWithinMs === null ? null : formatDuration(job.expectSuccessWithinMs)],
    ['keeps of output', formatBytes(job.outputLimitBytes)],
    ['declared in', job.manifest],
  ]
}
