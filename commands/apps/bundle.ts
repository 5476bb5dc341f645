import * as Args from '@oclif/core/args'
import {boolean, string} from '@oclif/core/flags'
import {BaseCommand} from '../../src/cli/base-command.js'
import {Fault} from '../../src/contract/faults.js'

export default class AppsBundle extends BaseCommand<typeof AppsBundle> {
  static override summary = 'put app definitions into one catalog file that instances can fetch'
  static override description = 'Takes files, folders and globs; without any the folder catalog, else this folder. Errors stop it; articles are put into the definitions. Serve the file, and give its address to an instance as MOORAGE_CATALOG_URL.'
  static override args = {path: Args.string({description: 'file, folder or glob', multiple: true, ignoreStdin: true})}
  static override flags = {
    output: string({char: 'o', description: 'write it to this file instead of stdout; one that is there is replaced', helpValue: 'FILE'}),
    strict: boolean({description: 'stop at warnings, too'}),
  }
  static override examples = [
    {description: 'a catalog to publish', command: '<%= config.bin %> <%= command.id %> apps --strict --output public/catalog.json'},
  ]

  async run(): Promise<object> {
    const {strict, output, quiet} = this.flags
    const paths = this.args.path ?? []
    if (paths.includes('-')) throw new Fault('USAGE', 'a catalog is made of files and folders, not of stdin')
    const [{bundleCatalog}, {printReport, reportFault}, {hasFailed, summarize}] = await Promise.all([
      import('../../src/cli/bundle-catalog.js'), import('../../src/cli/validate/print-report.js'), import('../../src/cli/validate/report.js'),
    ])
    const {text, ids, files} = await bundleCatalog(paths, {engine: this.config.version, signal: this.signal})
    if (hasFailed(summarize(files), strict)) {
      await printReport(files, {out: this.out, format: 'pretty', quiet, strict, version: this.config.version})
      throw reportFault(files, [])
    }
    if (output === undefined) await this.#print(text)
    else await this.#write(output, text)
    this.out.note(`${ids.length} ${ids.length === 1 ? 'app' : 'apps'}`)
    return {file: output ?? null, ids, ...(output === undefined && {catalog: JSON.parse(text) as unknown})}
  }

  async #print(text: string): Promise<void> {
    if (!this.jsonEnabled()) await this.out.write(text)
  }

  async #write(file: string, text: string): Promise<void> {
    const {writeNewFile} = await import('../../src/cli/definition-place.js')
    await writeNewFile(file, text, true)
    this.log(file)
  }
}
