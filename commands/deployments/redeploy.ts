import * as Args from '@oclif/core/args'
import {boolean} from '@oclif/core/flags'
import type {JsonResult} from '../../src/cli/base-command.js'
import {DeploymentCommand} from '../../src/cli/deployment-command.js'
import {forDeployment} from '../../src/cli/get-deployment.js'

export default class DeploymentsRedeploy extends DeploymentCommand<typeof DeploymentsRedeploy> {
  static override summary = 'deploy again, with the settings of now'
  static override args = {deployment: Args.string({description: 'id of the deployment', required: true})}
  static override flags = {
    'same-commit': boolean({description: 'the commit of that deployment, not the head of its branch'}),
    wait: boolean({char: 'w', description: 'wait for the end', allowNo: true}),
    plain: boolean({description: 'plain lines on a terminal too'}),
  }
  static override examples = [{description: 'deploy the same commit again', command: '<%= config.bin %> <%= command.id %> dep_Zz9Yy8Xx7Ww6Vv5U --same-commit'}]

  async run(): Promise<JsonResult> {
    const id = this.args.deployment
    const body = {useExistingCommit: this.flags['same-commit']}
    const started = await forDeployment(id, () => this.api.deployments.redeploy({params: {id}, body}, {signal: this.signal}))
    this.announce(started.deployment_id, `deploys ${id} again`)
    if (this.waits(this.flags.wait)) return this.finish(started.deployment_id, {plain: this.flags.plain})
    this.log(started.deployment_id)
    return started
  }
}
