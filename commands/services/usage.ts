import * as Args from '@oclif/core/args'
import {BaseCommand} from '../../src/cli/base-command.js'
import {getProject} from '../../src/cli/find-by-name.js'
import {usageColumns} from '../../src/cli/usage-columns.js'
import {Fault} from '../../src/contract/faults.js'

export default class ServicesUsage extends BaseCommand<typeof ServicesUsage> {
  static override summary = 'show what the services of a project use of their server now'
  static override args = {project: Args.string({description: 'id, slug or name of the project', required: true})}
  static override examples = [{description: 'processor, memory and network of each service', command: '<%= config.bin %> <%= command.id %> shop'}]

  async run(): Promise<object> {
    const {name, slug, activeDeploymentId} = await getProject(this.api, this.args.project, this.signal)
    if (activeDeploymentId === null) throw new Fault('NOTHING_DEPLOYED', `nothing of ${name} is deployed`, {suggestions: [`deploy ${slug}`]})
    const {data} = await this.api.deployments.usage({params: {id: activeDeploymentId}}, {signal: this.signal})
    this.out.table(usageColumns, data.services, `no service of ${name} runs`)
    return data
  }
}
