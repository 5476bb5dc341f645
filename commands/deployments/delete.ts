import * as Args from '@oclif/core/args'
import {BaseCommand} from '../../src/cli/base-command.js'
import {forDeployment} from '../../src/cli/get-deployment.js'
import {yesFlag} from '../../src/cli/global-flags.js'

export default class DeploymentsDelete extends BaseCommand<typeof DeploymentsDelete> {
  static override summary = 'delete the record of a deployment that is not served'
  static override args = {deployment: Args.string({description: 'id of the deployment', required: true})}
  static override flags = {yes: yesFlag}
  static override examples = [{description: 'delete without a question', command: '<%= config.bin %> <%= command.id %> dep_Zz9Yy8Xx7Ww6Vv5U --yes'}]

  async run(): Promise<object> {
    const id = this.args.deployment
    await this.prompts.confirm(`delete deployment ${id} and its log?`, this.flags.yes)
    const result = await forDeployment(id, () => this.api.deployments.delete({params: {id}}, {signal: this.signal}))
    this.log(`deployment ${id} is deleted`)
    return result
  }
}
