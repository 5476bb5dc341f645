import * as Args from '@oclif/core/args'
import {boolean} from '@oclif/core/flags'
import type {JsonResult} from '../../src/cli/base-command.js'
import {followFlags} from '../../src/cli/follow-flags.js'
import {forRun} from '../../src/cli/get-run.js'
import {RunCommand} from '../../src/cli/run-command.js'

export default class RunsRetry extends RunCommand<typeof RunsRetry> {
  static override summary = 'run again what a finished run did, as a new run'
  static override args = {run: Args.string({description: 'id of the run', required: true})}
  static override flags = {...followFlags, 'only-failed': boolean({description: 'only on the servers that did not succeed'})}
  static override examples = [{description: 'only where it failed', command: '<%= config.bin %> <%= command.id %> jrun_Qm9nX2tlZXAxMjM0 --only-failed --wait'}]

  async run(): Promise<JsonResult> {
    const body = {onlyFailed: this.flags['only-failed']}
    const {data} = await forRun(this.args.run, () => this.api.jobs.retryRun({params: {runId: this.args.run}, body}, {signal: this.signal}))
    this.announce(data.runId, `runs ${data.key} again`)
    if (this.flags.wait || this.flags.follow) return this.finish(data.runId, this.flags)
    this.log(data.runId)
    return data
  }
}
