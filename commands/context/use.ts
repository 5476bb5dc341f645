import * as Args from '@oclif/core/args'
import {BaseCommand} from '../../src/cli/base-command.js'
import {getContext, readContexts, writeContexts} from '../../src/config/contexts.js'

export default class ContextUse extends BaseCommand<typeof ContextUse> {
  static override summary = 'make a context the current one'
  static override args = {name: Args.string({description: 'name of the context', required: true})}
  static override examples = [{description: 'go on with another instance', command: '<%= config.bin %> <%= command.id %> production'}]

  async run(): Promise<object> {
    const contexts = await readContexts(this.paths.contextsFile)
    const context = getContext(contexts, this.args.name, 'the command')
    await writeContexts(this.paths.contextsFile, {...contexts, current: this.args.name})
    this.log(`commands now go to ${context.url}`)
    return {name: this.args.name, url: context.url}
  }
}
