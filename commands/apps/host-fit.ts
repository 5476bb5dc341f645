import * as Args from '@oclif/core/args'
import {string} from '@oclif/core/flags'
import {shortText, sizeText} from '../../src/cli/app-text.js'
import {BaseCommand} from '../../src/cli/base-command.js'
import {getServer, serverName} from '../../src/cli/find-by-name.js'
import {getApp} from '../../src/cli/get-app.js'

export default class AppsHostFit extends BaseCommand<typeof AppsHostFit> {
  static override summary = 'compare what an app recommends with what a host has; nothing is changed'
  static override description = 'A host that is short of something is warned about and refuses nothing. What can not be read counts as enough.'
  static override args = {app: Args.string({description: 'id of the app', required: true})}
  static override flags = {server: string({char: 's', description: 'id or name of the server; the machine of the daemon unless given', helpValue: 'SERVER'})}
  static override examples = [{description: 'would it run well on a server', command: '<%= config.bin %> <%= command.id %> immich --server web-1'}]

  async run(): Promise<object> {
    const {name} = (await getApp(this.api, this.args.app, this.signal)).data
    const server = this.flags.server === undefined ? undefined : await getServer(this.api, this.flags.server, this.signal)
    const host = server === undefined ? 'the machine of the daemon' : serverName(server)
    const query = server === undefined ? {} : {serverId: server.id}
    const {data} = await this.api.apps.hostFit({params: {id: this.args.app}, query}, {signal: this.signal})
    const {minResources, capacity, fit} = data
    const isMeasured = capacity.source !== 'unknown'
    this.out.fields([
      ['app', name],
      ['host', host],
      ['recommended', minResources === null ? 'nothing' : sizeText(minResources)],
      ['available', sizeText(capacity) ?? (minResources === null ? 'not asked for' : 'could not be read')],
      ['read from', capacity.source === 'docker' ? 'its container engine' : isMeasured ? 'its system' : null],
      ['fits', fit.ok ? (isMeasured || minResources === null ? 'yes' : 'as far as is known') : 'no'],
    ])
    if (!fit.ok) this.out.warn(`${host} has less than ${name} recommends: ${shortText(fit)}; it can be installed all the same`)
    return {id: this.args.app, server: server?.id ?? null, ...data}
  }
}
