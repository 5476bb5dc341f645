import * as Args from '@oclif/core/args'
import {BaseCommand} from '../../src/cli/base-command.js'
import {withJobKey} from '../../src/cli/job-key.js'

export default class JobsDisable extends BaseCommand<typeof JobsDisable> {
  static override summary = 'stop a job from running by itself; it can still be run by hand'
  static override args = {job: Args.string({description: 'name or key of the job', required: true})}
  static override examples = [{description: 'disable a job', command: '<%= config.bin %> <%= command.id %> nightly-backup'}]

  async run(): Promise<object> {
    const {data} = await withJobKey(this.args.job, (key) => this.api.jobs.update({params: {key}, body: {enabled: false}}, {signal: this.signal}))
    this.log(`${data.key} is disabled${data.nextRunAt === null ? '' : `; it runs next at ${data.nextRunAt}`}`)
    return data
  }
}
