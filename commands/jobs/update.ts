import * as Args from '@oclif/core/args'
import {string} from '@oclif/core/flags'
import {BaseCommand} from '../../src/cli/base-command.js'
import {getServers} from '../../src/cli/find-by-name.js'
import {jobFieldFlags, jobFlags, readJob} from '../../src/cli/job-input.js'
import {withJobKey} from '../../src/cli/job-key.js'
import {previewLines, previewSchedule} from '../../src/cli/schedule-preview.js'
import {Fault} from '../../src/contract/faults.js'

const clearable = {
  'run-timeout': {timeoutMs: null}, attempts: {retry: null}, 'depends-on': {dependsOn: null}, 'on-failure': {onFailure: null}, 'trigger-event': {triggerEvents: null},
  'expect-success-within': {expectSuccessWithinMs: null}, 'notify-channel': {notifyConfig: null}, env: {env: {}}, secret: {secrets: {}}, parameter: {parameters: []},
} as const

export default class JobsUpdate extends BaseCommand<typeof JobsUpdate> {
  static override summary = 'change a job'
  static override description = 'What is not given stays. --env, --secret and --parameter replace all of their kind.'
  static override args = {job: Args.string({description: 'name or key of the job', required: true})}
  static override flags = {
    ...jobFlags,
    clear: string({description: 'take this setting away', options: Object.keys(clearable), multiple: true, multipleNonGreedy: true}),
  }
  static override examples = [
    {description: 'another time', command: `<%= config.bin %> <%= command.id %> nightly-backup --cron '30 2 * * *'`},
    {description: 'no limit any more', command: '<%= config.bin %> <%= command.id %> nightly-backup --clear run-timeout'},
  ]
  static override fieldFlags = jobFieldFlags

  async run(): Promise<object> {
    const servers = await getServers(this.api, this.flags.server ?? [], this.signal)
    const cleared = Object.entries(clearable).filter(([name]) => this.flags.clear?.includes(name) === true).map(([, change]) => change)
    const body = Object.assign({}, ...cleared, await readJob(this.flags, servers.map((server) => server.id), this.io.variables)) as Record<string, unknown>
    if (Object.keys(body).length === 0) throw new Fault('USAGE', 'nothing to change was given', {suggestions: ['jobs update --help']})
    const current = await withJobKey(this.args.job, (key) => this.api.jobs.show({params: {key}}, {signal: this.signal}))
    if (this.flags.cron !== undefined) {
      const preview = await previewSchedule(this.flags.cron, this.flags['time-zone'] ?? current.data.timeZone, this.io.now())
      for (const line of previewLines(preview)) this.out.note(line)
    }
    const {data} = await this.api.jobs.update({params: {key: current.data.key}, body}, {signal: this.signal})
    this.log(`${data.key} is changed${data.nextRunAt === null ? '' : `; it runs next at ${data.nextRunAt}`}`)
    return data
  }
}
