import {Command} from '@oclif/core/command'
import {Config} from '@oclif/core/config'
import type {Interfaces} from '@oclif/core'
import path from 'node:path'
import {createClient, type Client} from '../client/client.js'
import {readEnvironment, parseToken, type Environment} from '../config/environment.js'
import {resolvePaths, type Paths} from '../config/paths.js'
import type {DaemonRecord} from '../config/daemon-record.js'
import {Fault} from '../contract/faults.js'
import {exitCodeOf, renderFault, toErrorDocument, toFault} from './command-fault.js'
import {explainFault} from './explain-fault.js'
import {globalFlags} from './global-flags.js'
import {ioOf, type Io} from './io.js'
import {Output} from './output.js'
import {Prompts} from './prompts.js'
import {inTypedOrder} from './typed-order.js'
import {requireToken, resolveTarget, type Target} from './target.js'

// A command may give --url a second meaning; every other flag means one thing.
type InstanceFlag<T extends typeof Command> = T['flags'] extends {readonly url: unknown} ? unknown : Interfaces.InferredFlags<Pick<typeof globalFlags, 'url'>>
export type ParsedFlags<T extends typeof Command> = Interfaces.InferredFlags<Omit<typeof globalFlags, 'url'> & T['flags']> & InstanceFlag<T>
export type ParsedArgs<T extends typeof Command> = Interfaces.InferredArgs<T['args']>

/** What a command gives `--json`; undefined when it has written its own lines. */
export type JsonResult = object | undefined

/** Why a reader that closed the pipe ends a command: nothing failed. */
const pipeClosed = Symbol('pipe closed')

// What the parent class keeps to itself.
interface Runnable<T> {
  _run(): Promise<T>
}

function isLoaded(config: Interfaces.LoadOptions): config is Interfaces.Config {
  return typeof config === 'object' && config !== null && 'runCommand' in config
}

const everythingQuiet = {quiet: false, verbose: false, noColorFlag: false}

export abstract class BaseCommand<T extends typeof Command> extends Command {
  static override enableJsonFlag = true
  static override baseFlags = globalFlags

  /** Flag of each field of the API's input, so that a refusal names what was typed. */
  static fieldFlags: Readonly<Record<string, string>> = {}

  protected flags!: ParsedFlags<T>
  protected args!: ParsedArgs<T>
  /** All positional words, the named ones first; more than those only where a command is not strict. */
  protected words: readonly string[] = []
  protected environment!: Environment
  protected paths!: Paths
  /** Ends with the first interrupt. */
  protected readonly signal: AbortSignal
  protected readonly io: Io
  protected out: Output
  protected prompts: Prompts
  /** What goes on by itself when this command ends, and how to look at it again. */
  protected leftRunning: {readonly what: string; readonly command: string} | undefined
  /** Set by commands that write one object a line. */
  protected streaming = false

  readonly #controller = new AbortController()
  #stopListening: () => void = () => undefined
  #client: Client | undefined
  #baseUrl: string | undefined
  #tokenFromStdin: Promise<string> | undefined

  constructor(argv: string[], config: Interfaces.Config) {
    super(argv, config as never)
    this.io = ioOf(config)
    this.signal = this.#controller.signal
    this.out = new Output(this.io, {...everythingQuiet, json: this.jsonEnabled()}, readColourOnly(this.io))
    this.prompts = new Prompts(this.io, this.out, this.signal)
  }

