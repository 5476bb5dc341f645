import type {jobRoutes} from '../../src/contract/jobs.js'
import {allows} from '../access/decide.js'
import type {Clock} from '../clock.js'
import type {RecordEvent} from '../events/event-log.js'
import type {Handlers} from '../http/handlers.js'
import type {Log} from '../log.js'
import type {Runner} from '../servers/runner.js'
import type {DaemonSettings} from '../settings.js'
import type {OutputStore} from '../store/output.js'
import type {Sealer} from '../store/secrets.js'
import type {Store} from '../store/store.js'
import {createCloudBilling, freeOfCharge, type FindBilledServer} from './billing.js'
import type {FindServers} from './definitions/job-access.js'
import {createJobDefinitionHandlers} from './definitions/job-handlers.js'
import {secretContext} from './definitions/job-secrets.js'
import {DueTimes} from './due-times.js'
import {createEventTriggers, type StartJobsFor} from './event-triggers.js'
import {JobLinks} from './job-links.js'
import {createOverdueWatch} from './overdue.js'
import {createPruneRuns} from './prune-runs.js'
import {Runs, type JobRecord} from './records.js'
import {createRequestRun} from './request-run.js'
import {createRunExecutor} from './run-executor.js'
import {RunFeed} from './run-feed.js'
import type {OpenSecrets} from './run-follower.js'
import {createRunHandlers} from './run-handlers.js'
import {toRunView} from './run-view.js'
import {createScheduler} from './scheduler.js'
import {createSchedulerWatchdog} from './scheduler-watchdog.js'
import {seedSystemJobs} from './seed-system-jobs.js'
import {SystemJobRunner} from './system-job-runner.js'
import {createSystemJobs, type SystemJobWork} from './system-jobs.js'

export interface JobsStart {
  readonly store: Store
  readonly outputs: OutputStore
  readonly clock: Clock
  readonly log: Log
  readonly sealer: Sealer
  readonly recordEvent: RecordEvent
  readonly settings: Pick<DaemonSettings, 'mode' | 'jobs' | 'timeZone'>
  readonly findServers: FindServers
  readonly findBilledServer: FindBilledServer
  readonly runnerFor: (serverId: string) => Promise<Runner>
  /** What other areas let the daemon do by itself. */
  readonly systemWork: Readonly<Record<'audit:retention-prune' | 'events:retention-prune', SystemJobWork>>
}

export interface StartedJobs {
  readonly handlers: Handlers<typeof jobRoutes>
  readonly startJobsFor: StartJobsFor
  readonly activeRuns: () => Promise<number>
  readonly scheduler: () => {state: 'running' | 'off' | 'stopped'; reason: string | null; lastTickAt: string | null; nextFireAt: string | null}
  /** Takes up what was going on, then lets schedules fire. */
  start(): Promise<void>
  stop(): Promise<void>
}

const schedulesOff = 'schedules are turned off by the configuration (jobs: off)'

/** Puts the jobs area together. */
export function startJobs(parts: JobsStart): StartedJobs {
  const {store, outputs, clock, log, sealer, recordEvent, settings, runnerFor} = parts
  const isCloud = settings.mode === 'cloud'
  const triggersEnabled = () => settings.jobs
  const billing = isCloud ? createCloudBilling(parts.findBilledServer) : freeOfCharge
  const dueTimes = new DueTimes(settings.timeZone)
  const requestRun = createRequestRun({clock, billing, recordEvent})
  const links = new JobLinks(store)
  const feed = new RunFeed()
  const registry = createSystemJobs(settings.mode, {...parts.systemWork, 'jobs:run-prune': createPruneRuns({store, outputs, clock})})
  const ending = {clock, recordEvent, requestRun, triggersEnabled}
  const systemJobs = new SystemJobRunner({...ending, store, log, links, registry})
  const openSecrets: OpenSecrets = ({jobId, secrets}) =>
    Object.fromEntries(Object.entries(secrets).map(([name, sealed]) => [name, sealer.open(sealed, secretContext(jobId, name))]))
  const executor = createRunExecutor({...ending, store, outputs, log, feed, links, systemJobs, billing, runnerFor, openSecrets})
  const scheduler = createScheduler({store, clock, log, enabled: settings.jobs, timeZone: settings.timeZone, requestRun})
  const watchdog = createSchedulerWatchdog({store, clock, log, recordEvent, scheduler})
  const overdue = createOverdueWatch({store, clock, log, recordEvent})
  const definitions = createJobDefinitionHandlers({
    store, clock, recordEvent, dueTimes, sealer, allows,
    findServers: parts.findServers,
    systemJobs: registry,
    mode: settings.mode,
    schedules: () => ({enabled: settings.jobs, reason: settings.jobs ? null : schedulesOff}),
    runsOf: (job, limit) => newestRuns(store, job, limit),
    jobChanged(key) {
      links.jobChanged()
      scheduler.jobChanged(key)
      overdue.jobChanged(key)
    },
  })
  const runs = createRunHandlers({store, outputs, feed, executor, requestRun, systemJobs, showsSystemJobs: !isCloud})
  return {
    handlers: {...definitions, ...runs},
    startJobsFor: createEventTriggers({links, requestRun, triggersEnabled}),
    activeRuns: () => store.count(Runs, 'activity', [true]),
    scheduler() {
      const {state, lastTickAt, nextFireAt} = scheduler.status()
      const {healthy, message} = watchdog.status()
      if (state === 'off') return {state, reason: schedulesOff, lastTickAt, nextFireAt}
      return {state: healthy ? state : 'stopped', reason: message, lastTickAt, nextFireAt}
    },
    async start() {
      await seedSystemJobs(store, clock, registry, dueTimes)
      await executor.start()
      await scheduler.start()
      if (settings.jobs) watchdog.start()
      await overdue.start()
    },
    async stop() {
      await overdue.stop()
      await watchdog.stop()
      await scheduler.stop()
      await executor.stop()
    },
  }
}

async function newestRuns(store: Store, job: JobRecord, limit: number) {
  const {items} = await store.page(Runs, 'job', [job.key], {limit})
  return items.map((run) => toRunView(run))
}
