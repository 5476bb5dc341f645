import * as Args from '@oclif/core/args'
import {string} from '@oclif/core/flags'
import {BaseCommand} from '../../src/cli/base-command.js'
import {getServer, serverName} from '../../src/cli/find-by-name.js'
import {Fault} from '../../src/contract/faults.js'

const components = ['docker', 'git', 'rsync'] as const

export default class ServersCheck extends BaseCommand<typeof ServersCheck> {
  static override summary = 'see which components a server has'
  static override args = {server: Args.string({description: 'id or name of the server', required: true})}
  static override flags = {component: string({description: 'only this component', options: [...components], multiple: true, multipleNonGreedy: true})}
  static override examples = [{description: 'is it ready for deployments?', command: '<%= config.bin %> <%= command.id %> web-1'}]

  async run(): Promise<object> {
    const server = await getServer(this.api, this.args.server, this.signal)
    const wanted = components.filter((component) => this.flags.component?.includes(component) === true)
    const body = {serverId: server.id, ...(wanted.length > 0 && {components: wanted})}
    const result = await this.api.servers.check({body}, {signal: this.signal, timeoutMs: 120_000})
    this.out.table(
      [
        {heading: 'COMPONENT', value: (row) => row.name},
        {heading: 'INSTALLED', value: (row) => row.installed},
        {heading: 'HEALTHY', value: (row) => row.healthy},
        {heading: 'VERSION', value: (row) => row.version},
        {heading: 'REMARK', value: (row) => row.message},
      ],
      result.components,
      'nothing to check',
    )
    if (!result.ready) throw new Fault('CONFLICT', `${serverName(server)} lacks ${result.missing.join(', ')}`, {details: {...result}})
    return result
  }
}
