import * as Args from '@oclif/core/args'
import {option, string} from '@oclif/core/flags'
import {BaseCommand} from '../../src/cli/base-command.js'
import {getProject} from '../../src/cli/find-by-name.js'
import {yesFlag} from '../../src/cli/global-flags.js'
import {usualLinks} from '../../src/cli/link-choice.js'
import {parsePairs} from '../../src/cli/pairs.js'
import {warnOfShadows} from '../../src/cli/warn-of-shadows.js'

export default class ProjectsConnect extends BaseCommand<typeof ProjectsConnect> {
  static override summary = 'give a project values of another one, such as the address and password of a database'
  static override description = 'They become secret variables of the project and follow the other one with each deployment. Without --output it gets what the other one usually hands over.'
  static override args = {project: Args.string({description: 'id, slug or name of the project that gets them', required: true})}
  static override flags = {
    from: string({description: 'id, slug or name of the project that they come from', helpValue: 'SOURCE', required: true}),
    output: string({description: 'a value of the other project and the variable that it becomes', helpValue: 'ID=KEY', multiple: true, multipleNonGreedy: true}),
    mode: option({options: ['internal', 'public'] as const})({description: 'internal: by the network of the server; public: by its outside address; chosen by where both run unless given'}),
    yes: yesFlag,
  }
  static override examples = [
    {description: 'what a database hands over', command: '<%= config.bin %> <%= command.id %> shop --from store'},
    {description: 'one value, in a script', command: '<%= config.bin %> <%= command.id %> shop --from store --output url=STORE_URL --mode internal --yes'},
  ]
  static override fieldFlags = {items: '--output', envKey: '--output', outputId: '--output', mode: '--mode'}

  async run(): Promise<object> {
    const [project, source] = [await getProject(this.api, this.args.project, this.signal), await getProject(this.api, this.flags.from, this.signal)]
    const {output, mode} = this.flags
    const items = output === undefined ? await usualLinks(this.api, source, this.signal) : Object.entries(parsePairs(output, '--output')).map(([outputId, envKey]) => ({outputId, envKey}))
    for (const {outputId, envKey} of items) this.out.note(`${envKey} gets ${outputId} of ${source.name}`)
    await this.prompts.confirm(`Connect ${project.name} to ${source.name}?`, this.flags.yes)
    const body = {sourceProjectId: source.id, items, ...(mode !== undefined && {mode})}
    const {data} = await this.api.appProjects.connectBundle({params: {id: project.id}, body}, {signal: this.signal})
    for (const link of data.connections) this.log(`${link.envKey} of ${project.name} comes from ${link.sourceName}, ${link.mode}`)
    warnOfShadows(this.out, data.connections)
    this.out.note(`apply it with: ${this.config.bin} deploy ${project.slug}`)
    return {project: project.id, ...data}
  }
}
