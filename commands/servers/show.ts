import * as Args from '@oclif/core/args'
import {BaseCommand} from '../../src/cli/base-command.js'
import {getServer} from '../../src/cli/find-by-name.js'
import {serverFields} from '../../src/cli/server-text.js'

export default class ServersShow extends BaseCommand<typeof ServersShow> {
  static override summary = 'show a server'
  static override args = {server: Args.string({description: 'id or name of the server', required: true})}
  static override examples = [{description: 'show a server', command: '<%= config.bin %> <%= command.id %> web-1'}]

  async run(): Promise<object> {
    const server = await getServer(this.api, this.args.server, this.signal)
    this.out.fields(serverFields(server))
    return server
  }
}
