import * as Args from '@oclif/core/args'
import {boolean, integer, string} from '@oclif/core/flags'
import {BaseCommand} from '../../src/cli/base-command.js'
import {parseGrant} from '../../src/cli/parse-grant.js'
import {Fault} from '../../src/contract/faults.js'

export default class TokensCreate extends BaseCommand<typeof TokensCreate> {
  static override summary = 'create an access token; its secret is shown this once'
  static override description = 'Give --grant for each thing the token may do, or --full-access for all that you may do yourself. To run a job takes write on jobs and admin on its servers.'
  static override args = {name: Args.string({description: 'what it is for', required: true})}
  static override flags = {
    grant: string({
      description: 'what it may do: kind of resource, id or *, permissions', helpValue: 'TYPE:ID:PERMISSIONS', multiple: true, multipleNonGreedy: true,
      exclusive: ['full-access'],
    }),
    'full-access': boolean({description: 'no limits of its own'}),
    'read-only': boolean({description: 'it can change nothing'}),
    'expires-in-days': integer({description: 'days until it ends, 1 to 365; never unless given', helpValue: 'N'}),
  }
  static override examples = [
    {description: 'for a pipeline that starts jobs', command: `<%= config.bin %> <%= command.id %> pipeline --grant 'job:*:write' --grant 'server:*:admin' --expires-in-days 90`},
    {description: 'for a dashboard', command: '<%= config.bin %> <%= command.id %> dashboard --full-access --read-only'},
  ]
  static override fieldFlags = {name: 'NAME', expiresInDays: '--expires-in-days', grants: '--grant'}

  async run(): Promise<object> {
    const {grant, 'full-access': fullAccess, 'read-only': readOnly, 'expires-in-days': expiresInDays} = this.flags
    if (grant === undefined && !fullAccess) throw new Fault('TOKEN_SCOPE_REQUIRED', 'what the token may do is missing: give --grant or --full-access', {suggestions: ['tokens create --help']})
    const body = {
      name: this.args.name, readOnly,
      ...(expiresInDays !== undefined && {expiresInDays}),
      ...(grant !== undefined && {grants: grant.map(parseGrant)}),
      ...(fullAccess && {fullAccess}),
    }
    const {data} = await this.api.tokens.create({body}, {signal: this.signal})
    this.log(data.token)
    this.out.note(`this is the only time the token ${data.name} (${data.id}) is shown; ${data.expiresAt === null ? 'it never ends' : `it ends ${data.expiresAt}`}`)
    return data
  }
}
