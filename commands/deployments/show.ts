import * as Args from '@oclif/core/args'
import {BaseCommand} from '../../src/cli/base-command.js'
import {deploymentFields} from '../../src/cli/deployment-text.js'
import {getDeployment} from '../../src/cli/get-deployment.js'

export default class DeploymentsShow extends BaseCommand<typeof DeploymentsShow> {
  static override summary = 'show a deployment: how it went, and each of its services'
  static override args = {deployment: Args.string({description: 'id of the deployment', required: true})}
  static override examples = [{description: 'show a deployment', command: '<%= config.bin %> <%= command.id %> dep_Zz9Yy8Xx7Ww6Vv5U'}]

  async run(): Promise<object> {
    const deployment = await getDeployment(this.api, this.args.deployment, this.signal)
    this.out.fields(deploymentFields(deployment))
    return deployment
  }
}
