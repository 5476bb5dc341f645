import * as Args from '@oclif/core/args'
import {boolean, string} from '@oclif/core/flags'
import {BaseCommand} from '../../src/cli/base-command.js'
import {getServer, serverName} from '../../src/cli/find-by-name.js'
import {duration} from '../../src/cli/global-flags.js'
import {Fault} from '../../src/contract/faults.js'

const defaultLimitMs = 60_000
const graceMs = 30_000

export default class ServersExec extends BaseCommand<typeof ServersExec> {
  static override summary = 'run one short command on a server and show its output'
  static override description = 'For anything longer make a job: it survives a lost connection and keeps its output. Ends with 1 when the command fails.'
  static override args = {
    server: Args.string({description: 'id or name of the server', required: true}),
    command: Args.string({description: 'what to run, as the shell of the server reads it'}),
  }
  static override flags = {
    command: string({char: 'c', description: 'what to run, instead of the second argument'}),
    sudo: boolean({description: 'run as root'}),
    directory: string({description: 'folder to run in', helpValue: 'PATH'}),
    'run-timeout': duration({description: 'how long the command may take (60s unless given, at most 10m)'}),
  }
  static override examples = [
    {description: 'look at the disks', command: `<%= config.bin %> <%= command.id %> web-1 'df -h'`},
    {description: 'as root', command: `<%= config.bin %> <%= command.id %> web-1 'systemctl restart nginx' --sudo`},
  ]
  static override fieldFlags = {command: 'COMMAND', cwd: '--directory', timeoutMs: '--run-timeout'}

  async run(): Promise<object> {
    const command = this.flags.command ?? this.args.command
    if (command === undefined) throw new Fault('USAGE', 'the command to run is missing')
    const server = await getServer(this.api, this.args.server, this.signal)
    const {directory, 'run-timeout': limitMs, sudo} = this.flags
    const body = {command, sudo, ...(directory !== undefined && {cwd: directory}), ...(limitMs !== undefined && {timeoutMs: limitMs})}
    const timeoutMs = (limitMs ?? defaultLimitMs) + graceMs
    const {data} = await this.api.servers.exec({params: {id: server.id}, body}, {signal: this.signal, timeoutMs})
    if (!this.jsonEnabled()) {
      await this.out.write(data.stdout)
      this.io.stderr.write(data.stderr)
      if (data.truncated) this.out.warn('the output was longer than shown')
    }
    if (data.exitCode === 0) return data
    const why = data.timedOut ? 'took too long and was ended' : data.signal === null ? `ended with exit code ${data.exitCode}` : `was ended by ${data.signal}`
    throw new Fault('RUN_FAILED', `the command on ${serverName(server)} ${why}`, {details: {...data}})
  }
}
