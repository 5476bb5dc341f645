import * as Args from '@oclif/core/args'
import {boolean, string} from '@oclif/core/flags'
import {BaseCommand} from '../../src/cli/base-command.js'
import {getProject} from '../../src/cli/find-by-name.js'
import {yesFlag} from '../../src/cli/global-flags.js'
import {changesSomething, planLines, planSummary} from '../../src/cli/plan-text.js'
import {hasFiles} from '../../src/cli/service-ref.js'
import type {Project} from '../../src/contract/project.js'
import type {RouteOutput} from '../../src/contract/route.js'
import type {serviceRoutes} from '../../src/contract/services.js'

type Plan = RouteOutput<typeof serviceRoutes.sync>

export default class ServicesSync extends BaseCommand<typeof ServicesSync> {
  static override summary = 'make the services of a project those of a Compose file'
  static override description = `Shows the difference and asks. Variables of the file come from .env beside it or from --env-file. What services alone can not keep is refused.

Services that the file has no more go, and their containers with the next deployment; their volumes stay.`
  static override args = {file: Args.string({description: 'Compose file, a folder that holds one, or - for stdin', required: true})}
  static override flags = {
    project: string({char: 'p', description: 'id, slug or name of the project', helpValue: 'PROJECT', required: true}),
    'env-file': string({description: 'file of variables in the place of .env', helpValue: 'FILE', multiple: true, multipleNonGreedy: true}),
    profile: string({description: 'profile whose services are taken, too', helpValue: 'NAME', multiple: true, multipleNonGreedy: true}),
    'dry-run': boolean({description: 'show the difference and change nothing'}),
    yes: yesFlag,
  }
  static override examples = [
    {description: 'see what would change', command: '<%= config.bin %> <%= command.id %> compose.yml --project shop --dry-run'},
    {description: 'in a pipeline', command: '<%= config.bin %> <%= command.id %> compose.yml --project shop --yes'},
  ]

  async run(): Promise<object> {
    const {'dry-run': dryRun, yes} = this.flags
    const project = await getProject(this.api, this.flags.project, this.signal)
    const params = {id: project.id}
    const services = await this.#read(project)
    const plan = await this.api.services.sync({params, query: {dryRun: 'true'}, body: {services}}, {signal: this.signal})
    const changes = toChanges(plan)
    for (const line of planLines(changes, this.out.paint)) this.log(line)
    this.out.note(planSummary(changes))
    if (dryRun || !changesSomething(changes)) return {...plan, synced: false}
    if (hasFiles(project)) this.out.warn(`the next deployment of ${project.slug} reads the Compose file of its source again: what differs shows as drift, and services of that file come back`)
    await this.prompts.confirm('Make these changes?', yes)
    const result = await this.api.services.sync({params, body: {services}}, {signal: this.signal})
    this.out.note(`the services of ${project.slug} are as the file says; containers follow with: ${this.config.bin} deploy ${project.slug}`)
    return {...result, synced: true}
  }

  async #read(project: Project) {
    const [{readComposeSource}, {readComposeServices}] = await Promise.all([import('../../src/cli/compose-source.js'), import('../../src/cli/compose-services.js')])
    const source = await readComposeSource(this.args.file, this.flags['env-file'] ?? [], this.prompts)
    const {services, warnings} = await readComposeServices(source, {profiles: this.flags.profile ?? [], hasFiles: hasFiles(project)})
    for (const warning of warnings) this.out.warn(warning)
    const {services: present} = await this.api.services.list({params: {id: project.id}}, {signal: this.signal})
    // These settings are merged one by one: what the file does not say has to be named to go.
    return services.map(({advanced, ...fields}) => ({...fields, advanced: {...cleared(present.find(({name}) => name === fields.name)?.advanced ?? {}), ...advanced}}))
  }
}

function cleared(settings: Readonly<Record<string, unknown>>): Record<string, null> {
  return Object.fromEntries(Object.keys(settings).map((key) => [key, null]))
}

const actions = {added: 'create', changed: 'update', removed: 'delete'} as const

function toChanges({services, changes}: Plan) {
  const same = services.filter(({name}) => !changes.some(({service}) => service === name))
  return [...changes.map(({service, change, fields}) => ({action: actions[change], name: service, fields})), ...same.map(({name}) => ({action: 'unchanged' as const, name, fields: []}))]
}
