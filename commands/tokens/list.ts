import {boolean} from '@oclif/core/flags'
import {BaseCommand} from '../../src/cli/base-command.js'
import {listFlags} from '../../src/cli/global-flags.js'
import {cutList} from '../../src/cli/list-pages.js'

export default class TokensList extends BaseCommand<typeof TokensList> {
  static override summary = 'list your access tokens'
  static override flags = {limit: listFlags.limit, all: listFlags.all, revoked: boolean({description: 'also those that were revoked'})}
  static override examples = [{description: 'list tokens with their last use', command: '<%= config.bin %> <%= command.id %>'}]

  async run(): Promise<object> {
    const {data} = await this.api.tokens.list({}, {signal: this.signal})
    const result = cutList(this.flags.revoked ? data : data.filter((token) => token.revokedAt === null), this.flags)
    this.out.table(
      [
        {heading: 'ID', value: (token) => token.id, whole: true},
        {heading: 'NAME', value: (token) => token.name},
        {heading: 'BEGINS', value: (token) => token.tokenPrefix},
        {heading: 'MAY', value: (token) => `${token.readOnly ? 'read' : 'change'}${token.scoped ? ', limited' : ''}`},
        {heading: 'LAST USED', value: (token) => token.lastUsedAt, kind: 'time'},
        {heading: 'ENDS', value: (token) => token.revokedAt ?? token.expiresAt, kind: 'time'},
      ],
      result.items,
      'no tokens',
    )
    return result
  }
}
