import * as Args from '@oclif/core/args'
import {BaseCommand} from '../../src/cli/base-command.js'
import {withJobKey} from '../../src/cli/job-key.js'

export default class JobsEnable extends BaseCommand<typeof JobsEnable> {
  static override summary = 'let a job run by its schedule again'
  static override args = {job: Args.string({description: 'name or key of the job', required: true})}
  static override examples = [{description: 'enable a job', command: '<%= config.bin %> <%= command.id %> nightly-backup'}]

  async run(): Promise<object> {
    const {data} = await withJobKey(this.args.job, (key) => this.api.jobs.update({params: {key}, body: {enabled: true}}, {signal: this.signal}))
    this.log(`${data.key} is enabled${data.nextRunAt === null ? '' : `; it runs next at ${data.nextRunAt}`}`)
    return data
  }
}