  /** The typed client; it connects with its first call. */
  protected get api(): Client {
    this.#client ??= createClient({
      connect: async () => requireToken(await this.target(), this.paths),
      userAgent: this.userAgent,
      ...(this.flags.timeout !== undefined && {timeoutMs: this.flags.timeout}),
    })
    return this.#client
  }

  protected get userAgent(): string {
    return `moorage-cli/${this.config.version}`
  }

  protected get programFile(): string {
    return path.join(this.config.root, 'bin', 'run.js')
  }

  /** The address that --url names; a command that gives the flag a second meaning says which is which. */
  protected get instanceUrl(): string | undefined {
    const url: unknown = Reflect.get(this.flags, 'url')
    return typeof url === 'string' ? url : undefined
  }

  /** Where this command goes, starting the local daemon where that is what is needed. */
  protected async target(): Promise<Target> {
    const {context, organization} = this.flags
    const url = this.instanceUrl
    const token = this.flags['token-stdin'] === true ? await this.readTokenFromStdin() : undefined
    const target = await resolveTarget({
      flags: {url, context, organization, token},
      environment: this.environment,
      paths: this.paths,
      start: this.flags['no-start'] === true ? undefined : () => this.startDaemon(),
    })
    this.#baseUrl = target.baseUrl
    return target
  }

  protected async startDaemon(): Promise<DaemonRecord> {
    const {startLocalDaemon} = await import('./local-daemon.js')
    const progress = this.out.progress(`starting the daemon of ${this.paths.home}`)
    const record = await startLocalDaemon({home: this.paths.home, program: this.programFile, variables: this.io.variables, signal: this.signal}).catch((error: unknown) => {
      progress.end()
      throw error
    })
    progress.end(`the daemon runs at ${record.url}; stop it with: ${this.config.bin} daemon stop`)
    return record
  }

  protected async readTokenFromStdin(): Promise<string> {
    this.#tokenFromStdin ??= this.prompts.readInput('the access token', '--token-stdin')
    return parseToken(await this.#tokenFromStdin, '--token-stdin') ?? ''
  }

  // The inherited one loads the configuration a second time, and with it drops what the first was given.
  static override async run<R extends Command>(this: new (argv: string[], config: Interfaces.Config) => R, argv: string[] = [], config?: Interfaces.LoadOptions): Promise<ReturnType<R['run']>> {
    const loaded = isLoaded(config) ? config : await Config.load(config)
    const command = new this(argv, loaded)
    return (command as unknown as Runnable<ReturnType<R['run']>>)._run()
  }

  override async init(): Promise<void> {
    await super.init()
    this.#stopListening = this.#listen()
    this.environment = readEnvironment(this.io.variables)
    const {flags, args, argv} = await this.parse({
      flags: this.ctor.flags, baseFlags: globalFlags, enableJsonFlag: true, args: this.ctor.args, strict: this.ctor.strict,
    })
    this.flags = flags as object as ParsedFlags<T>
    this.args = args as ParsedArgs<T>
    this.words = inTypedOrder(argv.map(String), this.argv)
    this.paths = resolvePaths(this.environment, this.io)
    const options = {quiet: this.flags.quiet, verbose: this.flags.verbose, noColorFlag: this.flags['no-color'], json: this.jsonEnabled()}
    this.out = new Output(this.io, options, this.environment)
    this.prompts = new Prompts(this.io, this.out, this.signal)
  }

  // The parser's own answer also reads an environment variable that nobody documented.
  override jsonEnabled(): boolean {
    const end = this.argv.indexOf('--')
    return (end === -1 ? this.argv : this.argv.slice(0, end)).includes('--json')
  }

  protected override toSuccessJson(result: unknown): unknown {
    return result
  }

  protected override toErrorJson(error: unknown): unknown {
    return toErrorDocument(toFault(error), this.config.bin)
  }

  override logJson(json: unknown): void {
    this.io.stdout.write(`${JSON.stringify(json, null, 2)}\n`)
  }

  // Everything that fails ends here, with the exit code of its kind whether or not --json was given.
  protected override async catch(error: unknown): Promise<void> {
    this.parsed = true
    if (this.signal.aborted && this.signal.reason === pipeClosed) return
    const fault = this.#explain(this.signal.aborted && this.signal.reason instanceof Fault ? this.signal.reason : toFault(error))
    this.io.setExitCode(exitCodeOf(fault))
    if (this.jsonEnabled()) {
      const document = toErrorDocument(fault, this.config.bin)
      if (this.streaming) await this.out.emit({type: 'result', ...document})
      else this.logJson(document)
      return
    }
    const verbose = this.argv.includes('--verbose') || this.argv.includes('-v')
    this.io.stderr.write(renderFault(fault, {programName: this.config.bin, paint: this.out.paintNote, verbose}))
  }

  protected override async finally(): Promise<void> {
    this.#stopListening()
    return Promise.resolve()
  }

  override log(message = ''): void {
    this.out.print(message)
  }

  override warn<E extends string | Error>(input: E): E {
    this.out.warn(input instanceof Error ? input.message : input)
    return input
  }

  #listen(): () => void {
    const stopInterrupts = this.io.onInterrupt(() => {
      const left = this.leftRunning
      const message = left === undefined ? 'interrupted' : `interrupted; ${left.what} goes on`
      this.#controller.abort(new Fault('INTERRUPTED', message, left === undefined ? {} : {suggestions: [left.command]}))
    })
    const onError = (error: Error) => {
      if ('code' in error && error.code === 'EPIPE') this.#controller.abort(pipeClosed)
      else this.#endWithoutOutput(error)
    }
    const ignore = () => undefined
    // The parent class throws from a listener of its own, which nothing could catch.
    this.io.stdout.removeAllListeners('error')
    this.io.stdout.on('error', onError)
    this.io.stderr.on('error', ignore)
    return () => {
      stopInterrupts()
      // The last write may still fail after the command has ended; its listener stays for that in a real process.
      this.io.stderr.removeListener('error', ignore)
    }
  }

  // Said here and not by catch: a command whose last write fails has no step left that could throw.
  #endWithoutOutput(error: Error): void {
    if (this.signal.aborted) return
    const fault = new Fault('INTERNAL', `can not write the output: ${error.message}`, {cause: error})
    this.io.setExitCode(1)
    this.io.stderr.write(renderFault(fault, {programName: this.config.bin, paint: this.out.paintNote, verbose: false}))
    this.#controller.abort(pipeClosed)
  }

  #explain(fault: Fault): Fault {
    return explainFault(fault, {
      commandId: (this.id ?? '').replaceAll(':', ' '),
      fieldFlags: (this.constructor as typeof BaseCommand).fieldFlags,
      baseUrl: this.#baseUrl,
      tokenFromVariable: this.#tokenFromStdin === undefined && this.environment?.token !== undefined,
    })
  }
}

// Before the flags are parsed a failure must look right too; a broken variable is reported later, by init.
function readColourOnly(io: Io): Pick<Environment, 'noColor' | 'forceColor' | 'dumbTerminal' | 'ci'> {
  const {NO_COLOR, FORCE_COLOR, TERM, CI} = io.variables
  return readEnvironment({NO_COLOR, FORCE_COLOR, TERM, CI})
}
