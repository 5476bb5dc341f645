import * as Args from '@oclif/core/args'
import {BaseCommand} from '../../src/cli/base-command.js'
import {appColumns} from '../../src/cli/app-text.js'
import {appListFields, appListFlags, listApps} from '../../src/cli/list-apps.js'

export default class AppsSearch extends BaseCommand<typeof AppsSearch> {
  static override summary = 'look for apps by name, description and tags'
  static override args = {text: Args.string({description: 'part of a name, a description or a tag', required: true})}
  static override flags = appListFlags
  static override examples = [
    {description: 'look for apps', command: '<%= config.bin %> <%= command.id %> wiki'},
    {description: 'more than one word, for a script', command: '<%= config.bin %> <%= command.id %> "password manager" --installable --json'},
  ]
  static override fieldFlags = appListFields

  async run(): Promise<object> {
    const result = await listApps(this.api, this.flags, {q: this.args.text, signal: this.signal})
    this.out.table(appColumns, result.items, `no app has ${JSON.stringify(this.args.text)} in its name, description or tags`)
    if (result.items.length < result.total) this.out.note(`${result.items.length} of ${result.total} apps`)
    return result
  }
}
