import * as Args from '@oclif/core/args'
import {boolean, string} from '@oclif/core/flags'
import {randomBytes} from 'node:crypto'
import type {AppDefinition} from '../../src/catalog/definition.js'
import {BaseCommand} from '../../src/cli/base-command.js'
import {toPrintable} from '../../src/cli/display-width.js'
import type {RenderPlan} from '../../src/cli/plan-render.js'
import {Fault} from '../../src/contract/faults.js'

export default class AppsRender extends BaseCommand<typeof AppsRender> {
  static override summary = 'show what a deployment makes of an app, or write it as a Compose file'
  static override description = `A file is read here, without a daemon; an id is looked up in the catalog of the instance. Secrets are made anew each time and shown masked.

A Compose file on stdout takes secrets from the environment, as \${NAME}; with --reveal it holds the values. With --output the values are in DIR/.env, and a later
output to the same folder uses them again. Mounted files and inline builds need --output.`
  static override args = {app: Args.string({description: 'id of an app, a file (with a / or ending in .json), or - for stdin', required: true})}
  static override flags = {
    set: string({description: 'a value of a config field, or of a setting as SERVICE.KEY=VALUE', helpValue: 'KEY=VALUE', multiple: true}),
    url: string({description: 'public address of a service; an address alone is that of the instance', helpValue: 'SERVICE[:PORT]=URL', multiple: true}),
    host: string({description: 'address of the server, for ports that are published there', helpValue: 'ADDRESS'}),
    name: string({description: 'name of the project; that of the app unless given', helpValue: 'NAME'}),
    locale: string({description: 'language of the connection card, such as de or pt-BR', helpValue: 'LOCALE', default: 'en'}),
    format: string({description: 'for people, or as a Compose file (docker-compose 1.29, Compose v2)', options: ['pretty', 'compose'], default: 'pretty'}),
    output: string({char: 'o', description: 'folder to write the Compose file and everything beside it to', helpValue: 'DIR', exclusive: ['reveal']}),
    force: boolean({description: 'replace files that are in the folder already; .env keeps its lines', dependsOn: ['output']}),
    reveal: boolean({description: 'show secrets'}),
  }
  static override examples = [
    {description: 'a definition being written', command: '<%= config.bin %> <%= command.id %> ./umami.json --url umami=https://stats.example.com'},
    {description: 'an app of the catalog, with a setting', command: '<%= config.bin %> <%= command.id %> umami --set umami.TRACKER_SCRIPT_NAME=stats'},
    {description: 'a folder to start with Compose', command: '<%= config.bin %> <%= command.id %> ./umami.json --output ./umami'},
  ]

  async run(): Promise<object> {
    const plan = await this.#plan(await this.#readDefinition())
    const app = this.flags.reveal ? plan.whole : plan.masked
    for (const {message} of app.warnings) this.out.warn(message)
    if (app.warnings.some(({rule}) => rule === 'url-unresolved')) this.out.note('an address comes from --url SERVICE=URL, or from --host for published ports')
    if (this.flags.output !== undefined) return this.#write(this.flags.output, plan)
    if (this.flags.format === 'compose') return this.#printCompose(plan)
    const {renderedLines} = await import('../../src/cli/render-text.js')
    for (const line of renderedLines(app, this.out.paint)) this.log(line)
    return app
  }

  protected override get instanceUrl(): string | undefined {
    return this.#urls.find((url) => /^https?:\/\//i.test(url))
  }

  get #urls(): readonly string[] {
    return this.flags.url ?? []
  }

  async #readDefinition(): Promise<AppDefinition> {
    const {app} = this.args
    const [{isDefinitionPath, readDefinitionFile, toDefinition}, {getApp}] = await Promise.all([import('../../src/cli/definition-file.js'), import('../../src/cli/get-app.js')])
    if (!isDefinitionPath(app)) return toDefinition(app, (await getApp(this.api, app, this.signal)).data)
    const {definition, unknownKeys} = await readDefinitionFile(app, this.io.stdin, this.signal)
    if (unknownKeys.length > 0) this.out.warn(`not known and not read: ${unknownKeys.join(', ')}`)
    return definition
  }

  async #plan(definition: AppDefinition): Promise<RenderPlan> {
    const [{readSetFlags, readUrlFlags, isInstanceUrl}, {planRender}, {readVariables}] = await Promise.all([
      import('../../src/cli/render-flags.js'), import('../../src/cli/plan-render.js'), import('../../src/cli/write-compose.js'),
    ])
    const {set = [], host, locale, output, name} = this.flags
    return planRender({
      definition, host, locale,
      name: name ?? definition.name,
      given: readSetFlags(definition, set),
      urls: readUrlFlags(definition, this.#urls.filter((url) => !isInstanceUrl(url))),
      variables: output === undefined ? new Map() : await readVariables(output),
      random: randomBytes,
      nowMs: this.io.now(),
    })
  }

  async #write(folder: string, plan: RenderPlan): Promise<object> {
    requireServices(plan)
    const {writeCompose} = await import('../../src/cli/write-compose.js')
    const {composeFile, files, notes} = await writeCompose(folder, plan, {force: this.flags.force})
    for (const note of notes) this.out.note(toPrintable(note))
    for (const file of files) this.log(toPrintable(file))
    this.out.note(`start it with: docker-compose -f ${composeFile} up -d`)
    return {folder, files, notes, app: plan.masked}
  }

  async #printCompose(plan: RenderPlan): Promise<object> {
    requireServices(plan)
    const {needsFolder} = await import('../../src/catalog/compose-paths.js')
    if (needsFolder(plan.whole)) {
      throw new Fault('USAGE', `${plan.whole.name} mounts files or builds images, which a Compose file alone can not hold: give --output DIR`, {
        suggestions: [`apps render ${this.args.app} --output ./${plan.whole.slug}`],
      })
    }
    const {text, notes} = plan.compose(this.flags.reveal ? 'values' : 'variables')
    const variables = this.flags.reveal ? [] : [...plan.variables.keys()]
    if (!this.jsonEnabled()) await this.out.write(text)
    for (const note of notes) this.out.note(toPrintable(note))
    if (variables.length > 0) this.out.note(`set ${variables.join(', ')} before you start it, or use --output or --reveal`)
    return {compose: text, variables, notes, warnings: plan.whole.warnings}
  }
}

function requireServices({whole}: RenderPlan): void {
  if (whole.services.length === 0) throw new Fault('USAGE', `${whole.name} has no services, so there is nothing to put into a Compose file`, {suggestions: [`apps render ${whole.id}`]})
}
