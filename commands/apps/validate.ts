import * as Args from '@oclif/core/args'
import {boolean, string} from '@oclif/core/flags'
import {BaseCommand, type JsonResult} from '../../src/cli/base-command.js'
import {checkDefinitions, type Check, type CheckResult} from '../../src/cli/validate/check-definitions.js'
import {formatOf, formats, printMended, printReport, reportFault} from '../../src/cli/validate/print-report.js'
import {readAllBytes} from '../../src/cli/validate/read-stdin.js'
import {hasFailed, summarize, toDocument} from '../../src/cli/validate/report.js'
import {getRule} from '../../src/cli/validate/rule-text.js'
import {watchDefinitions} from '../../src/cli/validate/watch-definitions.js'

export default class AppsValidate extends BaseCommand<typeof AppsValidate> {
  static override summary = 'check app definitions: every problem with its place, and what to write instead'
  static override description = 'Takes files, folders, globs and - for stdin; without any the folder catalog, else this folder. Needs no daemon. Ends with 1 when there are errors.'
  static override args = {path: Args.string({description: 'file, folder, glob or -', multiple: true, ignoreStdin: true})}
  static override flags = {
    strict: boolean({description: 'fail on warnings, too'}),
    format: string({description: 'how findings are written', options: [...formats], default: 'pretty', helpValue: 'FORMAT'}),
    fix: boolean({description: 'mend what is safe to mend: misspelt keys, trailing commas, repeated entries'}),
    'dry-run': boolean({description: 'with --fix: show the difference and change nothing', dependsOn: ['fix']}),
    watch: boolean({description: 'check again with every change, until interrupted', exclusive: ['fix']}),
    rule: string({description: 'look for this rule only; can be repeated', multiple: true, multipleNonGreedy: true, helpValue: 'ID'}),
    ignore: string({description: 'leave this rule out; can be repeated', multiple: true, multipleNonGreedy: true, helpValue: 'ID'}),
  }
  static override examples = [
    {description: 'check a catalog as strictly as can be', command: '<%= config.bin %> <%= command.id %> catalog --strict'},
    {description: 'what a definition made by another program is worth', command: 'make-app | <%= config.bin %> <%= command.id %> -'},
    {description: 'see what would be mended', command: '<%= config.bin %> <%= command.id %> paste.json --fix --dry-run'},
    {description: 'annotate a pull request', command: '<%= config.bin %> <%= command.id %> --format github'},
  ]

  // The document of --format json is that of --json, and so is that of a failure.
  override jsonEnabled(): boolean {
    return super.jsonEnabled() || formatOf(this.argv) === 'json'
  }

  async run(): Promise<JsonResult> {
    const {rule: only = [], ignore: ignored = [], fix, watch, strict} = this.flags
    for (const id of [...only, ...ignored]) getRule(id)
    const check: Check = {
      paths: this.args.path ?? [], choice: {only, ignored}, fix, dryRun: this.flags['dry-run'], engine: this.config.version, signal: this.signal,
      readStdin: () => readAllBytes(this.io.stdin, this.signal),
    }
    if (watch) return this.#watch(check)
    const {files, mended} = await checkDefinitions(check)
    await this.#print({files, mended})
    if (hasFailed(summarize(files), strict)) throw reportFault(files, mended)
    return toDocument(files, mended)
  }

  async #print({files, mended}: CheckResult): Promise<void> {
    const {format, quiet, strict} = this.flags
    printMended(mended, {out: this.out, format, dryRun: this.flags['dry-run']})
    await printReport(files, {out: this.out, format, quiet, strict, version: this.config.version})
  }

  async #watch(check: Check): Promise<undefined> {
    this.streaming = true
    await watchDefinitions(check, {
      onResult: async (result) => {
        if (this.out.json) return this.out.emit({type: 'report', ...toDocument(result.files)})
        await this.#print(result)
        this.out.note('waiting for changes; Ctrl-C ends')
      },
      onFault: ({message}) => this.out.warn(message),
    })
    return undefined
  }
}
