import * as Args from '@oclif/core/args'
import {boolean} from '@oclif/core/flags'
import {BaseCommand} from '../../src/cli/base-command.js'
import {getServers} from '../../src/cli/find-by-name.js'
import {jobFieldFlags, jobFlags, readJob} from '../../src/cli/job-input.js'
import {previewLines, previewSchedule} from '../../src/cli/schedule-preview.js'
import {Fault} from '../../src/contract/faults.js'
import type {Job, JobUpdate} from '../../src/contract/job.js'

export default class JobsCreate extends BaseCommand<typeof JobsCreate> {
  static override summary = 'create a job that runs a command on servers'
  static override args = {name: Args.string({description: 'name of the job; its key is then custom:NAME'})}
  static override flags = {...jobFlags, disabled: boolean({description: 'create it switched off'}), 'dry-run': boolean({description: 'say when it would run and create nothing'})}
  static override examples = [
    {description: 'every night at three', command: `<%= config.bin %> <%= command.id %> nightly-backup --server web-1 --cron '0 3 * * *' --time-zone Europe/Berlin --command 'backup.sh'`},
    {description: 'by hand, with a secret and a parameter', command: `<%= config.bin %> <%= command.id %> deploy-shop --server web-1 --manual --secret DEPLOY_KEY --parameter VERSION=latest --command './deploy.sh'`},
  ]
  static override fieldFlags = jobFieldFlags

  async run(): Promise<object> {
    const {name} = this.args
    const servers = await getServers(this.api, this.flags.server ?? [], this.signal)
    const input = await readJob(this.flags, servers.map((server) => server.id), this.io.variables)
    const {command} = input
    const label = input.label ?? name
    if (label === undefined) throw new Fault('USAGE', 'the job has no name: give NAME or --label')
    if (command === undefined) throw new Fault('USAGE', 'what to run is missing: give --command')
    if (servers.length === 0) throw new Fault('USAGE', 'where to run is missing: give --server', {suggestions: ['servers list']})
    const schedule = await this.#sayWhen(input)
    if (this.flags['dry-run']) return {dryRun: true, name: name ?? null, label, schedule}
    // Without a schedule it runs by hand: an expression is never guessed.
    const scheduleType = input.scheduleType ?? 'manual'
    const {data} = await this.api.jobs.create({body: {...input, scheduleType, label, command, ...(name !== undefined && {name})}}, {signal: this.signal})
    const job = this.flags.disabled ? await this.#disable(data.key) : data
    this.log(`${job.key} is created${job.nextRunAt === null ? '' : `; it runs next at ${job.nextRunAt}`}`)
    if (job.scheduleType === 'manual') this.out.note(`it has no schedule; run it with: ${this.config.bin} jobs run ${name ?? job.key}`)
    return job
  }

  async #sayWhen({cronExpression, timeZone}: JobUpdate): Promise<object | null> {
    if (cronExpression === undefined || cronExpression === null) return null
    const zone = timeZone ?? (await this.api.health.status({}, {signal: this.signal})).timeZone
    const preview = await previewSchedule(cronExpression, zone, this.io.now())
    for (const line of previewLines(preview)) this.out.note(line)
    return preview
  }

  async #disable(key: string): Promise<Job> {
    return (await this.api.jobs.update({params: {key}, body: {enabled: false}}, {signal: this.signal})).data
  }
}
