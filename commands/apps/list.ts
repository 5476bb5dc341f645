import {BaseCommand} from '../../src/cli/base-command.js'
import {appColumns} from '../../src/cli/app-text.js'
import {appListFields, appListFlags, listApps} from '../../src/cli/list-apps.js'

export default class AppsList extends BaseCommand<typeof AppsList> {
  static override summary = 'list the apps that can be installed, those of your organization last'
  static override flags = appListFlags
  static override examples = [
    {description: 'databases that can be installed now', command: '<%= config.bin %> <%= command.id %> --category database --installable'},
    {description: 'what your organization uploaded', command: '<%= config.bin %> <%= command.id %> --custom'},
  ]
  static override fieldFlags = appListFields

  async run(): Promise<object> {
    const result = await listApps(this.api, this.flags, {signal: this.signal})
    this.out.table(appColumns, result.items, 'no apps')
    if (result.items.length < result.total) this.out.note(`${result.items.length} of ${result.total} apps`)
    return result
  }
}
