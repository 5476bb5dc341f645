import * as Args from '@oclif/core/args'
import {integer, string} from '@oclif/core/flags'
import {BaseCommand} from '../../src/cli/base-command.js'
import {deploymentLine} from '../../src/cli/deployment-text.js'
import {forDeployment} from '../../src/cli/get-deployment.js'

export default class DeploymentsLogs extends BaseCommand<typeof DeploymentsLogs> {
  static override summary = 'show the log of a deployment'
  static override args = {deployment: Args.string({description: 'id of the deployment', required: true})}
  static override flags = {
    tail: integer({description: 'only the last lines', helpValue: 'N', min: 1}),
    service: string({description: 'only lines of this service', helpValue: 'NAME'}),
  }
  static override examples = [{description: 'what a service said last', command: '<%= config.bin %> <%= command.id %> dep_Zz9Yy8Xx7Ww6Vv5U --service web --tail 50'}]

  async run(): Promise<object> {
    const id = this.args.deployment
    const {tail, service} = this.flags
    const query = {...(tail !== undefined && {tail}), ...(service !== undefined && {service})}
    const {data} = await forDeployment(id, () => this.api.deployments.logs({params: {id}, query}, {signal: this.signal}))
    for (const entry of data) this.out.print(deploymentLine(entry, this.out.terminal))
    return {items: data}
  }
}
