import * as Args from '@oclif/core/args'
import {boolean, integer, string} from '@oclif/core/flags'
import {BaseCommand} from '../../src/cli/base-command.js'
import {formatServiceLine} from '../../src/cli/service-log-text.js'
import {getServiceOf} from '../../src/cli/service-ref.js'

export default class ServicesLogs extends BaseCommand<typeof ServicesLogs> {
  static override summary = 'show what the container of a service writes, line by line'
  static override args = {service: Args.string({description: 'PROJECT/SERVICE; the project alone where it has one service', required: true})}
  static override flags = {
    follow: boolean({char: 'f', description: 'go on until the container ends or you interrupt'}),
    tail: integer({description: 'only the last lines (100 unless given)', helpValue: 'N', min: 0}),
    since: string({description: 'only lines after this instant, or this long ago, such as 10m', helpValue: 'WHEN'}),
    timestamps: boolean({description: 'put its time before each line'}),
  }
  static override examples = [
    {description: 'the last lines', command: '<%= config.bin %> <%= command.id %> shop/web --tail 50'},
    {description: 'as they come', command: '<%= config.bin %> <%= command.id %> shop/web --since 10m --follow'},
  ]
  static override fieldFlags = {tail: '--tail', since: '--since'}

  async run(): Promise<undefined> {
    const {follow, tail, since, timestamps} = this.flags
    const {service, params} = await getServiceOf(this.api, this.args.service, this.signal)
    this.streaming = true
    const query = {...(since !== undefined && {since}), ...(tail !== undefined ? {tail} : since === undefined ? {tail: 100} : {tail: 100_000})}
    const view = {timestamps, terminal: this.out.terminal}
    if (!follow) {
      const {data} = await this.api.services.logs({params, query}, {signal: this.signal})
      for (const line of data) await (this.jsonEnabled() ? this.out.emit({type: 'log', ...line}) : this.out.write(formatServiceLine(line, view)))
    } else {
      for await (const {data} of await this.api.services.logStream({params, query}, {signal: this.signal})) {
        if (data.type === 'ping') continue
        if (this.jsonEnabled()) await this.out.emit(data)
        else if (data.type === 'log') await this.out.write(formatServiceLine(data, view))
        else this.out.note(`${service.name}: ${data.reason}`)
      }
    }
    if (this.jsonEnabled()) await this.out.emit({type: 'result', service: service.name})
    return undefined
  }
}
