import * as Args from '@oclif/core/args'
import {BaseCommand} from '../../src/cli/base-command.js'
import {forDeployment} from '../../src/cli/get-deployment.js'

export default class DeploymentsRestart extends BaseCommand<typeof DeploymentsRestart> {
  static override summary = 'restart the containers of the release that is served'
  static override description = 'Changed variables are not applied by it: deploy with --refresh for that.'
  static override args = {deployment: Args.string({description: 'id of the deployment that made the release', required: true})}
  static override examples = [{description: 'restart a release', command: '<%= config.bin %> <%= command.id %> dep_Zz9Yy8Xx7Ww6Vv5U'}]

  async run(): Promise<object> {
    const id = this.args.deployment
    const {data} = await forDeployment(id, () => this.api.deployments.restart({params: {id}}, {signal: this.signal}))
    this.log(`the containers of ${data.projectName} are restarted`)
    return data
  }
}
