import {string} from '@oclif/core/flags'
import {BaseCommand} from '../../src/cli/base-command.js'
import {listFlags} from '../../src/cli/global-flags.js'
import {toJobKey} from '../../src/cli/job-key.js'
import {collectPages} from '../../src/cli/list-pages.js'
import {parseRunStatus, runStatuses} from '../../src/cli/run-status.js'
import {runColumns} from '../../src/cli/run-text.js'

export default class RunsList extends BaseCommand<typeof RunsList> {
  static override summary = 'list runs of all jobs, newest first'
  static override flags = {
    ...listFlags,
    status: string({description: 'only runs that are or ended so', options: [...runStatuses]}),
    job: string({description: 'only of this job', helpValue: 'JOB'}),
  }
  static override examples = [
    {description: 'what runs just now', command: '<%= config.bin %> <%= command.id %> --status running'},
    {description: 'the last 200, for a script', command: '<%= config.bin %> <%= command.id %> --limit 200 --json'},
  ]

  async run(): Promise<object> {
    const filters = {status: parseRunStatus(this.flags.status), jobKey: this.flags.job === undefined ? undefined : toJobKey(this.flags.job)}
    const result = await collectPages(this.flags, (query) => this.api.jobs.allRuns({query: {...query, ...filters}}, {signal: this.signal}), 1000)
    this.out.table(runColumns, result.items, 'no runs')
    return result
  }
}
