import * as Args from '@oclif/core/args'
import {boolean} from '@oclif/core/flags'
import type {JsonResult} from '../../src/cli/base-command.js'
import {DeploymentCommand} from '../../src/cli/deployment-command.js'
import {forDeployment} from '../../src/cli/get-deployment.js'

export default class DeploymentsRollback extends DeploymentCommand<typeof DeploymentsRollback> {
  static override summary = 'bring a kept release back'
  static override args = {deployment: Args.string({description: 'id of the deployment that made the release', required: true})}
  static override flags = {
    'dry-run': boolean({description: 'only show what would be done'}),
    wait: boolean({char: 'w', description: 'wait for the end', allowNo: true}),
    plain: boolean({description: 'plain lines on a terminal too'}),
  }
  static override examples = [
    {description: 'bring a release back', command: '<%= config.bin %> <%= command.id %> dep_Zz9Yy8Xx7Ww6Vv5U'},
    {description: 'see what would be done', command: '<%= config.bin %> <%= command.id %> dep_Zz9Yy8Xx7Ww6Vv5U --dry-run'},
  ]

  async run(): Promise<JsonResult> {
    const params = {id: this.args.deployment}
    if (this.flags['dry-run']) {
      const {data} = await forDeployment(params.id, () => this.api.deployments.restorePlan({params}, {signal: this.signal}))
      this.out.fields([['how', data.mode], ['changed', data.changedServices.join(', ')], ['built again', data.rebuildServices.join(', ')], ['left alone', data.untouchedServices.join(', ')], ['note', data.reason ?? null]])
      return data
    }
    const {data} = await forDeployment(params.id, () => this.api.deployments.rollback({params}, {signal: this.signal}))
    this.announce(data.id, `brings ${params.id} of ${data.projectName} back`)
    if (this.waits(this.flags.wait)) return this.finish(data.id, {plain: this.flags.plain})
    this.log(data.id)
    return data
  }
}
