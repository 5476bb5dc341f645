import * as Args from '@oclif/core/args'
import {integer, string} from '@oclif/core/flags'
import {BaseCommand} from '../../src/cli/base-command.js'

export default class ProjectsCreate extends BaseCommand<typeof ProjectsCreate> {
  static override summary = 'create a project'
  static override args = {name: Args.string({description: 'name of the project', required: true})}
  static override flags = {
    slug: string({description: 'short name for addresses; made from the name unless given'}),
    type: string({description: 'kind of project', options: ['app', 'docker', 'services', 'monorepo']}),
    port: integer({description: 'port the app listens on'}),
    framework: string({description: 'framework it is built with'}),
  }
  static override examples = [{description: 'create a project', command: '<%= config.bin %> <%= command.id %> shop --type docker'}]
  static override fieldFlags = {name: 'NAME', slug: '--slug', port: '--port', framework: '--framework', projectType: '--type'}

  async run(): Promise<object> {
    const {slug, type, port, framework} = this.flags
    const projectType = (['app', 'docker', 'services', 'monorepo'] as const).find((known) => known === type)
    const body = {
      name: this.args.name,
      ...(slug !== undefined && {slug}),
      ...(projectType !== undefined && {projectType}),
      ...(port !== undefined && {port}),
      ...(framework !== undefined && {framework}),
    }
    const {data} = await this.api.projects.create({body}, {signal: this.signal})
    this.log(`${data.name} is created: ${data.id}`)
    return data
  }
}
