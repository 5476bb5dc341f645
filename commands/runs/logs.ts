import * as Args from '@oclif/core/args'
import {boolean, integer} from '@oclif/core/flags'
import {BaseCommand} from '../../src/cli/base-command.js'
import {getRun} from '../../src/cli/get-run.js'
import {hasEnded} from '../../src/client/follow-run.js'
import {printLines} from '../../src/cli/print-lines.js'
import {requireSuccess} from '../../src/cli/wait-for-run.js'
import {showRunToEnd} from '../../src/cli/show-run.js'

export default class RunsLogs extends BaseCommand<typeof RunsLogs> {
  static override summary = 'show the output of a run, line by line'
  static override description = 'Shows what is there and ends with 0. With --follow it goes on to the end of the run and ends as that did.'
  static override args = {run: Args.string({description: 'id of the run', required: true})}
  static override flags = {
    follow: boolean({char: 'f', description: 'go on until the run ends'}),
    tail: integer({description: 'only the last lines', helpValue: 'N', min: 0}),
    timestamps: boolean({description: 'put its time before each line'}),
  }
  static override examples = [
    {description: 'the last lines', command: '<%= config.bin %> <%= command.id %> jrun_Qm9nX2tlZXAxMjM0 --tail 50'},
    {description: 'to the end', command: '<%= config.bin %> <%= command.id %> jrun_Qm9nX2tlZXAxMjM0 --follow'},
  ]

  async run(): Promise<undefined> {
    const {follow, tail, timestamps} = this.flags
    const run = await getRun(this.api, this.args.run, this.signal)
    this.streaming = true
    const context = {api: this.api, out: this.out, signal: this.signal}
    if (follow || hasEnded(run)) {
      const ended = await showRunToEnd(context, run.id, {lines: true, timestamps, tail, timeoutMs: this.flags.timeout})
      if (follow) requireSuccess(ended)
    } else {
      await printLines(context, run, {tail, timestamps})
      this.out.note(`the run goes on; follow it with: ${this.config.bin} runs logs ${run.id} --follow`)
    }
    if (this.jsonEnabled()) await this.out.emit({type: 'result', run: {...run, output: null}})
    return undefined
  }
}
