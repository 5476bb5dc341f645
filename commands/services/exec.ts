import * as Args from '@oclif/core/args'
import {boolean, string} from '@oclif/core/flags'
import {BaseCommand} from '../../src/cli/base-command.js'
import {duration} from '../../src/cli/global-flags.js'
import {getServiceOf, type FoundService} from '../../src/cli/service-ref.js'
import {toShellText} from '../../src/cli/shell-quote.js'
import {Fault} from '../../src/contract/faults.js'

const defaultLimitMs = 30_000
const graceMs = 30_000

export default class ServicesExec extends BaseCommand<typeof ServicesExec> {
  static override summary = 'open a shell in the container of a service, or run a command in it'
  static override description =
    'One word after -- is read by the shell of the container, several are taken as they are. On a terminal the command gets one, and without a command a shell opens. Anywhere else stdin goes to the command, and its stdout and stderr come out as they are, of any length. Ends with the exit code of the command, and with 1 when it took too long. With --json the command gets no input and the start of its output is kept.'
  static override strict = false
  static override args = {service: Args.string({description: 'PROJECT/SERVICE; the project alone where it has one service', required: true})}
  static override flags = {
    tty: boolean({description: 'give the command a terminal, or none (one where stdin and stdout are, unless given)', allowNo: true}),
    user: string({description: 'run as this user of the container', helpValue: 'USER[:GROUP]'}),
    directory: string({description: 'folder to run in', helpValue: 'PATH'}),
    'run-timeout': duration({description: 'how long the command may take (as long as it likes; with --json 30s unless given, at most 2m)'}),
  }
  static override examples = [
    {description: 'a shell', command: '<%= config.bin %> <%= command.id %> shop/web'},
    {description: 'look around', command: '<%= config.bin %> <%= command.id %> shop/web -- ls -l /srv'},
    {description: 'talk to the database', command: '<%= config.bin %> <%= command.id %> shop/db --user postgres -- psql shop'},
    {description: 'take a dump', command: '<%= config.bin %> <%= command.id %> shop/db -- pg_dump shop > shop.sql'},
    {description: 'bring it back', command: '<%= config.bin %> <%= command.id %> shop/db -- psql shop < shop.sql'},
    {description: 'shell text', command: `<%= config.bin %> <%= command.id %> shop/db -- 'pg_dump shop | wc -c'`},
  ]
  static override fieldFlags = {command: 'COMMAND', argv: 'COMMAND', cwd: '--directory', user: '--user', timeoutMs: '--run-timeout'}

  #exitCode: number | null = null

  async run(): Promise<object | undefined> {
    const words = this.words.slice(1)
    if (this.jsonEnabled()) return this.#runShort(words)
    const {hasTerminal, windowSize} = await import('../../src/cli/terminal-session.js')
    const tty = this.flags.tty ?? hasTerminal(this.io)
    if (words.length === 0 && !tty) throw new Fault('USAGE', 'the command to run is missing: give it after --; without one a shell opens, on a terminal')
    const found = await getServiceOf(this.api, this.args.service, this.signal)
    const {user, directory} = this.flags
    const [command] = words
    const query = {
      ...(words.length > 1 ? {argv: [...words]} : command !== undefined && {command}),
      ...(directory !== undefined && {cwd: directory}), ...(user !== undefined && {user}), tty: String(tty), ...(tty && windowSize(this.io)),
    }
    return this.#talk(found, query, tty)
  }

  async #talk({project, service, params}: FoundService, query: object, tty: boolean): Promise<undefined> {
    const {talkOver} = await import('../../src/cli/terminal-session.js')
    const limit = new AbortController()
    const channel = await this.api.services.terminal({params, query}, {signal: AbortSignal.any([this.signal, limit.signal])})
    const name = `${project.slug}/${service.name}`
    const {'run-timeout': limitMs} = this.flags
    const timer = limitMs === undefined ? undefined : setTimeout(() => limit.abort(new Fault('RUN_FAILED', `the command in ${name} took too long and was ended`)), limitMs)
    try {
      this.#exitCode = await talkOver(channel, {io: this.io, out: this.out, tty})
    } finally {
      clearTimeout(timer)
    }
    if (this.#exitCode === 0) return undefined
    if (this.#exitCode === null || !tty) throw new Fault('RUN_FAILED', `the command in ${name} ended with exit code ${this.#exitCode ?? 'unknown'}`)
    // Who sat before it knows already.
    this.io.setExitCode(this.#exitCode)
    return undefined
  }

  async #runShort(words: readonly string[]): Promise<object> {
    if (words.length === 0) throw new Fault('USAGE', 'the command to run is missing: give it after --')
    if (this.flags.tty === true || this.flags.user !== undefined) throw new Fault('USAGE', '--json goes neither with --tty nor with --user')
    const {project, service, params} = await getServiceOf(this.api, this.args.service, this.signal)
    const {directory, 'run-timeout': limitMs} = this.flags
    const body = {command: toShellText(words), ...(directory !== undefined && {cwd: directory}), ...(limitMs !== undefined && {timeoutMs: limitMs})}
    const {data} = await this.api.services.exec({params, body}, {signal: this.signal, timeoutMs: (limitMs ?? defaultLimitMs) + graceMs})
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
