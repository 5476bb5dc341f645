import * as Args from '@oclif/core/args'
import {boolean, option, string} from '@oclif/core/flags'
import {importCompose, type ComposeInput} from '../../src/catalog/compose-import/import-compose.js'
import {toAppId} from '../../src/catalog/name-texts.js'
import {categories} from '../../src/catalog/definition.js'
import {BaseCommand} from '../../src/cli/base-command.js'
import {readComposeSource} from '../../src/cli/compose-source.js'
import {definitionPlace, definitionText, nextSteps, placeSchema, writeNewFile, type DefinitionPlace} from '../../src/cli/definition-place.js'
import {importLines} from '../../src/cli/import-text.js'
import {Fault} from '../../src/contract/faults.js'

export default class AppsImport extends BaseCommand<typeof AppsImport> {
  static override summary = 'make an app definition to start from out of a Compose file'
  static override description =
    'Variables come from .env beside the file. Secrets are found by their names and generated, other variables become settings, small files and builds are copied in. What can not be carried over is listed.'
  static override args = {file: Args.string({description: 'Compose file, a folder that holds one, or - for stdin', required: true})}
  static override flags = {
    output: string({char: 'o', description: 'write the definition to this file instead of stdout', helpValue: 'FILE'}),
    force: boolean({description: 'replace the file if it is there'}),
    id: string({description: 'id of the app (the file name, or the name of the project unless given)'}),
    name: string({description: 'title of the app'}),
    description: string({description: 'one line about the app'}),
    category: option({options: categories})({description: 'shelf of the catalog (other unless given)'}),
    'env-file': string({description: 'values of variables, in place of .env', helpValue: 'FILE', multiple: true, multipleNonGreedy: true}),
    profile: string({description: 'carry over the services of this profile, too', helpValue: 'NAME', multiple: true, multipleNonGreedy: true}),
  }
  static override examples = [
    {description: 'into a file', command: '<%= config.bin %> <%= command.id %> docker-compose.yml --output apps/paste-box.json'},
    {description: 'from stdin to stdout', command: 'curl -fsS https://example.com/compose.yml | <%= config.bin %> <%= command.id %> - --name "Paste Box" --category other'},
  ]

  async run(): Promise<object> {
    const {output, profile, 'env-file': envFiles = []} = this.flags
    const place = output === undefined || output === '-' ? undefined : definitionPlace(output)
    const source = await readComposeSource(this.args.file, envFiles, this.prompts)
    const {definition, notes} = importCompose({...source, profiles: profile, identity: this.#identity(place)})
    for (const line of importLines({definition, notes}, this.out.paintNote)) this.out.note(line)
    if (place === undefined) {
      this.out.print(definitionText(definition).trimEnd())
      return {definition, notes}
    }
    const text = definitionText({$schema: place.schemaReference, ...definition})
    await writeNewFile(place.file, text, this.flags.force)
    const hasSchema = await placeSchema(place, this.config.root)
    this.out.print(place.file)
    for (const line of nextSteps(place, {bin: this.config.bin, hasSchema})) this.out.note(line)
    return {file: place.file, definition, notes}
  }

  // A file is named after its app.
  #identity(place: DefinitionPlace | undefined): ComposeInput['identity'] {
    const {id = place?.id, name, description, category} = this.flags
    if (place !== undefined && id !== place.id) throw new Fault('USAGE', `the file of ${id ?? ''} is called ${id ?? ''}.json, not ${place.id}.json`, {details: {id, file: place.file}})
    if (id !== undefined && toAppId(id) !== id) {
      throw new Fault('USAGE', `an id is lower-case letters and digits, joined by single hyphens, not ${JSON.stringify(id)}`, {suggestions: [], details: {id}})
    }
    return {...(id !== undefined && {id}), ...(name !== undefined && {name}), ...(description !== undefined && {description}), ...(category !== undefined && {category})}
  }
}
