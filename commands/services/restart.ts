import * as Args from '@oclif/core/args'
import {boolean} from '@oclif/core/flags'
import {BaseCommand} from '../../src/cli/base-command.js'
import {getServiceOf} from '../../src/cli/service-ref.js'

export default class ServicesRestart extends BaseCommand<typeof ServicesRestart> {
  static override summary = 'restart a service'
  static override description = 'Refused where variables changed since its container was made, as a restart does not apply them: deploy then, or give --force.'
  static override args = {service: Args.string({description: 'PROJECT/SERVICE; the project alone where it has one service', required: true})}
  static override flags = {force: boolean({description: 'restart although changed variables are not applied'})}
  static override examples = [{description: 'restart a service', command: '<%= config.bin %> <%= command.id %> shop/web'}]

  async run(): Promise<object> {
    const {service, params} = await getServiceOf(this.api, this.args.service, this.signal)
    const query = this.flags.force ? {force: 'true'} : {}
    const result = await this.api.services.restart({params, query}, {signal: this.signal})
    this.log(`${service.name} is restarted`)
    return result
  }
}
