import * as Args from '@oclif/core/args'
import {string} from '@oclif/core/flags'
import {BaseCommand} from '../../src/cli/base-command.js'
import {getServer} from '../../src/cli/find-by-name.js'
import {forRun} from '../../src/cli/get-run.js'
import {saveBytes} from '../../src/cli/save-bytes.js'
import {Fault} from '../../src/contract/faults.js'

export default class RunsOutput extends BaseCommand<typeof RunsOutput> {
  static override summary = 'download the whole output of a run, the bytes as they came'
  static override args = {run: Args.string({description: 'id of the run', required: true})}
  static override flags = {
    server: string({char: 's', description: 'only of this server'}),
    file: string({char: 'o', description: 'write it to this file instead of stdout', helpValue: 'FILE'}),
  }
  static override examples = [
    {description: 'into a file', command: '<%= config.bin %> <%= command.id %> jrun_Qm9nX2tlZXAxMjM0 --file backup.log'},
    {description: 'into another program', command: '<%= config.bin %> <%= command.id %> jrun_Qm9nX2tlZXAxMjM0 | grep ERROR'},
  ]

  async run(): Promise<object | undefined> {
    const {file, server} = this.flags
    if (file === undefined && this.jsonEnabled()) throw new Fault('USAGE', 'with --json the output needs a place of its own: give --file')
    const serverId = server === undefined ? undefined : (await getServer(this.api, server, this.signal)).id
    const runId = this.args.run
    const download = await forRun(runId, () => this.api.jobs.runOutput({params: {runId}, query: {serverId}}, {signal: this.signal}))
    if (file === undefined) {
      for await (const bytes of download.bytes) await this.out.write(bytes)
      return undefined
    }
    const sizeBytes = await saveBytes(download.bytes, file)
    this.out.note(`${sizeBytes} bytes written to ${file}`)
    return {runId, file, sizeBytes}
  }
}
