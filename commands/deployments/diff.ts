import * as Args from '@oclif/core/args'
import {BaseCommand} from '../../src/cli/base-command.js'
import {forDeployment} from '../../src/cli/get-deployment.js'

export default class DeploymentsDiff extends BaseCommand<typeof DeploymentsDiff> {
  static override summary = 'compare two releases: images, settings and names of variables'
  static override args = {
    deployment: Args.string({description: 'id of the deployment that made the newer release', required: true}),
    against: Args.string({description: 'id of the deployment to compare with; the one it replaced unless given'}),
  }
  static override examples = [
    {description: 'what a deployment changed', command: '<%= config.bin %> <%= command.id %> dep_Zz9Yy8Xx7Ww6Vv5U'},
    {description: 'what differs from an older release', command: '<%= config.bin %> <%= command.id %> dep_Zz9Yy8Xx7Ww6Vv5U dep_Ab1Cd2Ef3Gh4Ij5K'},
  ]

  async run(): Promise<object> {
    const id = this.args.deployment
    const signal = this.signal
    const against = this.args.against ?? (await forDeployment(id, () => this.api.deployments.show({params: {id}}, {signal}))).data.previousDeploymentId ?? id
    const {data} = await this.api.deployments.diff({params: {id}, query: {against}}, {signal})
    if (data.services.length === 0) this.out.note('nothing differs')
    for (const {service, change, fields} of data.services) {
      this.out.print(`${service}: ${change}`)
      for (const {field, from, to} of fields) this.out.print(`  ${field}: ${from ?? '-'} -> ${to ?? '-'}`)
    }
    if (data.compose !== '') this.out.print(`\n${data.compose.trimEnd()}`)
    return data
  }
}
