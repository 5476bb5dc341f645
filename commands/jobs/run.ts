import * as Args from '@oclif/core/args'
import {string} from '@oclif/core/flags'
import type {JsonResult} from '../../src/cli/base-command.js'
import {getServers} from '../../src/cli/find-by-name.js'
import {followFlags} from '../../src/cli/follow-flags.js'
import {withJobKey} from '../../src/cli/job-key.js'
import {parsePairs} from '../../src/cli/pairs.js'
import {RunCommand} from '../../src/cli/run-command.js'

export default class JobsRun extends RunCommand<typeof JobsRun> {
  static override summary = 'run a job now'
  static override description = 'The run goes on when this command ends. With --wait it ends with 0 when the run succeeded, 1 when it did not, and 8 when --timeout came first.'
  static override args = {job: Args.string({description: 'name or key of the job', required: true})}
  static override flags = {
    ...followFlags,
    param: string({char: 'p', description: 'value of a parameter of the job', helpValue: 'NAME=VALUE', multiple: true, multipleNonGreedy: true}),
    server: string({char: 's', description: 'only on this one of its servers', multiple: true, multipleNonGreedy: true}),
  }
  static override examples = [
    {description: 'start it and go on', command: '<%= config.bin %> <%= command.id %> nightly-backup'},
    {description: 'in a pipeline', command: '<%= config.bin %> <%= command.id %> nightly-backup --wait --timeout 15m'},
    {description: 'see its output, with a parameter', command: '<%= config.bin %> <%= command.id %> deploy-shop --follow --param VERSION=1.4.2'},
  ]
  static override fieldFlags = {parameters: '--param', serverIds: '--server'}

  async run(): Promise<JsonResult> {
    const servers = await getServers(this.api, this.flags.server ?? [], this.signal)
    const {param} = this.flags
    const body = {
      ...(param !== undefined && {parameters: parsePairs(param, '--param')}),
      ...(servers.length > 0 && {serverIds: servers.map((server) => server.id)}),
    }
    const {data} = await withJobKey(this.args.job, (key) => this.api.jobs.run({params: {key}, body}, {signal: this.signal}))
    if (data.runId === undefined) {
      this.log(`${data.key} is done${data.summary === undefined ? '' : `: ${JSON.stringify(data.summary)}`}`)
      return data
    }
    this.announce(data.runId, `runs ${data.key}`)
    if (this.flags.wait || this.flags.follow) return this.finish(data.runId, this.flags)
    this.log(data.runId)
    this.out.note(`follow it with: ${this.config.bin} runs watch ${data.runId}`)
    return data
  }
}
