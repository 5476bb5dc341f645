import * as Args from '@oclif/core/args'
import {BaseCommand} from '../../src/cli/base-command.js'
import {getRun} from '../../src/cli/get-run.js'
import {runFields} from '../../src/cli/run-text.js'
import {readServerNames} from '../../src/cli/server-names.js'

export default class RunsShow extends BaseCommand<typeof RunsShow> {
  static override summary = 'show a run: how it ended, where, and why'
  static override args = {run: Args.string({description: 'id of the run', required: true})}
  static override examples = [{description: 'show a run', command: '<%= config.bin %> <%= command.id %> jrun_Qm9nX2tlZXAxMjM0'}]

  async run(): Promise<object> {
    const run = await getRun(this.api, this.args.run, this.signal)
    if (this.jsonEnabled()) return run
    this.out.fields(runFields(run, await readServerNames(this.api, this.signal)))
    if (run.outputBytes > 0) this.out.note(`its output: ${this.config.bin} runs logs ${run.id}`)
    return run
  }
}
