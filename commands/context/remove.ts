import * as Args from '@oclif/core/args'
import {BaseCommand} from '../../src/cli/base-command.js'
import {yesFlag} from '../../src/cli/global-flags.js'
import {getContext, readContexts, withoutContext, writeContexts} from '../../src/config/contexts.js'

export default class ContextRemove extends BaseCommand<typeof ContextRemove> {
  static override summary = 'remove a context and the token it holds'
  static override args = {name: Args.string({description: 'name of the context', required: true})}
  static override flags = {yes: yesFlag}
  static override examples = [{description: 'forget an instance', command: '<%= config.bin %> <%= command.id %> production --yes'}]

  async run(): Promise<object> {
    const contexts = await readContexts(this.paths.contextsFile)
    const context = getContext(contexts, this.args.name, 'the command')
    await this.prompts.confirm(`Remove the context ${this.args.name} (${context.url}) with its token?`, this.flags.yes)
    const left = withoutContext(contexts, this.args.name)
    await writeContexts(this.paths.contextsFile, left)
    this.log(`the context ${this.args.name} is removed`)
    if (contexts.current === this.args.name) this.out.note('no context is current now: commands use the daemon of this machine')
    return {removed: this.args.name, current: left.current}
  }
}
