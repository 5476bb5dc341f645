import * as Args from '@oclif/core/args'
import {BaseCommand} from '../../src/cli/base-command.js'
import {yesFlag} from '../../src/cli/global-flags.js'

export default class RegistriesRemove extends BaseCommand<typeof RegistriesRemove> {
  static override summary = 'forget the login of a registry'
  static override args = {registry: Args.string({description: 'HOST or HOST:PORT, as registries list shows it', required: true})}
  static override flags = {yes: yesFlag}
  static override examples = [{description: 'forget a login', command: '<%= config.bin %> <%= command.id %> ghcr.io --yes'}]

  async run(): Promise<object> {
    const host = this.args.registry
    await this.prompts.confirm(`Forget the login of ${host}? Images that need it can not be pulled any more.`, this.flags.yes)
    const result = await this.api.registries.remove({params: {host}}, {signal: this.signal})
    this.log(`the login of ${host} is forgotten`)
    return {host, ...result}
  }
}
