import * as Args from '@oclif/core/args'
import {BaseCommand} from '../../src/cli/base-command.js'
import {forDeployment} from '../../src/cli/get-deployment.js'
import {usageColumns} from '../../src/cli/usage-columns.js'

export default class DeploymentsUsage extends BaseCommand<typeof DeploymentsUsage> {
  static override summary = 'show what the containers of the project of a deployment use now'
  static override args = {deployment: Args.string({description: 'id of the deployment', required: true})}
  static override examples = [{description: 'processor, memory and network of each service', command: '<%= config.bin %> <%= command.id %> dep_Zz9Yy8Xx7Ww6Vv5U'}]

  async run(): Promise<object> {
    const id = this.args.deployment
    const {data} = await forDeployment(id, () => this.api.deployments.usage({params: {id}}, {signal: this.signal}))
    this.out.table(usageColumns, data.services, 'none of its services runs')
    return data
  }
}
