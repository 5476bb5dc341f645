import {BaseCommand} from '../src/cli/base-command.js'
import {paintStatus} from '../src/cli/table.js'
import {formatBytes} from '../src/cli/time-text.js'

export default class Status extends BaseCommand<typeof Status> {
  static override summary = 'show how the instance is doing: store, scheduler, running jobs'
  static override examples = [
    {description: 'show the instance that commands go to', command: '<%= config.bin %> <%= command.id %>'},
    {description: 'look without starting a local daemon', command: '<%= config.bin %> <%= command.id %> --no-start --json'},
  ]

  async run(): Promise<object> {
    const target = await this.target()
    const status = await this.api.health.status({}, {signal: this.signal})
    const {store, scheduler} = status
    this.out.fields([
      ['address', target.baseUrl],
      ['chosen by', target.contextName === null ? target.source : `${target.source} (${target.contextName})`],
      ['version', status.version],
      ['mode', status.mode],
      ['running since', status.startedAt],
      ['store', `${store.engine}, ${paintStatus(store.state, this.out.paint)}${store.message === null ? '' : `: ${store.message}`}`],
      ['schedules', `${paintStatus(scheduler.state, this.out.paint)}${scheduler.reason === null ? '' : `: ${scheduler.reason}`}`],
      ['last tick', scheduler.lastTickAt],
      ['next fire', scheduler.nextFireAt],
      ['time zone', status.timeZone],
      ['active runs', status.activeRuns],
      ['memory', formatBytes(status.memoryBytes)],
    ])
    return {url: target.baseUrl, source: target.source, context: target.contextName, home: target.home, ...status}
  }
}
