import {readFile} from 'node:fs/promises'
import path from 'node:path'
import * as Args from '@oclif/core/args'
import {BaseCommand} from '../src/cli/base-command.js'
import {parseManifest} from '../src/cli/completion.js'
import {renderCompletion, shells} from '../src/cli/completion-scripts.js'
import {Fault} from '../src/contract/faults.js'

export default class Completion extends BaseCommand<typeof Completion> {
  static override summary = 'print a script that completes commands and flags in your shell'
  static override args = {shell: Args.string({description: 'bash, zsh or fish', required: true, options: [...shells]})}
  static override examples = [
    {description: 'in ~/.bashrc', command: 'source <(<%= config.bin %> <%= command.id %> bash)'},
    {description: 'in ~/.zshrc, after compinit', command: 'source <(<%= config.bin %> <%= command.id %> zsh)'},
    {description: 'for fish', command: '<%= config.bin %> <%= command.id %> fish > ~/.config/fish/completions/<%= config.bin %>.fish'},
  ]

  async run(): Promise<object> {
    const shell = shells.find((known) => known === this.args.shell)
    if (shell === undefined) throw new Fault('USAGE', `there is no completion for ${this.args.shell}`)
    const manifest: unknown = JSON.parse(await readFile(path.join(this.config.root, 'oclif.manifest.json'), 'utf8'))
    const topics = new Map(this.config.topics.map(({name, description}) => [name, description ?? '']))
    const script = renderCompletion(shell, this.config.bin, parseManifest(manifest), topics)
    if (!this.jsonEnabled()) await this.out.write(script)
    return {shell, script}
  }
}
