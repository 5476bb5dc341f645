import * as Args from '@oclif/core/args'
import {BaseCommand} from '../../src/cli/base-command.js'
import {withJobKey} from '../../src/cli/job-key.js'
import {jobFields} from '../../src/cli/job-text.js'
import {runColumns} from '../../src/cli/run-text.js'
import {readServerNames} from '../../src/cli/server-names.js'

export default class JobsShow extends BaseCommand<typeof JobsShow> {
  static override summary = 'show a job and its recent runs'
  static override args = {job: Args.string({description: 'name or key of the job', required: true})}
  static override examples = [{description: 'show a job', command: '<%= config.bin %> <%= command.id %> nightly-backup'}]

  async run(): Promise<object> {
    const {data} = await withJobKey(this.args.job, (key) => this.api.jobs.show({params: {key}}, {signal: this.signal}))
    if (this.jsonEnabled()) return data
    this.out.fields(jobFields(data, await readServerNames(this.api, this.signal)))
    if (data.recentRuns.length > 0 && this.out.terminal) {
      this.log()
      this.out.table(runColumns.filter((column) => column.heading !== 'JOB'), data.recentRuns, '')
    }
    return data
  }
}
