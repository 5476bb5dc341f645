import * as Args from '@oclif/core/args'
import {string} from '@oclif/core/flags'
import {BaseCommand} from '../../src/cli/base-command.js'
import {connectionFieldFlags, connectionFlags, readConnection} from '../../src/cli/connection-input.js'
import {getServer, serverName} from '../../src/cli/find-by-name.js'
import {serverFields} from '../../src/cli/server-text.js'
import {Fault} from '../../src/contract/faults.js'

export default class ServersUpdate extends BaseCommand<typeof ServersUpdate> {
  static override summary = 'change how a server is called, reached or signed in to'
  static override args = {server: Args.string({description: 'id or name of the server', required: true})}
  static override flags = {...connectionFlags, host: string({description: 'host name or address'})}
  static override examples = [
    {description: 'the server has moved', command: '<%= config.bin %> <%= command.id %> web-1 --host 203.0.113.8'},
    {description: 'sign in with another key', command: '<%= config.bin %> <%= command.id %> web-1 --key-file ~/.ssh/id_ed25519'},
  ]
  static override fieldFlags = {...connectionFieldFlags, sshHost: '--host'}

  async run(): Promise<object> {
    const {host} = this.flags
    const body = {...(await readConnection(this.flags, this.prompts)), ...(host !== undefined && {sshHost: host})}
    if (Object.keys(body).length === 0) throw new Fault('USAGE', 'nothing to change was given', {suggestions: ['servers update --help']})
    const {id} = await getServer(this.api, this.args.server, this.signal)
    const server = await this.api.servers.update({params: {id}, body}, {signal: this.signal})
    this.out.fields(serverFields(server))
    this.out.note(`${serverName(server)} is changed`)
    return server
  }
}
