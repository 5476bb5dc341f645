import * as Args from '@oclif/core/args'
import {string} from '@oclif/core/flags'
import {BaseCommand} from '../../src/cli/base-command.js'
import {getProject} from '../../src/cli/find-by-name.js'
import {projectFieldFlags, projectFlags, readProject} from '../../src/cli/project-flags.js'
import {Fault} from '../../src/contract/faults.js'

export default class ProjectsUpdate extends BaseCommand<typeof ProjectsUpdate> {
  static override summary = 'change a project; it is applied with the next deployment'
  static override description = 'What is not given stays. The slug never changes.'
  static override args = {project: Args.string({description: 'id, slug or name of the project', required: true})}
  static override flags = {
    name: string({description: 'new name'}),
    git: string({description: 'repository to deploy from, over https or ssh', helpValue: 'URL', exclusive: ['image', 'folder']}),
    ...projectFlags,
  }
  static override examples = [
    {description: 'another branch', command: '<%= config.bin %> <%= command.id %> shop --branch release'},
    {description: 'another repository', command: '<%= config.bin %> <%= command.id %> shop --git https://git.example.com/acme/shop.git'},
  ]
  static override fieldFlags = {...projectFieldFlags, name: '--name', url: '--git'}

  async run(): Promise<object> {
    const {name, git} = this.flags
    const body = {...(await readProject(this.api, this.flags, this.signal)), ...(name !== undefined && {name})}
    if (git === undefined && Object.keys(body).length === 0) throw new Fault('USAGE', 'nothing to change was given', {suggestions: ['projects update --help']})
    const {id} = await getProject(this.api, this.args.project, this.signal)
    if (git !== undefined) await this.api.projects.linkRepository({params: {id}, body: {url: git}}, {signal: this.signal})
    const {data} = await this.api.projects.update({params: {id}, body}, {signal: this.signal})
    this.log(`${data.name} is changed`)
    return data
  }
}
