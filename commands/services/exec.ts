import * as Args from '@oclif/core/args'
import {string} from '@oclif/core/flags'
import {BaseCommand} from '../../src/cli/base-command.js'
import {duration} from '../../src/cli/global-flags.js'
import {getServiceOf} from '../../src/cli/service-ref.js'
import {toShellText} from '../../src/cli/shell-quote.js'
import {Fault} from '../../src/contract/faults.js'

const defaultLimitMs = 30_000
const graceMs = 30_000

export default class ServicesExec extends BaseCommand<typeof ServicesExec> {
  static override summary = 'run a command in the container of a service and show its output'
  static override description = 'One word after -- is read by the shell of the container, several are taken as they are. It gets no input. Ends with the exit code of the command, and with 1 when it took too long.'
  static override strict = false
  static override args = {service: Args.string({description: 'PROJECT/SERVICE; the project alone where it has one service', required: true})}
  static override flags = {
    directory: string({description: 'folder to run in', helpValue: 'PATH'}),
    'run-timeout': duration({description: 'how long the command may take (30s unless given, at most 2m)'}),
  }
  static override examples = [
    {description: 'look around', command: '<%= config.bin %> <%= command.id %> shop/web -- ls -l /srv'},
    {description: 'shell text', command: `<%= config.bin %> <%= command.id %> shop/db -- 'pg_dump shop | wc -c'`},
  ]
  static override fieldFlags = {command: 'COMMAND', cwd: '--directory', timeoutMs: '--run-timeout'}

  #exitCode: number | null = null

  async run(): Promise<object> {
    const words = this.words.slice(1)
    if (words.length === 0) throw new Fault('USAGE', 'the command to run is missing: give it after --')
    const {project, service, params} = await getServiceOf(this.api, this.args.service, this.signal)
    const {directory, 'run-timeout': limitMs} = this.flags
    const body = {command: toShellText(words), ...(directory !== undefined && {cwd: directory}), ...(limitMs !== undefined && {timeoutMs: limitMs})}
    const {data} = await this.api.services.exec({params, body}, {signal: this.signal, timeoutMs: (limitMs ?? defaultLimitMs) + graceMs})
    if (!this.jsonEnabled()) {
      await this.out.write(data.output)
      if (data.truncated) this.out.warn('the output was longer than shown')
    }
    if (data.exitCode === 0) return data
    this.#exitCode = data.exitCode
    const why = data.timedOut ? 'took too long and was ended' : `ended with exit code ${data.exitCode ?? 'unknown'}`
    throw new Fault('RUN_FAILED', `the command in ${project.slug}/${service.name} ${why}`, {details: {...data}})
  }

  // Whoever runs a command elsewhere wants its own answer; what failed is told all the same.
  protected override async catch(error: unknown): Promise<void> {
    await super.catch(error)
    if (this.#exitCode !== null) this.io.setExitCode(this.#exitCode)
  }
}
