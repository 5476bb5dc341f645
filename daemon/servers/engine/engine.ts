import type {Readable, Writable} from 'node:stream'
import type {ExecResult} from '../runner.js'
import type {TerminalSize} from '../terminal-size.js'

// What the rest of the daemon sees of the container engine of a server, however it is reached.

export interface ComposeCommand {
  /** `docker compose`, or the stand-alone `docker-compose`. */
  readonly kind: 'plugin' | 'standalone'
  readonly version: string
}

export interface EngineFacts {
  readonly version: string
  readonly apiVersion: string
  /** socket: forwarded over the connection; dial-stdio: `docker system dial-stdio` there; cli: single commands only. */
  readonly way: 'socket' | 'dial-stdio' | 'cli'
  readonly rootless: boolean
  /** Whether it answers root only, so that every command goes through sudo. */
  readonly needsSudo: boolean
  readonly compose: ComposeCommand | null
  readonly architecture: string
  readonly cpuCores: number
  readonly memoryBytes: number
  /** Where the engine keeps images and volumes. */
  readonly dataFolder: string
  /** Folder for what we keep on that server, absolute; ours alone. */
  readonly folder: string
}

export interface ImageFacts {
  readonly id: string
  readonly digests: readonly string[]
  readonly tags: readonly string[]
  readonly sizeBytes: number
  readonly hasHealthcheck: boolean
  /** The TCP ports that it says it listens on, in order. */
  readonly exposedPorts: readonly number[]
  readonly stopSignal: string | null
  /** Null where it has none. */
  readonly entrypoint: readonly string[] | null
}

export interface ContainerFacts {
  readonly id: string
  readonly name: string
  readonly imageId: string
  readonly imageRef: string
  readonly labels: Readonly<Record<string, string>>
  readonly state: 'created' | 'running' | 'paused' | 'restarting' | 'removing' | 'exited' | 'dead'
  /** Null where the container has no health check. */
  readonly health: 'starting' | 'healthy' | 'unhealthy' | null
  /** What the last health check printed, cut. */
  readonly healthOutput: string | null
  readonly exitCode: number | null
  readonly outOfMemory: boolean
  readonly restartCount: number
  /** Of its first process, as the machine of the engine counts; null where it does not run. */
  readonly pid: number | null
  readonly startedAt: string | null
  readonly finishedAt: string | null
  readonly addresses: Readonly<Record<string, string>>
  readonly ports: readonly {readonly containerPort: number; readonly protocol: 'tcp' | 'udp'; readonly hostAddress: string; readonly hostPort: number}[]
}

/** What a container uses now; zeros where it does not run. */
export interface ContainerUsage {
  /** 100 is one whole core. */
  readonly cpuPercent: number
  readonly memoryBytes: number
  /** Null where it may use all there is. */
  readonly memoryLimitBytes: number | null
  /** What it wrote into its own file system; volumes are not counted. */
  readonly writtenBytes: number
  readonly networkRxBytes: number
  readonly networkTxBytes: number
}

export interface NetworkFacts {
  readonly id: string
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
}

export interface EngineEvent {
  readonly kind: 'container'
  /** start, die, oom, stop, kill, destroy, health_status: healthy, health_status: unhealthy … */
  readonly action: string
  readonly containerId: string
  readonly labels: Readonly<Record<string, string>>
  readonly at: string
}

export interface LogLine {
  readonly stream: 'stdout' | 'stderr'
  /** With the nine digits of the engine, so that `since` can go on after it. */
  readonly at: string
  readonly text: string
}

export interface RegistryLogin {
  readonly server: string
  readonly username: string
  readonly password: string
}

/** What a command that is talked to is run with. */
export interface SessionWish {
  /** Null: no terminal, both streams apart. */
  readonly terminal: TerminalSize | null
  readonly cwd?: string | undefined
  /** A name or number, with `:GROUP` if wanted; that of the container unless given. */
  readonly user?: string | undefined
}

export interface SessionPiece {
  readonly stream: 'stdout' | 'stderr'
  readonly bytes: Buffer
}

/** A command in a container that is talked to. */
export interface EngineSession {
  /** With a terminal all is stdout. Read once; no faster than it is taken. Its end is that of the command; leaving it early ends the command. */
  readonly output: AsyncIterable<SessionPiece>
  /** Ended, it is the end of the input of the command. */
  readonly input: Writable
  resize(size: TerminalSize): void
  /** To be asked once the output is over; null where the engine does not know it. */
  exitCode(): Promise<number | null>
}

interface Waits {
  readonly signal: AbortSignal
}

