import * as Args from '@oclif/core/args'
import {BaseCommand} from '../../../src/cli/base-command.js'
import {getServiceOf} from '../../../src/cli/service-ref.js'

export default class ServicesDriftAccept extends BaseCommand<typeof ServicesDriftAccept> {
  static override summary = 'take what the Compose file of the source says, in the place of what was edited here'
  static override args = {service: Args.string({description: 'PROJECT/SERVICE; the project alone where it has one service', required: true})}
  static override examples = [{description: 'give up what was edited', command: '<%= config.bin %> <%= command.id %> shop/web'}]

  async run(): Promise<object> {
    const {params} = await getServiceOf(this.api, this.args.service, this.signal)
    const {service} = await this.api.services.acceptDrift({params}, {signal: this.signal})
    this.log(`${service.name} is as its source says; deploy it to apply that`)
    return service
  }
}
