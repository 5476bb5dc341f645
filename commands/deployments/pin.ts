import * as Args from '@oclif/core/args'
import {boolean} from '@oclif/core/flags'
import {BaseCommand} from '../../src/cli/base-command.js'
import {forDeployment} from '../../src/cli/get-deployment.js'

export default class DeploymentsPin extends BaseCommand<typeof DeploymentsPin> {
  static override summary = 'keep a release for rollbacks, or let it go again'
  static override args = {deployment: Args.string({description: 'id of the deployment that made the release', required: true})}
  static override flags = {off: boolean({description: 'let it go again'})}
  static override examples = [{description: 'keep a release', command: '<%= config.bin %> <%= command.id %> dep_Zz9Yy8Xx7Ww6Vv5U'}]

  async run(): Promise<object> {
    const id = this.args.deployment
    const {data} = await forDeployment(id, () => this.api.deployments.pin({params: {id}, body: {pinned: !this.flags.off}}, {signal: this.signal}))
    this.log(data.pinned ? `${id} is kept` : `${id} is kept only as long as the window of its project says`)
    return data
  }
}
