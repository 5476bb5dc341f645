import * as Args from '@oclif/core/args'
import {BaseCommand} from '../../src/cli/base-command.js'
import {getProject} from '../../src/cli/find-by-name.js'
import {yesFlag} from '../../src/cli/global-flags.js'

export default class ProjectsDelete extends BaseCommand<typeof ProjectsDelete> {
  static override summary = 'delete a project'
  static override args = {project: Args.string({description: 'id, slug or name of the project', required: true})}
  static override flags = {yes: yesFlag}
  static override examples = [{description: 'delete a project', command: '<%= config.bin %> <%= command.id %> shop --yes'}]

  async run(): Promise<object> {
    const project = await getProject(this.api, this.args.project, this.signal)
    await this.prompts.confirm(`Delete the project ${project.name} (${project.id})?`, this.flags.yes)
    const result = await this.api.projects.delete({params: {id: project.id}}, {signal: this.signal})
    this.log(`${project.name} is deleted`)
    return result
  }
}
