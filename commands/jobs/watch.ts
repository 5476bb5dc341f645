import * as Args from '@oclif/core/args'
import {boolean} from '@oclif/core/flags'
import type {JsonResult} from '../../src/cli/base-command.js'
import {followJob} from '../../src/cli/follow-job.js'
import {withJobKey} from '../../src/cli/job-key.js'
import {jobState, scheduleText} from '../../src/cli/job-text.js'
import {RunCommand} from '../../src/cli/run-command.js'
import {runOutcome} from '../../src/cli/run-text.js'
import {showRunToEnd} from '../../src/cli/show-run.js'
import {requireSuccess} from '../../src/cli/wait-for-run.js'
import {watchRun} from '../../src/cli/watch-run.js'
import type {Job} from '../../src/contract/job.js'
import type {Run} from '../../src/contract/run.js'

export default class JobsWatch extends RunCommand<typeof JobsWatch> {
  static override summary = 'watch a job: its next run, and each run as it comes'
  static override description = 'A live view on a terminal, plain lines elsewhere. Goes on until interrupted; with --once until a run has ended, and ends as that did.'
  static override args = {job: Args.string({description: 'name or key of the job', required: true})}
  static override flags = {
    once: boolean({description: 'end when a run has ended'}),
    plain: boolean({description: 'plain lines on a terminal too'}),
    timestamps: boolean({description: 'put its time before each line'}),
  }
  static override examples = [
    {description: 'watch a job', command: '<%= config.bin %> <%= command.id %> nightly-backup'},
    {description: 'wait for its next run', command: '<%= config.bin %> <%= command.id %> nightly-backup --once --json'},
  ]

  async run(): Promise<JsonResult> {
    const {data: job} = await withJobKey(this.args.job, (key) => this.api.jobs.show({params: {key}}, {signal: this.signal}))
    this.streaming = true
    const ended = this.out.interactive && !this.flags.plain ? await this.#view(job.key) : await this.#lines(job.key)
    requireSuccess(ended)
    if (this.jsonEnabled()) await this.out.emit({type: 'result', run: {...ended, output: null}})
    return undefined
  }

  async #view(key: string): Promise<Run> {
    const {openWatchView} = await import('../../src/cli/views/watch-view.js')
    const view = openWatchView(this.io, this.out.hasColour, 'Ctrl-C stops watching; the job goes on')
    let last: Run | undefined
    const {startState} = await import('../../src/cli/views/run-view-state.js')
    return followJob(this.api, key, {
      signal: this.signal,
      once: this.flags.once,
      timeoutMs: this.flags.timeout,
      onJob: (job) => view.show({job, run: last === undefined ? undefined : startState(last), serverNames: new Map()}),
      followRun: async (runId, job, signal) => (last = await watchRun({api: this.api, out: this.out, signal}, runId, {view, job, timeoutMs: undefined})),
    }).finally(() => view.end())
  }

  async #lines(key: string): Promise<Run> {
    let said = ''
    const sayJob = async (job: Job) => {
      const next = job.nextRunAt ?? 'none'
      const line = `${job.key}: ${scheduleText(job)}, ${jobState(job)}, next run ${next}`
      if (line === said) return
      said = line
      if (this.jsonEnabled()) await this.out.emit({type: 'job', key: job.key, state: jobState(job), nextRunAt: job.nextRunAt})
      else this.out.note(line)
    }
    return followJob(this.api, key, {
      signal: this.signal,
      once: this.flags.once,
      timeoutMs: this.flags.timeout,
      onJob: sayJob,
      followRun: async (runId, _, signal) => {
        this.announce(runId, `runs ${key}`)
        const context = {api: this.api, out: this.out, signal}
        const run = await showRunToEnd(context, runId, {lines: true, timestamps: this.flags.timestamps, tail: undefined, timeoutMs: undefined})
        this.leftRunning = undefined
        this.out.note(runOutcome(run))
        return run
      },
    })
  }
}
