import * as Args from '@oclif/core/args'
import {boolean} from '@oclif/core/flags'
import {BaseCommand} from '../../src/cli/base-command.js'

export default class AppsUpload extends BaseCommand<typeof AppsUpload> {
  static override summary = 'upload an app definition for your organization; one with the same id is replaced'
  static override description = 'The definition is checked here first: errors stop it, warnings are shown. What the instance does not know of it is kept and not read. Its article goes with it.'
  static override args = {file: Args.string({description: 'definition to upload, or - for stdin', required: true, ignoreStdin: true})}
  static override flags = {check: boolean({description: 'look for mistakes before it is sent', default: true, allowNo: true})}
  static override examples = [
    {description: 'upload a definition', command: '<%= config.bin %> <%= command.id %> my-tool.json'},
    {description: 'from another program, as it is', command: 'make-app | <%= config.bin %> <%= command.id %> - --no-check'},
  ]

  async run(): Promise<object> {
    const {explainRefusal, readUpload} = await import('../../src/cli/check-upload.js')
    const {definition, findings} = await readUpload(this.args.file, this.flags.check, {
      engine: this.config.version, stdin: this.io.stdin, signal: this.signal, out: this.out,
    })
    const {data} = await this.api.apps.upload({body: definition}, {signal: this.signal}).catch((error: unknown) => {
      throw explainRefusal(error, this.args.file)
    })
    const told = new Set(findings.map(({path}) => path))
    for (const pointer of data.unknownKeys) if (!told.has(pointer)) this.out.warn(`${pointer} is kept, but this instance does not read it`)
    this.log(`${data.appId} is ${data.replaced ? 'replaced' : 'uploaded'}`)
    this.out.note(`look at it with: ${this.config.bin} apps show ${data.appId}`)
    return {...data, findings}
  }
}
