import * as Args from '@oclif/core/args'
import {BaseCommand} from '../../src/cli/base-command.js'
import {getProject} from '../../src/cli/find-by-name.js'

export default class ProjectsBranches extends BaseCommand<typeof ProjectsBranches> {
  static override summary = 'list the branches of the repository of a project as its host has them now'
  static override args = {project: Args.string({description: 'id, slug or name of the project', required: true})}
  static override examples = [{description: 'what could be deployed', command: '<%= config.bin %> <%= command.id %> shop'}]

  async run(): Promise<object> {
    const {id, gitBranch} = await getProject(this.api, this.args.project, this.signal)
    const {data: items} = await this.api.repositories.branches({params: {id}}, {signal: this.signal})
    this.out.table(
      [
        {heading: 'BRANCH', value: (item) => item.name, whole: true},
        {heading: 'COMMIT', value: (item) => item.sha.slice(0, 12)},
        {heading: 'DEPLOYED', value: (item) => (item.name === gitBranch ? 'yes' : null)},
      ],
      items,
      'no branches',
    )
    return {items}
  }
}
