import * as Args from '@oclif/core/args'
import {BaseCommand} from '../../src/cli/base-command.js'
import {getServer, serverName} from '../../src/cli/find-by-name.js'
import {Fault} from '../../src/contract/faults.js'

const testTimeoutMs = 120_000

export default class ServersTest extends BaseCommand<typeof ServersTest> {
  static override summary = 'try to reach a server and tell what stands in the way'
  static override args = {server: Args.string({description: 'id or name of the server', required: true})}
  static override examples = [{description: 'is it the network, the key or the host key?', command: '<%= config.bin %> <%= command.id %> web-1'}]

  async run(): Promise<object> {
    const server = await getServer(this.api, this.args.server, this.signal)
    const result = await this.api.servers.reachability({params: {id: server.id}}, {signal: this.signal, timeoutMs: testTimeoutMs})
    if (!result.reachable) {
      if (result.rule !== null) this.out.note(`this would let it through: ${result.rule}`)
      throw new Fault('SERVER_UNREACHABLE', `${serverName(server)}: ${result.message}${result.hint === null ? '' : ` (${result.hint})`}`, {details: {...result}})
    }
    this.out.fields([
      ['server', serverName(server)],
      ['reachable', result.reachable],
      ['by', result.channel],
      ['address', `${result.target}:${result.port}`],
      ['milliseconds', result.latencyMs === null ? null : Math.round(result.latencyMs)],
    ])
    return result
  }
}
