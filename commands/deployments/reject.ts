import * as Args from '@oclif/core/args'
import {boolean} from '@oclif/core/flags'
import type {JsonResult} from '../../src/cli/base-command.js'
import {DeploymentCommand} from '../../src/cli/deployment-command.js'
import {forDeployment} from '../../src/cli/get-deployment.js'

export default class DeploymentsReject extends DeploymentCommand<typeof DeploymentsReject> {
  static override summary = 'take the release that is served back and serve the one before it'
  static override description = 'The rejected deployment stays in the list with its log. It is served until the one before it is up.'
  static override args = {deployment: Args.string({description: 'id of the deployment that is served', required: true})}
  static override flags = {
    wait: boolean({char: 'w', description: 'wait for the end', allowNo: true}),
    plain: boolean({description: 'plain lines on a terminal too'}),
  }
  static override examples = [{description: 'go back to the release before', command: '<%= config.bin %> <%= command.id %> dep_Zz9Yy8Xx7Ww6Vv5U'}]

  async run(): Promise<JsonResult> {
    const id = this.args.deployment
    const started = await forDeployment(id, () => this.api.deployments.reject({params: {id}, body: {wait: false}}, {signal: this.signal}))
    this.announce(started.deployment_id, `brings ${started.restoredDeploymentId} back`)
    if (this.waits(this.flags.wait)) return this.finish(started.deployment_id, {plain: this.flags.plain})
    this.log(started.deployment_id)
    return started
  }
}
