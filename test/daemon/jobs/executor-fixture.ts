import {join} from 'node:path'
import {onTestFinished} from 'vitest'
import {Fault} from '../../../src/contract/faults.js'
import {systemClock} from '../../../daemon/clock.js'
import {createRecordEvent} from '../../../daemon/events/event-log.js'
import {systemActor, type Actor, type DomainEvent} from '../../../daemon/events/record.js'
import {freeOfCharge, type Billing} from '../../../daemon/jobs/billing.js'
import type {FollowLimits} from '../../../daemon/jobs/follow-command.js'
import {JobLinks} from '../../../daemon/jobs/job-links.js'
import {createOpenSecrets} from '../../../daemon/jobs/open-secrets.js'
import {Jobs, Runs, type JobRecord, type RunRecord} from '../../../daemon/jobs/records.js'
import {createRequestRun} from '../../../daemon/jobs/request-run.js'
import {createRunExecutor, type RunExecutor} from '../../../daemon/jobs/run-executor.js'
import {RunFeed} from '../../../daemon/jobs/run-feed.js'
import type {RequestRun, RunRequest} from '../../../daemon/jobs/run-request.js'
import type {RunLimits} from '../../../daemon/jobs/run-slots.js'
import {SystemJobRunner} from '../../../daemon/jobs/system-job-runner.js'
import {createSystemJobs, type SystemJobKey, type SystemJobWork} from '../../../daemon/jobs/system-jobs.js'
import {localRunner} from '../../../daemon/servers/local.js'
import type {Runner} from '../../../daemon/servers/runner.js'
import type {OutputStore} from '../../../daemon/store/output.js'
import {openOutputFiles} from '../../../daemon/store/output-files.js'
import {loadInstanceKey} from '../../../daemon/store/instance-key.js'
import {createSealer, type Sealer} from '../../../daemon/store/secrets.js'
import type {Store} from '../../../daemon/store/store.js'
import {makeHome, makeJob, openRunStore, person, quietLog, readEvents} from './run-store-fixture.js'

export interface ExecutorOptions {
  readonly billing?: Billing
  readonly limits?: Partial<RunLimits & FollowLimits>
  /** Servers beyond `srv_local`, `srv_b`, `srv_c`, which are all this machine with run folders of their own. */
  readonly runners?: Readonly<Record<string, Runner>>
  readonly work?: Readonly<Partial<Record<SystemJobKey, SystemJobWork>>>
  readonly home?: string
  readonly triggersEnabled?: () => boolean
}

/** A daemon's worth of running: real store, real output files, real processes. */
export class RunLab {
  readonly home: string
  readonly options: ExecutorOptions
  readonly feed = new RunFeed()
  store!: Store
  outputs!: OutputStore
  links!: JobLinks
  requestRun!: RequestRun
  executor!: RunExecutor
  systemJobs!: SystemJobRunner
  readonly sealer: Sealer

  private constructor(home: string, sealer: Sealer, options: ExecutorOptions) {
    this.home = home
    this.sealer = sealer
    this.options = options
  }

  static async open(options: ExecutorOptions = {}): Promise<RunLab> {
    const home = options.home ?? (await makeHome())
    const lab = new RunLab(home, createSealer(await loadInstanceKey({home})), options)
    await lab.start()
    onTestFinished(() => lab.close())
    return lab
  }

  async start(): Promise<void> {
    const {billing = freeOfCharge, limits = {}, work = {}, triggersEnabled = () => true} = this.options
    this.store = await openRunStore(this.home)
    this.outputs = openOutputFiles(this.home)
    this.links = new JobLinks(this.store)
    const recordEvent = createRecordEvent(systemClock)
    this.requestRun = createRequestRun({clock: systemClock, billing, recordEvent})
    const shared = {store: this.store, clock: systemClock, log: quietLog, links: this.links, recordEvent, requestRun: this.requestRun, triggersEnabled}
    this.systemJobs = new SystemJobRunner({...shared, registry: createSystemJobs('selfhosted', work)})
    this.executor = createRunExecutor({
      ...shared,
      outputs: this.outputs,
      feed: this.feed,
      billing,
      systemJobs: this.systemJobs,
      openSecrets: createOpenSecrets(this.sealer),
      runnerFor: (serverId) => this.runnerFor(serverId),
      limits: {killGraceMs: 1000, firstBackoffMs: 20, longestBackoffMs: 200, cancelPatienceMs: 2000, ...limits},
    })
    await this.executor.start()
  }

