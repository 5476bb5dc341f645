import {BaseCommand} from '../../src/cli/base-command.js'
import {readContexts} from '../../src/config/contexts.js'

export default class ContextList extends BaseCommand<typeof ContextList> {
  static override summary = 'list the contexts: instances and whether you are signed in'
  static override examples = [{description: 'list contexts', command: '<%= config.bin %> <%= command.id %>'}]

  async run(): Promise<object> {
    const {contexts, current} = await readContexts(this.paths.contextsFile)
    const items = Object.entries(contexts).map(([name, context]) => ({
      name, current: name === current, url: context.url, signedIn: context.token !== undefined, organization: context.organization ?? null,
    }))
    this.out.table(
      [
        {heading: 'NAME', value: (row) => row.name, whole: true},
        {heading: 'CURRENT', value: (row) => row.current},
        {heading: 'URL', value: (row) => row.url},
        {heading: 'SIGNED IN', value: (row) => row.signedIn},
      ],
      items,
      'no contexts: commands use the daemon of this machine',
    )
    return {items, next: null}
  }
}
