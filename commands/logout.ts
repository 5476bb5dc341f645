import {BaseCommand} from '../src/cli/base-command.js'
import {getContext, readContexts, withContext, writeContexts} from '../src/config/contexts.js'

export default class Logout extends BaseCommand<typeof Logout> {
  static override summary = 'forget the token of a context; the token itself stays valid until it is revoked'
  static override examples = [
    {description: 'forget the token of the current context', command: '<%= config.bin %> <%= command.id %>'},
    {description: 'of another one', command: '<%= config.bin %> <%= command.id %> --context production'},
  ]

  async run(): Promise<object> {
    const contexts = await readContexts(this.paths.contextsFile)
    const name = this.flags.context ?? this.environment.context ?? contexts.current
    const context = name === null ? undefined : getContext(contexts, name, this.flags.context === undefined ? 'the current context' : '--context')
    if (name === null || context?.token === undefined) {
      this.out.note('there was no token to forget')
      return {context: name, loggedOut: false}
    }
    const {token: _token, ...rest} = context
    await writeContexts(this.paths.contextsFile, withContext(contexts, name, rest, contexts.current === name))
    this.log(`the token of ${name} is forgotten`)
    this.out.note('it stays valid: revoke it with tokens revoke')
    return {context: name, loggedOut: true}
  }
}
