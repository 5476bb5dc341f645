import {isDeepStrictEqual} from 'node:util'
import type {JobUpdate} from '../../../src/contract/job.js'
import type {JobRecord} from '../records.js'

/** What a person may set of a job. `timeZone` null means the zone of the instance. */
export type JobWish = JobUpdate

const settingNames = [
  'label', 'command', 'serverIds', 'scheduleType', 'cronExpression', 'timeZone', 'runAt', 'jitterSeconds', 'overlap', 'misfire', 'enabled', 'timeoutMs', 'retry', 'env',
  'parameters', 'outputLimitBytes', 'separateStderr', 'dependsOn', 'onFailure', 'triggerEvents', 'expectSuccessWithinMs', 'notifyConfig', 'manifest',
] as const satisfies readonly (keyof JobRecord)[]

/** What holds where nothing is said. */
export const defaultSettings = {
  scheduleType: 'recurring',
  cronExpression: null,
  timeZone: null,
  runAt: null,
  jitterSeconds: 0,
  overlap: 'skip',
  misfire: 'once',
  timeoutMs: null,
  retry: null,
  env: {},
  secrets: {},
  parameters: [],
  outputLimitBytes: 256 * 1024 * 1024,
  separateStderr: false,
  dependsOn: [],
  onFailure: [],
  triggerEvents: [],
  expectSuccessWithinMs: null,
  notifyConfig: null,
} as const satisfies JobWish

/** A job of which nothing is known yet but who makes it. */
export function blankJob(identity: Pick<JobRecord, 'id' | 'key' | 'organizationId' | 'name' | 'manifest' | 'createdBy'>, now: string): JobRecord {
  return {
    ...identity,
    ...defaultSettings,
    kind: 'custom',
    label: '',
    command: '',
    serverIds: [],
    enabled: true,
    env: {},
    secrets: {},
    parameters: [],
    dependsOn: [],
    onFailure: [],
    triggerEvents: [],
    expectedSince: null,
    overdue: false,
    createdAt: now,
    updatedAt: now,
    nextDueAt: null,
    nextRunAt: null,
  }
}

/** Whether it is a blank job, to which nothing was applied yet. */
export function isBlank(job: JobRecord): boolean {
  return job.label === ''
}

export interface SettingChange {
  readonly field: string
  readonly from: unknown
  readonly to: unknown
}

/** Which settings differ. Of secrets nothing is said here: only whoever can open them knows. */
export function diffSettings(before: JobRecord | undefined, after: JobRecord): SettingChange[] {
  return settingNames.flatMap((field) => {
    const from = before?.[field] ?? null
    const to = after[field]
    return isDeepStrictEqual(from, to) ? [] : [{field, from, to}]
  })
}

/** A job for the audit trail: settings as they are, of variables and secrets the names alone. */
export function toSnapshot(job: JobRecord, fields: readonly string[] = [...settingNames, 'secrets']): Record<string, unknown> {
  const shown: Record<string, unknown> = {...job, env: Object.keys(job.env).sort(), secrets: Object.keys(job.secrets).sort()}
  return Object.fromEntries(fields.map((field) => [field, shown[field]]))
}
