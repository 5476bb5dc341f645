import * as Args from '@oclif/core/args'
import {string} from '@oclif/core/flags'
import {BaseCommand} from '../../src/cli/base-command.js'
import {projectFieldFlags, projectFlags, readProject} from '../../src/cli/project-flags.js'

export default class ProjectsCreate extends BaseCommand<typeof ProjectsCreate> {
  static override summary = 'create a project'
  static override args = {name: Args.string({description: 'name of the project', required: true})}
  static override flags = {
    slug: string({description: 'short name for addresses; made from the name unless given'}),
    type: string({description: 'kind of project', options: ['app', 'docker', 'services', 'monorepo']}),
    git: string({description: 'repository to deploy from, over https or ssh', helpValue: 'URL'}),
    ...projectFlags,
  }
  static override examples = [
    {description: 'from a repository', command: '<%= config.bin %> <%= command.id %> shop --git https://git.example.com/acme/shop.git --server web-1'},
    {description: 'of one image', command: '<%= config.bin %> <%= command.id %> cache --image redis:8'},
  ]
  static override fieldFlags = {...projectFieldFlags, name: 'NAME', slug: '--slug', projectType: '--type', gitUrl: '--git'}

  async run(): Promise<object> {
    const {slug, type, git} = this.flags
    const projectType = (['app', 'docker', 'services', 'monorepo'] as const).find((known) => known === type)
    const fields = await readProject(this.api, this.flags, this.signal)
    const body = {
      name: this.args.name,
      ...fields,
      ...(slug !== undefined && {slug}),
      ...(projectType !== undefined && {projectType}),
      ...(git !== undefined && {gitUrl: git, sourceKind: 'git' as const, gitBranch: fields.gitBranch ?? null}),
      ...(git === undefined && fields.image !== undefined && {sourceKind: 'image' as const}),
    }
    const {data} = await this.api.projects.create({body}, {signal: this.signal})
    this.log(`${data.name} is created: ${data.id}`)
    return data
  }
}
