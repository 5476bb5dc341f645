import * as Args from '@oclif/core/args'
import {boolean} from '@oclif/core/flags'
import type {JsonResult} from '../../src/cli/base-command.js'
import {getRun} from '../../src/cli/get-run.js'
import {RunCommand} from '../../src/cli/run-command.js'
import {runOutcome} from '../../src/cli/run-text.js'
import {requireSuccess} from '../../src/cli/wait-for-run.js'
import {watchRun} from '../../src/cli/watch-run.js'

export default class RunsWatch extends RunCommand<typeof RunsWatch> {
  static override summary = 'watch a run to its end; ends as the run did'
  static override description = 'A live view on a terminal, plain lines elsewhere. Ends with 0 when the run succeeded, 1 when it did not, and 8 when --timeout came first.'
  static override args = {run: Args.string({description: 'id of the run', required: true})}
  static override flags = {
    plain: boolean({description: 'plain lines on a terminal too'}),
    timestamps: boolean({description: 'put its time before each line'}),
  }
  static override examples = [
    {description: 'take a run up again', command: '<%= config.bin %> <%= command.id %> jrun_Qm9nX2tlZXAxMjM0'},
    {description: 'for a script', command: '<%= config.bin %> <%= command.id %> jrun_Qm9nX2tlZXAxMjM0 --json --timeout 10m'},
  ]

  async run(): Promise<JsonResult> {
    const run = await getRun(this.api, this.args.run, this.signal)
    this.leftRunning = {what: `run ${run.id}`, command: `runs watch ${run.id}`}
    if (!this.out.interactive || this.flags.plain) return this.finish(run.id, {wait: true, follow: true, timestamps: this.flags.timestamps})
    const {openWatchView} = await import('../../src/cli/views/watch-view.js')
    const view = openWatchView(this.io, this.out.hasColour, 'Ctrl-C stops watching; the run goes on')
    const context = {api: this.api, out: this.out, signal: this.signal}
    const ended = await watchRun(context, run.id, {view, job: undefined, timeoutMs: this.flags.timeout}).finally(() => view.end())
    requireSuccess(ended)
    this.log(runOutcome(ended))
    return undefined
  }
}
