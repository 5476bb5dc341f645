import * as Args from '@oclif/core/args'
import {BaseCommand} from '../../src/cli/base-command.js'
import {getServiceOf} from '../../src/cli/service-ref.js'

export default class ServicesStop extends BaseCommand<typeof ServicesStop> {
  static override summary = 'stop a service; nothing is deleted'
  static override args = {service: Args.string({description: 'PROJECT/SERVICE; the project alone where it has one service', required: true})}
  static override examples = [{description: 'stop a service', command: '<%= config.bin %> <%= command.id %> shop/web'}]

  async run(): Promise<object> {
    const {service, params} = await getServiceOf(this.api, this.args.service, this.signal)
    const result = await this.api.services.stop({params}, {signal: this.signal})
    this.log(`${service.name} is stopped`)
    return result
  }
}
