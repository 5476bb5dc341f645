import * as Args from '@oclif/core/args'
import {BaseCommand} from '../../src/cli/base-command.js'
import {forDeployment} from '../../src/cli/get-deployment.js'
import {formatDuration} from '../../src/cli/time-text.js'

export default class DeploymentsInfo extends BaseCommand<typeof DeploymentsInfo> {
  static override summary = 'show the main container of a release: where it is reached, and for how long it runs'
  static override args = {deployment: Args.string({description: 'id of the deployment that made the release', required: true})}
  static override examples = [{description: 'where a release is reached', command: '<%= config.bin %> <%= command.id %> dep_Zz9Yy8Xx7Ww6Vv5U'}]

  async run(): Promise<object> {
    const id = this.args.deployment
    const {data} = await forDeployment(id, () => this.api.deployments.info({params: {id}}, {signal: this.signal}))
    this.out.fields([
      ['container', data.containerId],
      ['status', data.status],
      ['address', data.ip ?? null],
      ['ports', Object.entries(data.hostPortByContainerPort ?? {}).map(([inside, outside]) => `${outside}:${inside}`).join(', ')],
      ['runs for', data.uptimeSeconds === undefined ? null : formatDuration(data.uptimeSeconds * 1000)],
    ])
    return data
  }
}
