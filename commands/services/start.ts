import * as Args from '@oclif/core/args'
import {BaseCommand} from '../../src/cli/base-command.js'
import {getServiceOf} from '../../src/cli/service-ref.js'

export default class ServicesStart extends BaseCommand<typeof ServicesStart> {
  static override summary = 'start a service'
  static override args = {service: Args.string({description: 'PROJECT/SERVICE; the project alone where it has one service', required: true})}
  static override examples = [{description: 'start a service', command: '<%= config.bin %> <%= command.id %> shop/web'}]

  async run(): Promise<object> {
    const {service, params} = await getServiceOf(this.api, this.args.service, this.signal)
    const result = await this.api.services.start({params}, {signal: this.signal})
    this.log(`${service.name} is started`)
    return result
  }
}
