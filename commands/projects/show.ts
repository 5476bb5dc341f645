import * as Args from '@oclif/core/args'
import {BaseCommand} from '../../src/cli/base-command.js'
import {getProject} from '../../src/cli/find-by-name.js'

export default class ProjectsShow extends BaseCommand<typeof ProjectsShow> {
  static override summary = 'show a project'
  static override args = {project: Args.string({description: 'id, slug or name of the project', required: true})}
  static override examples = [{description: 'show a project', command: '<%= config.bin %> <%= command.id %> shop'}]

  async run(): Promise<object> {
    const found = await getProject(this.api, this.args.project, this.signal)
    const {data} = await this.api.projects.show({params: {id: found.id}}, {signal: this.signal})
    this.out.fields([
      ['id', data.id],
      ['name', data.name],
      ['slug', data.slug],
      ['type', data.projectType],
      ['environment', `${data.environmentName} (${data.environmentType})`],
      ['framework', data.framework],
      ['repository', data.gitOwner === null ? null : `${data.gitOwner}/${data.gitRepo} ${data.gitBranch ?? ''}`.trim()],
      ['port', data.port],
      ['status', data.status],
      ['created', data.createdAt],
    ])
    return data
  }
}
