import {BaseCommand} from '../../src/cli/base-command.js'
import {listFlags} from '../../src/cli/global-flags.js'
import {cutList} from '../../src/cli/list-pages.js'
import {serverColumns} from '../../src/cli/server-text.js'

export default class ServersList extends BaseCommand<typeof ServersList> {
  static override summary = 'list servers'
  static override flags = {limit: listFlags.limit, all: listFlags.all}
  static override examples = [{description: 'list servers', command: '<%= config.bin %> <%= command.id %>'}]

  async run(): Promise<object> {
    const result = cutList(await this.api.servers.list({}, {signal: this.signal}), this.flags)
    this.out.table(serverColumns, result.items, 'no servers')
    return result
  }
}
