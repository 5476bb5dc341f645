import {BaseCommand} from '../../src/cli/base-command.js'
import {listFlags} from '../../src/cli/global-flags.js'
import {cutList} from '../../src/cli/list-pages.js'

export default class JobsEvents extends BaseCommand<typeof JobsEvents> {
  static override summary = 'list the events that can start a job'
  static override flags = {limit: listFlags.limit, all: listFlags.all}
  static override examples = [{description: 'what --trigger-event takes', command: '<%= config.bin %> <%= command.id %>'}]

  async run(): Promise<object> {
    const {data} = await this.api.jobs.triggerEvents({}, {signal: this.signal})
    const result = cutList(data, this.flags)
    this.out.table(
      [
        {heading: 'EVENT', value: (event) => event.id, whole: true},
        {heading: 'MEANING', value: (event) => event.description},
      ],
      result.items,
      'no events',
    )
    return result
  }
}
