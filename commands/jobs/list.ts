import {boolean} from '@oclif/core/flags'
import {BaseCommand} from '../../src/cli/base-command.js'
import {listFlags} from '../../src/cli/global-flags.js'
import {jobColumns} from '../../src/cli/job-text.js'
import {cutList} from '../../src/cli/list-pages.js'

export default class JobsList extends BaseCommand<typeof JobsList> {
  static override summary = 'list jobs with their schedule, last and next run'
  static override flags = {limit: listFlags.limit, all: listFlags.all, system: boolean({description: 'also jobs of the instance itself'})}
  static override examples = [
    {description: 'list your jobs', command: '<%= config.bin %> <%= command.id %>'},
    {description: 'those of the instance too', command: '<%= config.bin %> <%= command.id %> --system --json'},
  ]

  async run(): Promise<object> {
    const {data, scheduler} = await this.api.jobs.list({}, {signal: this.signal})
    const result = cutList(this.flags.system ? data : data.filter((job) => job.kind === 'custom'), this.flags)
    this.out.table(jobColumns, result.items, 'no jobs')
    if (!scheduler.enabled) this.out.warn(`schedules are off: ${scheduler.reason ?? 'nothing runs by itself'}`)
    return {...result, scheduler}
  }
}
