import * as Args from '@oclif/core/args'
import {boolean} from '@oclif/core/flags'
import type {JsonResult} from '../../src/cli/base-command.js'
import {DeploymentCommand} from '../../src/cli/deployment-command.js'
import {getDeployment} from '../../src/cli/get-deployment.js'

export default class DeploymentsWatch extends DeploymentCommand<typeof DeploymentsWatch> {
  static override summary = 'watch a deployment to its end; ends as the deployment did'
  static override description = 'A live view on a terminal, plain lines elsewhere. Ends with 0 when it is live, 1 when it is not, and 8 when --timeout came first.'
  static override args = {deployment: Args.string({description: 'id of the deployment', required: true})}
  static override flags = {plain: boolean({description: 'plain lines on a terminal too'})}
  static override examples = [{description: 'take a deployment up again', command: '<%= config.bin %> <%= command.id %> dep_Zz9Yy8Xx7Ww6Vv5U'}]

  async run(): Promise<JsonResult> {
    const {id} = await getDeployment(this.api, this.args.deployment, this.signal)
    return this.finish(id, {plain: this.flags.plain})
  }
}
