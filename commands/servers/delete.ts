import * as Args from '@oclif/core/args'
import {boolean} from '@oclif/core/flags'
import {BaseCommand} from '../../src/cli/base-command.js'
import {getServer, serverName} from '../../src/cli/find-by-name.js'
import {yesFlag} from '../../src/cli/global-flags.js'

export default class ServersDelete extends BaseCommand<typeof ServersDelete> {
  static override summary = 'delete a server from this instance; the machine itself is not touched'
  static override args = {server: Args.string({description: 'id or name of the server', required: true})}
  static override flags = {
    force: boolean({description: 'delete although jobs still name it, which can not run any more, or a deployment is going on there, which fails'}),
    'dry-run': boolean({description: 'show what would be left behind and change nothing'}),
    yes: yesFlag,
  }
  static override examples = [
    {description: 'see what would be left behind', command: '<%= config.bin %> <%= command.id %> web-1 --dry-run'},
    {description: 'delete it', command: '<%= config.bin %> <%= command.id %> web-1 --yes'},
  ]

  async run(): Promise<object> {
    const server = await getServer(this.api, this.args.server, this.signal)
    const name = serverName(server)
    const {preview} = await this.api.servers.deletionPreview({params: {id: server.id}}, {signal: this.signal})
    for (const job of preview.jobs) this.out.note(`job ${job.key} (${job.label}) names it`)
    for (const workload of preview.workloads) this.out.note(`${workload.type} ${workload.name} stays on it`)
    for (const run of preview.activeRuns) this.out.note(`run ${run} is going on there`)
    if (this.flags['dry-run']) {
      this.log(`${name} would be deleted: ${preview.jobs.length} jobs, ${preview.workloads.length} workloads, ${preview.activeRuns.length} active runs`)
      return {id: server.id, deleted: false, preview}
    }
    await this.prompts.confirm(`Delete the server ${name} (${server.id})?`, this.flags.yes)
    const query = this.flags.force ? {force: 'true'} : {}
    const result = await this.api.servers.delete({params: {id: server.id}, query}, {signal: this.signal})
    this.log(`${name} is deleted`)
    return {id: server.id, deleted: true, preview, ...result}
  }
}
