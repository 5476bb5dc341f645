import {BaseCommand} from '../../src/cli/base-command.js'
import {listFlags} from '../../src/cli/global-flags.js'
import {collectPages} from '../../src/cli/list-pages.js'

export default class ProjectsList extends BaseCommand<typeof ProjectsList> {
  static override summary = 'list projects, newest first'
  static override flags = listFlags
  static override examples = [{description: 'list projects', command: '<%= config.bin %> <%= command.id %>'}]

  async run(): Promise<object> {
    const result = await collectPages(this.flags, (query) => this.api.projects.list({query}, {signal: this.signal}))
    this.out.table(
      [
        {heading: 'ID', value: (project) => project.id, whole: true},
        {heading: 'NAME', value: (project) => project.name},
        {heading: 'SLUG', value: (project) => project.slug},
        {heading: 'TYPE', value: (project) => project.projectType},
        {heading: 'STATUS', value: (project) => project.status, kind: 'status'},
        {heading: 'CREATED', value: (project) => project.createdAt, kind: 'time'},
      ],
      result.items,
      'no projects',
    )
    return result
  }
}