  /** As a daemon does that stops: commands go on. */
  async stop(): Promise<void> {
    await this.executor.stop()
    this.links.close()
    await this.outputs.close()
    await this.store.close()
  }

  async close(): Promise<void> {
    for (const run of await this.store.find(Runs, 'activity', [true]).catch(() => [])) {
      if (run.kind === 'custom') await this.executor.cancel(run.id, systemActor).catch(() => undefined)
    }
    await this.until(async () => (await this.store.count(Runs, 'activity', [true])) === 0).catch(() => undefined)
    await this.stop().catch(() => undefined)
  }

  runnerFor(serverId: string): Runner {
    const given = this.options.runners?.[serverId]
    if (given !== undefined) return given
    if (!['srv_local', 'srv_b', 'srv_c'].includes(serverId)) throw new Fault('NOT_FOUND', 'no such server')
    return localRunner({serverId, clock: systemClock, runsFolder: join(this.home, 'folders', serverId), surroundings: {PATH: process.env['PATH']}})
  }

  async addJob(over: Partial<JobRecord> & {readonly key: string}, secrets: Readonly<Record<string, string>> = {}): Promise<JobRecord> {
    const job = makeJob(over)
    const sealed = Object.fromEntries(Object.entries(secrets).map(([name, value]) => [name, this.sealer.seal(value, `jobs/${job.id}/secrets/${name}`)]))
    const withSecrets = {...job, secrets: sealed}
    await this.store.transaction((transaction) => transaction.insert(Jobs, withSecrets))
    return withSecrets
  }

  request(request: Omit<RunRequest, 'actor'> & {readonly actor?: Actor}): Promise<RunRecord> {
    const actor = request.trigger === 'manual' ? person : systemActor
    return this.store.transaction((transaction) => this.requestRun(transaction, {actor, ...request}))
  }

  /** Runs a job by hand and waits for its end. */
  async run(job: JobRecord, over: Partial<RunRequest> = {}): Promise<RunRecord> {
    const run = await this.request({job, trigger: 'manual', ...over})
    return this.ended(run.id)
  }

  async get(runId: string): Promise<RunRecord> {
    const run = await this.store.get(Runs, runId)
    if (run === undefined) throw new Error(`no run ${runId}`)
    return run
  }

  async ended(runId: string): Promise<RunRecord> {
    await this.until(async () => !(await this.get(runId)).active, runId)
    return this.get(runId)
  }

  async reached(runId: string, status: RunRecord['status']): Promise<RunRecord> {
    await this.until(async () => (await this.get(runId)).status === status, runId)
    return this.get(runId)
  }

  runsOf(key: string): Promise<RunRecord[]> {
    return this.store.find(Runs, 'job', [key])
  }

  async outputOf(runId: string, serverId?: string): Promise<string> {
    const log = await this.outputs.find(runId)
    if (log === undefined) return ''
    const pieces: Buffer[] = []
    for await (const piece of log.bytes(serverId)) pieces.push(piece)
    return Buffer.concat(pieces).toString()
  }

  async hasOutput(runId: string, text: string): Promise<void> {
    await this.until(async () => (await this.outputOf(runId)).includes(text), `${text} in the output`)
  }

  events(): Promise<DomainEvent[]> {
    return readEvents(this.store)
  }

  async until(condition: () => Promise<boolean>, what = 'a condition', withinMs = 20_000): Promise<void> {
    const deadline = Date.now() + withinMs
    while (!(await condition())) {
      if (Date.now() > deadline) throw new Error(`${what} did not come within ${withinMs} ms`)
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }
}
