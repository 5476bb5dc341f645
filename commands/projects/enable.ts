import * as Args from '@oclif/core/args'
import {BaseCommand} from '../../src/cli/base-command.js'
import {getProject} from '../../src/cli/find-by-name.js'

export default class ProjectsEnable extends BaseCommand<typeof ProjectsEnable> {
  static override summary = 'start the services of a project that was stopped'
  static override args = {project: Args.string({description: 'id, slug or name of the project', required: true})}
  static override examples = [{description: 'start a project', command: '<%= config.bin %> <%= command.id %> shop'}]

  async run(): Promise<object> {
    const {id, name} = await getProject(this.api, this.args.project, this.signal)
    const result = await this.api.projects.enable({params: {id}}, {signal: this.signal})
    this.log(`${name} is started`)
    return result
  }
}
