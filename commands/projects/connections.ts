import * as Args from '@oclif/core/args'
import {boolean} from '@oclif/core/flags'
import {BaseCommand} from '../../src/cli/base-command.js'
import {getProject} from '../../src/cli/find-by-name.js'
import {warnOfShadows} from '../../src/cli/warn-of-shadows.js'

export default class ProjectsConnections extends BaseCommand<typeof ProjectsConnections> {
  static override summary = 'list what a project uses of others'
  static override args = {project: Args.string({description: 'id, slug or name of the project', required: true})}
  static override flags = {consumers: boolean({description: 'list who uses the project instead'})}
  static override examples = [
    {description: 'what a project uses', command: '<%= config.bin %> <%= command.id %> shop'},
    {description: 'who uses a database', command: '<%= config.bin %> <%= command.id %> store --consumers'},
  ]

  async run(): Promise<object> {
    const {id, name} = await getProject(this.api, this.args.project, this.signal)
    return this.flags.consumers ? this.#consumers(id, name) : this.#links(id, name)
  }

  async #links(id: string, name: string): Promise<object> {
    const items = await this.api.appProjects.connections({params: {id}}, {signal: this.signal})
    this.out.table(
      [
        {heading: 'KEY', value: ({envKey}) => envKey, whole: true},
        {heading: 'FROM', value: ({sourceName}) => sourceName},
        {heading: 'OUTPUT', value: ({outputId}) => outputId},
        {heading: 'MODE', value: ({mode}) => mode},
        {heading: 'LINK', value: (link) => link.id, whole: true},
      ],
      items,
      `${name} uses no other project`,
    )
    warnOfShadows(this.out, items)
    return {items}
  }

  async #consumers(id: string, name: string): Promise<object> {
    const items = await this.api.appProjects.consumers({params: {id}}, {signal: this.signal})
    this.out.table(
      [
        {heading: 'PROJECT', value: ({targetSlug}) => targetSlug, whole: true},
        {heading: 'KEY', value: ({envKey}) => envKey},
        {heading: 'OUTPUT', value: ({outputId}) => outputId},
        {heading: 'MODE', value: ({mode}) => mode},
      ],
      items,
      `no project uses ${name}`,
    )
    return {items}
  }
}
