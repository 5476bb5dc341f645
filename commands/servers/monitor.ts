import * as Args from '@oclif/core/args'
import {integer} from '@oclif/core/flags'
import {BaseCommand} from '../../src/cli/base-command.js'
import {getServer} from '../../src/cli/find-by-name.js'
import {formatBytes} from '../../src/cli/time-text.js'
import {followStream} from '../../src/client/follow-stream.js'
import {Fault} from '../../src/contract/faults.js'

export default class ServersMonitor extends BaseCommand<typeof ServersMonitor> {
  static override summary = 'follow the load of a server, every 3 seconds, until interrupted'
  static override args = {server: Args.string({description: 'id or name of the server', required: true})}
  static override flags = {samples: integer({description: 'end after so many', helpValue: 'N', min: 1})}
  static override examples = [
    {description: 'watch a server', command: '<%= config.bin %> <%= command.id %> web-1'},
    {description: 'one reading for a script', command: '<%= config.bin %> <%= command.id %> web-1 --samples 1 --json'},
  ]

  async run(): Promise<undefined> {
    const server = await getServer(this.api, this.args.server, this.signal)
    this.streaming = true
    let seen = 0
    const events = followStream({
      open: (call) => this.api.servers.monitor({query: {serverId: server.id}}, call),
      isLast: () => false,
      signal: this.signal,
      onReconnect: () => this.out.note('the connection was lost; connecting again'),
    })
    for await (const event of events) {
      if (event.type === 'error') throw new Fault('SERVER_UNREACHABLE', event.error)
      if (this.jsonEnabled()) await this.out.emit(event)
      else {
        const memory = `${formatBytes(event.memUsed)} of ${formatBytes(event.memTotal)}`
        const disk = `${formatBytes(event.diskUsed)} of ${formatBytes(event.diskTotal)}`
        this.log(`cpu ${event.cpu.toFixed(0).padStart(3)} %  memory ${memory}  disk ${disk}  load ${event.load1} ${event.load5} ${event.load15}`)
      }
      seen += 1
      if (seen === this.flags.samples) break
    }
    if (this.jsonEnabled()) await this.out.emit({type: 'result', serverId: server.id, samples: seen})
    return undefined
  }
}
