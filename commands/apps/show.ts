import * as Args from '@oclif/core/args'
import {boolean, string} from '@oclif/core/flags'
import {BaseCommand} from '../../src/cli/base-command.js'
import {toPrintable, toPrintableLines} from '../../src/cli/display-width.js'
import type {AppSource} from '../../src/cli/shown-app.js'
import {Fault} from '../../src/contract/faults.js'

export default class AppsShow extends BaseCommand<typeof AppsShow> {
  static override summary = 'show an app as people see it before they install it'
  static override description = 'A file is read here, without a daemon; an id is looked up in the catalog of the instance.'
  static override args = {app: Args.string({description: 'id of an app, a file (with a / or ending in .json), or - for stdin', required: true})}
  static override flags = {
    article: boolean({description: 'print its article, in Markdown'}),
    locale: string({description: 'language of texts that come in several', helpValue: 'LOCALE', default: 'en'}),
  }
  static override examples = [
    {description: 'an app of the catalog', command: '<%= config.bin %> <%= command.id %> umami'},
    {description: 'a definition being written', command: '<%= config.bin %> <%= command.id %> apps/paste-box.json'},
    {description: 'what its page says', command: '<%= config.bin %> <%= command.id %> umami --article'},
  ]

  async run(): Promise<object> {
    const source = await this.#read()
    const article = await source.readArticle()
    if (this.flags.article) return this.#printArticle(source, article)
    const {app, draft, unknownKeys} = source
    const {appCardLines, articleTitle} = await import('../../src/cli/app-card.js')
    for (const line of appCardLines(app, {paint: this.out.paint, locale: this.flags.locale, articleTitle: article === undefined ? undefined : articleTitle(article)})) this.log(line)
    if (unknownKeys.length > 0) this.out.warn(`not known and not read: ${unknownKeys.join(', ')}`)
    if (draft !== null) this.out.note(`an install was begun and never deployed: project ${toPrintable(draft.name)} (${draft.projectId})`)
    return {...app, draft}
  }

  async #read(): Promise<AppSource> {
    const {app} = this.args
    const [{isDefinitionPath}, {readAppFile, readCatalogApp}] = await Promise.all([import('../../src/cli/definition-file.js'), import('../../src/cli/shown-app.js')])
    return isDefinitionPath(app) ? readAppFile(app, this.io.stdin, this.signal) : readCatalogApp(app, this.api, this.signal)
  }

  async #printArticle({app}: AppSource, markdown: string | undefined): Promise<object> {
    if (markdown === undefined) throw new Fault('NOT_FOUND', `${app.name} has no article`, {details: {id: app.id}})
    const text = this.out.terminal ? toPrintableLines(markdown) : markdown
    if (!this.jsonEnabled()) await this.out.write(text.endsWith('\n') ? text : `${text}\n`)
    return {markdown}
  }
}
