import * as Args from '@oclif/core/args'
import {boolean} from '@oclif/core/flags'
import {BaseCommand} from '../../src/cli/base-command.js'
import {parseContextName, readContexts, withContext, writeContexts} from '../../src/config/contexts.js'
import {Fault} from '../../src/contract/faults.js'

export default class ContextAdd extends BaseCommand<typeof ContextAdd> {
  static override summary = 'add a context, or change the address of one'
  static override args = {name: Args.string({description: 'name of the context', required: true})}
  static override flags = {use: boolean({description: 'make it the current one'})}
  static override examples = [
    {description: 'add an instance; sign in later', command: '<%= config.bin %> <%= command.id %> production --url https://ops.example.com --use'},
  ]

  async run(): Promise<object> {
    const name = parseContextName(this.args.name)
    const {url} = this.flags
    if (url === undefined) throw new Fault('USAGE', 'the address is missing: give --url')
    const contexts = await readContexts(this.paths.contextsFile)
    const known = contexts.contexts[name]
    // A token belongs to the address it was given for.
    const {token: _token, ...kept} = known ?? {}
    const base = known?.url === url ? known : kept
    const token = this.flags['token-stdin'] ? await this.readTokenFromStdin() : undefined
    const context = {...base, url, ...(token !== undefined && {token}), ...(this.flags.organization !== undefined && {organization: this.flags.organization})}
    await writeContexts(this.paths.contextsFile, withContext(contexts, name, context, this.flags.use))
    this.log(`the context ${name} is ${url}`)
    return {name, url, current: this.flags.use || contexts.current === name, signedIn: 'token' in context}
  }
}
