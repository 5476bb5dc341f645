import * as Args from '@oclif/core/args'
import {boolean, string} from '@oclif/core/flags'
import {BaseCommand} from '../../src/cli/base-command.js'
import {maskCard, printCard} from '../../src/cli/connection-text.js'
import {getProject} from '../../src/cli/find-by-name.js'

export default class AppsConnection extends BaseCommand<typeof AppsConnection> {
  static override summary = 'show how to reach and use an installed app; secrets are masked unless --reveal is given'
  static override description = 'For a project that was not installed from an app: its services as connected projects reach them.'
  static override args = {project: Args.string({description: 'id, slug or name of the project', required: true})}
  static override flags = {
    reveal: boolean({description: 'show secrets in plain text'}),
    locale: string({description: 'language of texts that come in several', helpValue: 'LOCALE', default: 'en'}),
  }
  static override examples = [
    {description: 'where it is and how to sign in', command: '<%= config.bin %> <%= command.id %> paste-box --reveal'},
    {description: 'one value for a script', command: "<%= config.bin %> <%= command.id %> store --reveal --json | jq -r '.outputs[] | select(.id == \"url\").value'"},
  ]

  async run(): Promise<object> {
    const project = await getProject(this.api, this.args.project, this.signal)
    const {data} = await this.api.appProjects.connection({params: {id: project.id}}, {signal: this.signal})
    const card = this.flags.reveal ? data : maskCard(data)
    printCard(this.out, card, this.flags.locale)
    if (!this.flags.reveal && data.outputs.some(({secret, value}) => secret && value !== '')) this.out.note(`${this.config.bin} apps connection ${project.slug} --reveal shows the secrets`)
    return {project: project.id, ...card}
  }
}
