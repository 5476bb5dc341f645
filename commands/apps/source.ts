import {boolean} from '@oclif/core/flags'
import {BaseCommand} from '../../src/cli/base-command.js'
import {Fault} from '../../src/contract/faults.js'

export default class AppsSource extends BaseCommand<typeof AppsSource> {
  static override summary = 'show where the catalog comes from, and whether its source can be read'
  static override flags = {refresh: boolean({description: 'fetch the catalog now; fails where that is not possible'})}
  static override examples = [
    {description: 'where the catalog comes from', command: '<%= config.bin %> <%= command.id %>'},
    {description: 'fetch it now', command: '<%= config.bin %> <%= command.id %> --refresh'},
  ]

  async run(): Promise<object> {
    const options = {signal: this.signal}
    const {data} = await (this.flags.refresh ? this.api.apps.refresh({}, options) : this.api.apps.source({}, options))
    const {failure} = data
    if (this.flags.refresh && failure !== null) {
      throw new Fault('CATALOG_UNREACHABLE', `${failure.message}; ${data.origin === 'remote' ? 'the copy that was fetched before' : 'the bundled catalog'} is served on`, {
        details: {source: data}, suggestions: ['apps source'],
      })
    }
    this.out.fields([
      ['origin', data.origin],
      ['address', data.url],
      ['apps', data.apps],
      ['fetched', data.fetchedAt],
      ['last attempt', data.checkedAt],
      ['failing since', failure?.since],
      ['failure', failure?.message],
      ['left out', data.skipped.length],
    ])
    if (data.url === null) this.out.note('no address is set: daemon run --catalog-url, or MOORAGE_CATALOG_URL, names one')
    for (const {id, reason} of data.skipped) this.out.warn(`${id ?? 'an entry without an id'} is left out: ${reason}`)
    return data
  }
}
