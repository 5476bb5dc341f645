import {onTestFinished} from 'vitest'
import {systemActor, type Actor, type DomainEvent} from '../../../daemon/events/record.js'
import {Jobs, Runs, type JobRecord, type RunRecord} from '../../../daemon/jobs/records.js'
import type {RunRequest} from '../../../daemon/jobs/run-request.js'
import type {Runner} from '../../../daemon/servers/runner.js'
import {loadInstanceKey} from '../../../daemon/store/instance-key.js'
import {createSealer, type Sealer} from '../../../daemon/store/secrets.js'
import {runnerOn, startRunParts, type ExecutorOptions, type RunParts} from './run-parts.js'
import {makeJob, person} from './run-records.js'
import {makeHome, readEvents} from './run-store-fixture.js'

/** A home with a running executor, and the words of the tests about it. */
export class RunLab {
  readonly home: string
  readonly options: ExecutorOptions
  #parts!: RunParts
  readonly sealer: Sealer

  private constructor(home: string, sealer: Sealer, options: ExecutorOptions) {
    this.home = home
    this.sealer = sealer
    this.options = options
  }

  static async open({home: given, ...options}: ExecutorOptions & {readonly home?: string} = {}): Promise<RunLab> {
    const home = given ?? (await makeHome())
    const lab = new RunLab(home, createSealer(await loadInstanceKey({home})), options)
    await lab.start()
    onTestFinished(() => lab.close())
    return lab
  }

  get store(): RunParts['store'] {
    return this.#parts.store
  }
  get outputs(): RunParts['outputs'] {
    return this.#parts.outputs
  }
  get links(): RunParts['links'] {
    return this.#parts.links
  }
  get feed(): RunParts['feed'] {
    return this.#parts.feed
  }
  get requestRun(): RunParts['requestRun'] {
    return this.#parts.requestRun
  }
  get systemJobs(): RunParts['systemJobs'] {
    return this.#parts.systemJobs
  }
  get executor(): RunParts['executor'] {
    return this.#parts.executor
  }

  async start(): Promise<void> {
    this.#parts = await startRunParts(this.home, this.sealer, this.options)
  }

  stop(): Promise<void> {
    return this.#parts.stop()
  }

  async close(): Promise<void> {
    for (const run of await this.store.find(Runs, 'activity', [true]).catch(() => [])) {
      if (run.kind === 'custom') await this.executor.cancel(run.id, systemActor).catch(() => undefined)
    }
    await this.until(async () => (await this.store.count(Runs, 'activity', [true])) === 0).catch(() => undefined)
    await this.stop().catch(() => undefined)
  }

  runnerFor(serverId: string): Runner {
    return runnerOn(this.home, serverId, this.options.runners)
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
