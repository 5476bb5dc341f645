import {join} from 'node:path'
import {Fault} from '../../../src/contract/faults.js'
import {systemClock} from '../../../daemon/clock.js'
import {createRecordEvent} from '../../../daemon/events/event-log.js'
import {freeOfCharge, type Billing} from '../../../daemon/jobs/billing.js'
import type {FollowLimits} from '../../../daemon/jobs/follow-command.js'
import {JobLinks} from '../../../daemon/jobs/job-links.js'
import {Jobs} from '../../../daemon/jobs/records.js'
import {createOpenSecrets} from '../../../daemon/jobs/open-secrets.js'
import {createRequestRun} from '../../../daemon/jobs/request-run.js'
import {createRunExecutor, type RunExecutor} from '../../../daemon/jobs/run-executor.js'
import {RunFeed} from '../../../daemon/jobs/run-feed.js'
import type {RequestRun} from '../../../daemon/jobs/run-request.js'
import type {RunLimits} from '../../../daemon/jobs/run-slots.js'
import {SystemJobRunner} from '../../../daemon/jobs/system-job-runner.js'
import {createSystemJobs, type SystemJobKey, type SystemJobWork} from '../../../daemon/jobs/system-jobs.js'
import {localRunner} from '../../../daemon/servers/local.js'
import type {Runner} from '../../../daemon/servers/runner.js'
import {openOutputFiles} from '../../../daemon/store/output-files.js'
import type {OutputStore} from '../../../daemon/store/output.js'
import type {Sealer} from '../../../daemon/store/secrets.js'
import type {Store} from '../../../daemon/store/store.js'
import {openRunStore, quietLog} from './run-records.js'

export interface ExecutorOptions {
  readonly billing?: Billing
  readonly limits?: Partial<RunLimits & FollowLimits>
  /** Servers beyond `srv_local`, `srv_b`, `srv_c`, which are all this machine with run folders of their own. */
  readonly runners?: Readonly<Record<string, Runner>>
  readonly work?: Readonly<Partial<Record<SystemJobKey, SystemJobWork>>>
  readonly triggersEnabled?: () => boolean
}

export interface RunParts {
  readonly store: Store
  readonly outputs: OutputStore
  readonly links: JobLinks
  readonly feed: RunFeed
  readonly requestRun: RequestRun
  readonly systemJobs: SystemJobRunner
  readonly executor: RunExecutor
  /** As a daemon does that stops: commands go on. */
  stop(): Promise<void>
}

export function runnerOn(home: string, serverId: string, runners: ExecutorOptions['runners'] = {}): Runner {
  const given = runners[serverId]
  if (given !== undefined) return given
  if (!['srv_local', 'srv_b', 'srv_c'].includes(serverId)) throw new Fault('NOT_FOUND', 'no such server')
  return localRunner({serverId, clock: systemClock, runsFolder: join(home, 'folders', serverId), surroundings: {PATH: process.env['PATH']}})
}

/** A daemon's worth of running: real store, real output files, real processes. */
export async function startRunParts(home: string, sealer: Sealer, options: ExecutorOptions = {}): Promise<RunParts> {
  const {billing = freeOfCharge, limits = {}, work = {}, runners = {}, triggersEnabled = () => true} = options
  const store = await openRunStore(home)
  const outputs = openOutputFiles(home)
  const links = new JobLinks(store)
  // Tests write jobs straight into the store; nobody else tells of them.
  const stopListening = store.onCommit((changed) => {
    if (changed.has(Jobs.name)) links.jobChanged()
  })
  const feed = new RunFeed()
  const recordEvent = createRecordEvent(systemClock)
  const requestRun = createRequestRun({clock: systemClock, billing, recordEvent})
  const shared = {store, clock: systemClock, log: quietLog, links, recordEvent, requestRun, triggersEnabled}
  const systemJobs = new SystemJobRunner({...shared, registry: createSystemJobs('selfhosted', work)})
  const executor = createRunExecutor({
    ...shared,
    outputs,
    feed,
    billing,
    systemJobs,
    openSecrets: createOpenSecrets(sealer),
    runnerFor: (serverId) => runnerOn(home, serverId, runners),
    limits: {killGraceMs: 1000, firstBackoffMs: 20, longestBackoffMs: 200, cancelPatienceMs: 2000, ...limits},
  })
  await executor.start()
  const stop = async () => {
    await executor.stop()
    stopListening()
    await outputs.close()
    await store.close()
  }
  return {store, outputs, links, feed, requestRun, systemJobs, executor, stop}
}
