import * as Args from '@oclif/core/args'
import {BaseCommand} from '../../src/cli/base-command.js'
import {yesFlag} from '../../src/cli/global-flags.js'
import {withJobKey} from '../../src/cli/job-key.js'

export default class JobsDelete extends BaseCommand<typeof JobsDelete> {
  static override summary = 'delete a job; its runs stay readable'
  static override args = {job: Args.string({description: 'name or key of the job', required: true})}
  static override flags = {yes: yesFlag}
  static override examples = [{description: 'delete a job', command: '<%= config.bin %> <%= command.id %> nightly-backup --yes'}]

  async run(): Promise<object> {
    const {data} = await withJobKey(this.args.job, (key) => this.api.jobs.show({params: {key}}, {signal: this.signal}))
    await this.prompts.confirm(`Delete the job ${data.label} (${data.key})?`, this.flags.yes)
    await this.api.jobs.delete({params: {key: data.key}}, {signal: this.signal})
    this.log(`${data.key} is deleted`)
    return {key: data.key, deleted: true}
  }
}
