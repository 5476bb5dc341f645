import type {DaemonSettings} from '../settings.js'

export type InstanceMode = DaemonSettings['mode']

/** What a system job did, as counts for its history. */
export type SystemJobWork = (signal: AbortSignal) => Promise<Readonly<Record<string, number>>>

/** A job that the daemon itself brings along. Operators change its schedule or turn it off; they never make or delete one. */
export interface SystemJob {
  readonly key: string
  readonly label: string
  /** Until an operator chooses another. */
  readonly cronExpression: string
  /** Modes of the instance in which it exists. */
  readonly editions: readonly InstanceMode[]
  readonly run: SystemJobWork
}

const everywhere: readonly InstanceMode[] = ['selfhosted', 'desktop', 'cloud']

// Keys are known outside: they never change. A key gets its row here when the area that does the work exists.
const systemJobTable = {
  'audit:retention-prune': {label: 'Audit log prune', cronExpression: '17 3 * * *', editions: everywhere},
  'jobs:run-prune': {label: 'Job run history prune', cronExpression: '23 4 * * *', editions: everywhere},
  'events:retention-prune': {label: 'Event history prune', cronExpression: '53 3 * * *', editions: everywhere},
} as const satisfies Record<string, Omit<SystemJob, 'key' | 'run'>>

export type SystemJobKey = keyof typeof systemJobTable

/** The system jobs of this instance. */
export interface SystemJobRegistry {
  readonly jobs: readonly SystemJob[]
  find(key: string): SystemJob | undefined
}

/** Registers the system jobs for which there is work, as far as the mode of the instance has them. */
export function createSystemJobs(mode: InstanceMode, work: Readonly<Partial<Record<SystemJobKey, SystemJobWork>>>): SystemJobRegistry {
  const jobs = Object.entries(systemJobTable).flatMap(([key, row]): SystemJob[] => {
    const run = work[key as SystemJobKey]
    return run === undefined || !row.editions.includes(mode) ? [] : [{key, ...row, run}]
  })
  return {jobs, find: (key) => jobs.find((job) => job.key === key)}
}
