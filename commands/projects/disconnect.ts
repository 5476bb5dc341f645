import * as Args from '@oclif/core/args'
import {BaseCommand} from '../../src/cli/base-command.js'
import {getProject} from '../../src/cli/find-by-name.js'
import {yesFlag} from '../../src/cli/global-flags.js'
import {Fault} from '../../src/contract/faults.js'

export default class ProjectsDisconnect extends BaseCommand<typeof ProjectsDisconnect> {
  static override summary = 'take a value of another project away again, with its variable'
  static override args = {
    project: Args.string({description: 'id, slug or name of the project', required: true}),
    link: Args.string({description: 'id of the link, or its variable; may be left away where there is one'}),
  }
  static override flags = {yes: yesFlag}
  static override examples = [{description: 'by its variable', command: '<%= config.bin %> <%= command.id %> shop DATABASE_URL --yes'}]

  async run(): Promise<object> {
    const {id, name, slug} = await getProject(this.api, this.args.project, this.signal)
    const links = await this.api.appProjects.connections({params: {id}}, {signal: this.signal})
    const {link: wanted} = this.args
    if (wanted === undefined && links.length > 1) throw new Fault('USAGE', `say which link of ${name} is meant: ${links.map(({envKey}) => envKey).join(', ')}`)
    const link = wanted === undefined ? links[0] : links.find((one) => one.id === wanted || one.envKey === wanted)
    if (link === undefined) throw new Fault('NOT_FOUND', wanted === undefined ? `${name} has no link` : `${name} has no link ${wanted}`, {details: {project: id}, suggestions: [`projects connections ${slug}`]})
    await this.prompts.confirm(`Take ${link.envKey}, which comes from ${link.sourceName}, away from ${name}?`, this.flags.yes)
    await this.api.appProjects.disconnect({params: {id, linkId: link.id}}, {signal: this.signal})
    this.log(`${link.envKey} of ${name} is gone`)
    this.out.note(`apply it with: ${this.config.bin} deploy ${slug}`)
    return {project: id, ...link}
  }
}
