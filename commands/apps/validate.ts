import * as Args from '@oclif/core/args'
import {boolean, string} from '@oclif/core/flags'
import {BaseCommand} from '../../src/cli/base-command.js'
import {checkFiles, type CheckedFile} from '../../src/cli/validate/read-definitions.js'
import {findDefinitionFiles} from '../../src/cli/validate/definition-files.js'
import {formatOf, formats, printReport, reportFault} from '../../src/cli/validate/print-report.js'
import {chooseFindings, hasFailed, summarize, toDocument} from '../../src/cli/validate/report.js'
import {readAllBytes} from '../../src/cli/validate/read-stdin.js'

export default class AppsValidate extends BaseCommand<typeof AppsValidate> {
  static override summary = 'check app definitions: every problem with its place, and what to write instead'
  static override description = 'Takes files, folders, globs and - for stdin; without any the folder catalog, else this folder. Needs no daemon. Ends with 1 when there are errors.'
  static override args = {path: Args.string({description: 'file, folder, glob or -', multiple: true, ignoreStdin: true})}
  static override flags = {
    strict: boolean({description: 'fail on warnings, too'}),
    format: string({description: 'how findings are written', options: [...formats], default: 'pretty', helpValue: 'FORMAT'}),
    rule: string({description: 'look for this rule only; can be repeated', multiple: true, multipleNonGreedy: true, helpValue: 'ID'}),
    ignore: string({description: 'leave this rule out; can be repeated', multiple: true, multipleNonGreedy: true, helpValue: 'ID'}),
  }
  static override examples = [
    {description: 'check a catalog as strictly as can be', command: '<%= config.bin %> <%= command.id %> catalog --strict'},
    {description: 'what a definition made by another program is worth', command: 'make-app | <%= config.bin %> <%= command.id %> -'},
    {description: 'annotate a pull request', command: '<%= config.bin %> <%= command.id %> --format github'},
  ]

  // The document of --format json is that of --json, and so is that of a failure.
  override jsonEnabled(): boolean {
    return super.jsonEnabled() || formatOf(this.argv) === 'json'
  }

  async run(): Promise<object> {
    const files = await this.#check()
    await printReport(files, {out: this.out, format: this.flags.format, quiet: this.flags.quiet, version: this.config.version})
    if (hasFailed(summarize(files), this.flags.strict)) throw reportFault(files)
    return toDocument(files)
  }

  async #check(): Promise<CheckedFile[]> {
    const {rule: only = [], ignore: ignored = []} = this.flags
    const files = await findDefinitionFiles(this.args.path ?? [])
    const readStdin = (): Promise<Buffer> => readAllBytes(this.io.stdin, this.signal)
    return chooseFindings(await checkFiles(files, {engine: this.config.version, readStdin, signal: this.signal}), {only, ignored})
  }
}
