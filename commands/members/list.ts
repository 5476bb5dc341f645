import {BaseCommand} from '../../src/cli/base-command.js'
import {listFlags} from '../../src/cli/global-flags.js'
import {cutList} from '../../src/cli/list-pages.js'

export default class MembersList extends BaseCommand<typeof MembersList> {
  static override summary = 'list the members of the organization'
  static override flags = {limit: listFlags.limit, all: listFlags.all}
  static override examples = [{description: 'list members and their roles', command: '<%= config.bin %> <%= command.id %>'}]

  async run(): Promise<object> {
    const {data} = await this.api.members.list({}, {signal: this.signal})
    const result = cutList(data, this.flags)
    this.out.table(
      [
        {heading: 'ID', value: (member) => member.id, whole: true},
        {heading: 'NAME', value: (member) => member.name},
        {heading: 'EMAIL', value: (member) => member.email},
        {heading: 'ROLE', value: (member) => member.role},
        {heading: 'SINCE', value: (member) => member.createdAt, kind: 'time'},
      ],
      result.items,
      'no members',
    )
    return result
  }
}
