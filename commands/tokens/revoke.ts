import * as Args from '@oclif/core/args'
import {BaseCommand} from '../../src/cli/base-command.js'
import {getToken} from '../../src/cli/find-by-name.js'
import {yesFlag} from '../../src/cli/global-flags.js'

export default class TokensRevoke extends BaseCommand<typeof TokensRevoke> {
  static override summary = 'revoke a token: it ends at once, open streams too'
  static override args = {token: Args.string({description: 'id, name or first characters of the token', required: true})}
  static override flags = {yes: yesFlag}
  static override examples = [{description: 'end a token', command: '<%= config.bin %> <%= command.id %> pipeline --yes'}]

  async run(): Promise<object> {
    const token = await getToken(this.api, this.args.token, this.signal)
    await this.prompts.confirm(`Revoke the token ${token.name} (${token.id})?`, this.flags.yes)
    const {data} = await this.api.tokens.revoke({params: {id: token.id}}, {signal: this.signal})
    this.log(`the token ${token.name} is revoked`)
    return {id: token.id, name: token.name, ...data}
  }
}
