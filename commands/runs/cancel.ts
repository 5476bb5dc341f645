import * as Args from '@oclif/core/args'
import {boolean} from '@oclif/core/flags'
import {BaseCommand} from '../../src/cli/base-command.js'
import {forRun} from '../../src/cli/get-run.js'
import {runOutcome} from '../../src/cli/run-text.js'
import {showRunToEnd} from '../../src/cli/show-run.js'
import {hasEnded} from '../../src/client/follow-run.js'

export default class RunsCancel extends BaseCommand<typeof RunsCancel> {
  static override summary = 'cancel a run: TERM to everything it started, then KILL'
  static override args = {run: Args.string({description: 'id of the run', required: true})}
  static override flags = {wait: boolean({char: 'w', description: 'wait until it has ended'})}
  static override examples = [{description: 'cancel and wait until it is over', command: '<%= config.bin %> <%= command.id %> jrun_Qm9nX2tlZXAxMjM0 --wait'}]

  async run(): Promise<object> {
    const runId = this.args.run
    const {data} = await forRun(runId, () => this.api.jobs.cancelRun({params: {runId}}, {signal: this.signal}))
    if (!this.flags.wait) {
      this.log(hasEnded(data) ? runOutcome(data) : `run ${runId} is being cancelled`)
      return data
    }
    const context = {api: this.api, out: this.out, signal: this.signal}
    const ended = await showRunToEnd(context, runId, {lines: false, timestamps: false, tail: undefined, timeoutMs: this.flags.timeout})
    this.log(runOutcome(ended))
    return ended
  }
}
