import * as Args from '@oclif/core/args'
import {BaseCommand} from '../../src/cli/base-command.js'
import {getProject} from '../../src/cli/find-by-name.js'

export default class ProjectsDisable extends BaseCommand<typeof ProjectsDisable> {
  static override summary = 'stop the services of a project; nothing is deleted'
  static override args = {project: Args.string({description: 'id, slug or name of the project', required: true})}
  static override examples = [{description: 'stop a project', command: '<%= config.bin %> <%= command.id %> shop'}]

  async run(): Promise<object> {
    const {id, name} = await getProject(this.api, this.args.project, this.signal)
    const result = await this.api.projects.disable({params: {id}}, {signal: this.signal})
    this.log(`${name} is stopped`)
    return result
  }
}
