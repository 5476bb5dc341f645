import * as Args from '@oclif/core/args'
import {BaseCommand} from '../../../src/cli/base-command.js'
import {getServiceOf} from '../../../src/cli/service-ref.js'

export default class ServicesDriftKeep extends BaseCommand<typeof ServicesDriftKeep> {
  static override summary = 'keep what was edited here, and stop telling that the Compose file of the source says otherwise'
  static override args = {service: Args.string({description: 'PROJECT/SERVICE; the project alone where it has one service', required: true})}
  static override examples = [{description: 'stay with what was edited', command: '<%= config.bin %> <%= command.id %> shop/web'}]

  async run(): Promise<object> {
    const {params} = await getServiceOf(this.api, this.args.service, this.signal)
    const {service} = await this.api.services.keepDrift({params}, {signal: this.signal})
    this.log(`${service.name} stays as it was edited`)
    return service
  }
}
