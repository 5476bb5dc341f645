import * as Args from '@oclif/core/args'
import {BaseCommand} from '../../src/cli/base-command.js'
import {forDeployment} from '../../src/cli/get-deployment.js'

export default class DeploymentsCancel extends BaseCommand<typeof DeploymentsCancel> {
  static override summary = 'cancel a deployment; the release before it goes on'
  static override args = {deployment: Args.string({description: 'id of the deployment', required: true})}
  static override examples = [{description: 'cancel a deployment', command: '<%= config.bin %> <%= command.id %> dep_Zz9Yy8Xx7Ww6Vv5U'}]

  async run(): Promise<object> {
    const id = this.args.deployment
    const result = await forDeployment(id, () => this.api.deployments.cancel({params: {id}}, {signal: this.signal}))
    this.log(result.message)
    return result
  }
}
