import * as Args from '@oclif/core/args'
import {boolean, integer, option, string} from '@oclif/core/flags'
import {existsSync} from 'node:fs'
import path from 'node:path'
import {categories} from '../../src/catalog/definition.js'
import {databaseKinds} from '../../src/catalog/new-app-databases.js'
import {scaffoldApp, scaffoldArticle} from '../../src/catalog/new-app.js'
import {askNewApp} from '../../src/cli/ask-new-app.js'
import {BaseCommand} from '../../src/cli/base-command.js'
import {definitionPlace, definitionText, nextSteps, placeSchema, writeNewFile, type DefinitionPlace} from '../../src/cli/definition-place.js'
import {Fault} from '../../src/contract/faults.js'

export default class AppsNew extends BaseCommand<typeof AppsNew> {
  static override summary = 'start an app definition: asks a few questions and writes the files'
  static override description =
    'Writes the definition, its article (articles/<id>.md) and, where there is none yet, the schema that editors read (app.schema.json). On a terminal it asks for what no flag says; elsewhere it needs --name, --description and --image or --build.'
  static override args = {file: Args.string({description: 'file to write, named after the id (apps/<id>.json unless given)'})}
  static override flags = {
    id: string({description: 'id of the app (made of the name unless given)'}),
    name: string({description: 'title of the app'}),
    description: string({description: 'one line about the app'}),
    category: option({options: categories})({description: 'shelf of the catalog (other unless given)'}),
    logo: string({description: 'name of an icon of Simple Icons (docker unless given)', helpValue: 'SLUG'}),
    image: string({description: 'image with its version', exclusive: ['build']}),
    build: boolean({description: 'start with a Dockerfile in the definition instead of an image'}),
    port: integer({description: 'port that the app listens on (8080 unless given; 80 with --build)'}),
    'data-path': string({description: 'folder in the container that holds its data', helpValue: 'PATH'}),
    database: option({options: databaseKinds})({description: 'service beside it, with a generated password (none unless given)'}),
    secret: string({description: 'environment key of a secret to generate', helpValue: 'KEY', multiple: true, multipleNonGreedy: true}),
    force: boolean({description: 'replace the files if they are there'}),
  }
  static override examples = [
    {description: 'with questions', command: '<%= config.bin %> <%= command.id %>'},
    {
      description: 'without any',
      command: '<%= config.bin %> <%= command.id %> apps/paste-box.json --name "Paste Box" --description "Share snippets of text." --image ghcr.io/example/paste-box:1.4.2 --port 8090 --database postgres --secret SECRET_KEY',
    },
  ]

  async run(): Promise<object> {
    const given = this.args.file === undefined ? undefined : definitionPlace(this.args.file)
    if (given !== undefined) this.#check(given)
    const app = await askNewApp(this.flags, {
      prompts: this.prompts, out: this.out, fileId: given?.id,
      checkId: (id) => this.#check(given ?? definitionPlace(path.join('apps', `${id}.json`)), id),
    })
    const place = given ?? definitionPlace(path.join('apps', `${app.id}.json`))
    const article = path.join(place.catalogFolder, 'articles', `${app.id}.md`)
    const definition = {$schema: place.schemaReference, ...scaffoldApp(app)}
    await writeNewFile(place.file, definitionText(definition), this.flags.force)
    await writeNewFile(article, scaffoldArticle(app), this.flags.force)
    const hasSchema = await placeSchema(place, this.config.root)
    for (const file of [place.file, article]) this.out.print(file)
    for (const line of nextSteps(place, {bin: this.config.bin, hasSchema})) this.out.note(line)
    return {file: place.file, article, schema: place.schemaFile, definition}
  }

  // Before the questions: nobody answers nine of them for nothing.
  #check({file, id: fileId, catalogFolder}: DefinitionPlace, id = fileId): void {
    if (id !== fileId) throw new Fault('USAGE', `the file of ${id} is called ${id}.json, not ${fileId}.json`, {details: {id, file}})
    const there = [file, path.join(catalogFolder, 'articles', `${id}.md`)].find((one) => existsSync(one))
    if (there !== undefined && !this.flags.force) throw new Fault('CONFLICT', `${there} is there already; --force replaces it`, {details: {file: there}})
  }
}
