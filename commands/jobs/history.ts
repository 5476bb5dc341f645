import * as Args from '@oclif/core/args'
import {string} from '@oclif/core/flags'
import {BaseCommand} from '../../src/cli/base-command.js'
import {listFlags} from '../../src/cli/global-flags.js'
import {withJobKey} from '../../src/cli/job-key.js'
import {collectPages} from '../../src/cli/list-pages.js'
import {runColumns} from '../../src/cli/run-text.js'
import {parseRunStatus, runStatuses} from '../../src/cli/run-status.js'

export default class JobsHistory extends BaseCommand<typeof JobsHistory> {
  static override summary = 'list the runs of a job, newest first'
  static override args = {job: Args.string({description: 'name or key of the job', required: true})}
  static override flags = {...listFlags, status: string({description: 'only runs that are or ended so', options: [...runStatuses]})}
  static override examples = [
    {description: 'the last runs', command: '<%= config.bin %> <%= command.id %> nightly-backup --limit 10'},
    {description: 'every failure, for a script', command: '<%= config.bin %> <%= command.id %> nightly-backup --status failed --all --json'},
  ]

  async run(): Promise<object> {
    const status = parseRunStatus(this.flags.status)
    const result = await withJobKey(this.args.job, (key) =>
      collectPages(this.flags, (query) => this.api.jobs.runs({params: {key}, query: {...query, status}}, {signal: this.signal}), 1000),
    )
    this.out.table(runColumns.filter((column) => column.heading !== 'JOB'), result.items, 'no runs yet')
    return result
  }
}