/** Faults: ENGINE_UNAVAILABLE, SERVER_UNREACHABLE; NOT_FOUND for an image or container that is not there. Every call ends with its signal. */
export interface Engine {
  readonly serverId: string
  /** Kept for a while; `fresh` asks again. */
  facts(options: Waits & {readonly fresh?: boolean}): Promise<EngineFacts>
  /** Runs Compose with arguments after the program name, in a folder of the server. Output also goes to onLine as it comes. */
  compose(args: readonly string[], options: Waits & {readonly cwd: string; readonly onLine?: (line: string) => void}): Promise<ExecResult>
  /** Writes a file below `facts().folder`, atomically and 0600 unless a mode is given; folders on the way are made 0700, and 0755 from `readableFrom` on. */
  writeFile(path: string, content: string | Buffer, options: Waits & {readonly mode?: number; readonly readableFrom?: string}): Promise<void>
  readFile(path: string, options: Waits): Promise<string | undefined>
  /** A file, too. One entry of the folder stays where `keep` names it and it is there. */
  removeFolder(path: string, options: Waits & {readonly keep?: string | undefined}): Promise<void>
  pull(ref: string, options: Waits & {readonly login?: RegistryLogin | undefined; readonly onLine: (line: string) => void}): Promise<ImageFacts>
  /** Builds from a tar stream. The lines are the output of the build. Throws a Fault of code CONFLICT with the last line where the build fails. */
  build(context: Readable, options: Waits & {
    readonly dockerfile: string
    readonly tag: string
    readonly args: Readonly<Record<string, string>>
    readonly target?: string | undefined
    readonly labels: Readonly<Record<string, string>>
    readonly noCache?: boolean
    /** For the images that the build starts from. */
    readonly logins?: readonly RegistryLogin[]
    readonly onLine: (line: string) => void
  }): Promise<ImageFacts>
  /** Undefined where the image is not there. */
  image(ref: string, options: Waits): Promise<ImageFacts | undefined>
  tag(ref: string, tag: string, options: Waits): Promise<void>
  /** Harmless where it is gone or in use. */
  removeImage(ref: string, options: Waits): Promise<void>
  /** Those with all of the labels, running or not. */
  containers(labels: Readonly<Record<string, string>>, options: Waits): Promise<readonly ContainerFacts[]>
  container(id: string, options: Waits): Promise<ContainerFacts | undefined>
  /** Takes a second or two, as the engine measures over one. */
  usage(id: string, options: Waits): Promise<ContainerUsage>
  /** The TCP ports on which it takes connections, and not from itself alone. Null where that can not be told, as in the network of another or of the host. */
  listeningPorts(container: Pick<ContainerFacts, 'id' | 'pid' | 'addresses'>, options: Waits): Promise<readonly number[] | null>
  start(id: string, options: Waits): Promise<void>
  stop(id: string, options: Waits & {readonly graceSeconds?: number}): Promise<void>
  restart(id: string, options: Waits & {readonly graceSeconds?: number}): Promise<void>
  remove(id: string, options: Waits): Promise<void>
  volumes(labels: Readonly<Record<string, string>>, options: Waits): Promise<readonly {readonly name: string; readonly labels: Readonly<Record<string, string>>}[]>
  removeVolume(name: string, options: Waits): Promise<void>
  networks(labels: Readonly<Record<string, string>>, options: Waits): Promise<readonly NetworkFacts[]>
  /** Harmless where it is there already. An internal one leads nowhere but to its containers. */
  createNetwork(name: string, options: Waits & {readonly labels: Readonly<Record<string, string>>; readonly internal: boolean}): Promise<void>
  /** Puts a container on a network besides those it is on, under further names there; harmless where it is on it already. */
  connect(network: string, containerId: string, options: Waits & {readonly aliases: readonly string[]}): Promise<void>
  /** Fails while containers are on it, unless they are to be taken off it. */
  removeNetwork(id: string, options: Waits & {readonly force?: boolean}): Promise<void>
  /** Ports of the host that something listens on, containers included. */
  takenPorts(options: Waits): Promise<readonly {readonly hostAddress: string; readonly port: number; readonly protocol: 'tcp' | 'udp'; readonly by: string | null; readonly labels: Readonly<Record<string, string>>}[]>
  logs(id: string, options: Waits & {readonly follow: boolean; readonly tail?: number | undefined; readonly since?: string | undefined; readonly onLine: (line: LogLine) => void}): Promise<void>
  exec(id: string, command: readonly string[], options: Waits & {readonly cwd?: string | undefined; readonly env?: Readonly<Record<string, string>>; readonly user?: string | undefined; readonly maxOutputBytes?: number}): Promise<ExecResult>
  /** Starts a command to talk to. The signal ends it, and what it started in its session; the output then fails once that is done. */
  openSession(id: string, command: readonly string[], options: Waits & SessionWish): Promise<EngineSession>
  /**
   * Events of containers with the labels, until the signal; ends with a fault when the connection drops. From `onOpen` on none is missed: look at the
   * containers then.
   */
  events(labels: Readonly<Record<string, string>>, options: Waits & {readonly onOpen?: () => void}): AsyncIterable<EngineEvent>
}

export interface Engines {
  /** Null is the machine of the daemon. */
  engineFor(serverId: string | null): Promise<Engine>
}
