import type {AddressInfo} from 'node:net'
import type {Dispatcher} from 'undici'
import {systemHome} from '../src/config/paths.js'
import {version} from '../src/config/version.js'
import {Fault} from '../src/contract/faults.js'
import {contract} from '../src/contract/index.js'
import {createAuthHandlers} from './access/auth-handlers.js'
import {ensureFirstStart} from './access/first-start.js'
import {createMemberHandlers} from './access/member-handlers.js'
import type {MintRules, ResourceExists} from './access/mint-token.js'
import {createTokenHandlers} from './access/token-handlers.js'
import {TokenUse} from './access/token-use.js'
import {removeAddress, writeAddress} from './address-file.js'
import {startApps, type StartedApps} from './apps/start-apps.js'
import {createAuditHandlers} from './audit/handlers.js'
import {pruneAudit} from './audit/prune-audit.js'
import {writeAudit} from './audit/write-audit.js'
import {systemClock, toInstant, type Clock} from './clock.js'
import {collections} from './collections.js'
import {createRecordEvent, type RecordEvent} from './events/event-log.js'
import {EventReader} from './events/event-reader.js'
import {pruneEvents} from './events/prune-events.js'
import {createHealthHandlers} from './health/handlers.js'
import {bindRoutes, createHttpServer, type BoundRoute} from './http/http-server.js'
import {serveOpenApi} from './http/openapi-route.js'
import {findJobsOnServer} from './jobs/jobs-on-server.js'
import {findProjectsOnServer} from './projects/projects-on-server.js'
import {startJobs, type StartedJobs} from './jobs/start-jobs.js'
import {createLog, type Log} from './log.js'
import type {AfterHealthy} from './projects/deployments/run-after-healthy.js'
import {hasProject} from './projects/has-project.js'
import {startSources, type StartedSources} from './projects/sources/start-sources.js'
import {startProjects, type StartedProjects} from './projects/start-projects.js'
import {createRegistryHandlers} from './registries/handlers.js'
import {findBilledServer, findServers} from './servers/find-server.js'
import {addLocalServer} from './servers/local-server.js'
import {startServers} from './servers/start-servers.js'
import {loadSettings, type DaemonSettings, type Environment, type Flags} from './settings.js'
import {openFileStore} from './store/file-store.js'
import {isDiskFull} from './store/disk.js'
import {loadInstanceKey} from './store/instance-key.js'
import {openOutputFiles} from './store/output-files.js'
import {createRedactor, type Redactor} from './store/redactor.js'
import {createSealer, type Sealer} from './store/secrets.js'
import type {StoreInspection} from './store/repair.js'
import type {Store} from './store/store.js'

export interface RunningDaemon {
  readonly url: string
  /** The first token, on the start that made it. */
  readonly firstToken: string | null
  /** The first token, while it is still the only live one. */
  readonly soleToken: string | null
  /** Stops everything in reverse order; calling it again gives the same promise. */
  stop(): Promise<void>
  /** Settles when the daemon has stopped. */
  readonly done: Promise<void>
}

export interface StartOptions {
  readonly signal?: AbortSignal
  readonly clock?: Clock
  /** PATH, LANG, TZ and SSH_AUTH_SOCK for commands; none of it unless given. */
  readonly environment?: Environment
  /** Takes the lines of the log; stderr unless given. */
  readonly writeLog?: (line: string) => void
  /** The folder of the bundled catalog; that of the package unless given. */
  readonly catalogFolder?: string
  /** How the remote catalog is reached; the usual way unless given. */
  readonly catalogDispatcher?: Dispatcher
  /** What is done when the services of a deployment are up and before it is live; nothing unless given. */
  readonly afterHealthy?: AfterHealthy
}

/** Whatever has started and must stop again, last first. */
class Shutdown {
  readonly #steps: (() => Promise<void> | void)[] = []

  add(step: () => Promise<void> | void): void {
    this.#steps.unshift(step)
  }

  // Every step gets its turn although one fails; the first failure is told at the end.
  async run(): Promise<void> {
    const failures: unknown[] = []
    for (const step of this.#steps) {
      try {
        await step()
      } catch (error) {
        failures.push(error)
      }
    }
    if (failures.length > 0) throw failures[0]
  }
}

/** Starts a daemon as an operator asked for it: flags before environment before config.json. */
export async function startDaemonFrom(flags: Flags, environment: Environment, options: StartOptions = {}): Promise<RunningDaemon> {
  return startDaemon(await loadSettings(flags, environment), {environment, ...options})
}

/** Builds every part in order, listens, and answers how to reach and stop the daemon. Rejects when any part does not come up, and undoes the rest. */
export async function startDaemon(settings: DaemonSettings, options: StartOptions = {}): Promise<RunningDaemon> {
  const shutdown = new Shutdown()
  const started = await build(settings, options, shutdown).catch(async (error: unknown) => {
    // Why it did not start says more than what then could not be undone.
    await shutdown.run().catch(() => undefined)
    throw isDiskFull(error) ? new Fault('STORE_FULL', `can not start: the disk of ${settings.home} is full`, {cause: error}) : error
  })
  let settle: {resolve: () => void; reject: (reason: unknown) => void}
  const done = new Promise<void>((resolve, reject) => {
    settle = {resolve, reject}
  })
  // Whoever waits for `done` hears of a failed stop; nobody has to.
  done.catch(() => undefined)
  let stopping = false
  const stop = () => {
    if (!stopping) {
      stopping = true
      shutdown.run().then(settle.resolve, settle.reject)
    }
    return done
  }
  options.signal?.addEventListener('abort', () => void stop(), {once: true})
  if (options.signal?.aborted === true) void stop()
  return {...started, stop, done}
}

type Started = Pick<RunningDaemon, 'url' | 'firstToken' | 'soleToken'>

async function build(settings: DaemonSettings, options: StartOptions, shutdown: Shutdown): Promise<Started> {
  const clock = options.clock ?? systemClock
  const startedAt = toInstant(clock.now())
  const redactor = createRedactor()
  const log = createLog({write: options.writeLog ?? ((line) => process.stderr.write(line)), now: () => clock.now(), redact: (text) => redactor.redact(text)})
  const sealer = watchSecrets(createSealer(await loadInstanceKey(settings)), redactor)
  const store = await openStore(settings, clock, log)
  shutdown.add(() => store.close())
  const outputs = openOutputFiles(settings.home)
  shutdown.add(() => outputs.close())
  const first = await ensureFirstStart({
    store, clock, home: settings.home, tokenPrefix: settings.tokenPrefix, bootstrapToken: settings.bootstrapToken,
    onOrganization: (transaction, organizationId) => addLocalServer(transaction, organizationId, startedAt),
  })
  const tokenUse = new TokenUse(store, clock)
  shutdown.add(() => tokenUse.flush())
  const recordEvent = createRecordEvent(clock)
  const servers = startServers({store, clock, sealer, recordEvent, settings, environment: options.environment ?? {}, useOf: async (reader, server) => ({...(await findJobsOnServer(reader, server)), ...(await findProjectsOnServer(reader, server))})})
  shutdown.add(() => servers.stop())
  const jobs = startJobs({
    store, outputs, clock, log, sealer, recordEvent, settings, findServers, findBilledServer,
    runnerFor: (serverId) => servers.runners.runnerFor(serverId, 'asked'),
    systemWork: {
      'audit:retention-prune': (signal) => pruneAudit(store, clock, signal),
      'events:retention-prune': (signal) => pruneEvents(store, clock, signal),
    },
  })
  const apps = startApps({
    store, clock, log, sealer, recordEvent, settings, engine: version, catalogFolder: options.catalogFolder, dispatcher: options.catalogDispatcher,
    runnerFor: (serverId) => servers.runners.runnerFor(serverId, 'asked'),
  })
  shutdown.add(() => apps.stop())
  const sources = await startSources({store, clock, log, recordEvent, settings, environment: options.environment ?? {}})
  shutdown.add(() => sources.stop())
  const projects = startProjects({
    store, outputs, clock, log, sealer, recordEvent, sources: sources.sources,
    engines: servers.engines, readAppContent: apps.readAppContent, afterHealthy: apps.prepareApp,
    runnerFor: (serverId) => servers.runners.runnerFor(serverId, 'asked'),
    ...(options.afterHealthy !== undefined && {afterHealthy: options.afterHealthy}),
  })
  const routes = bindAreas({settings, clock, store, sealer, tokenUse, startedAt, recordEvent, servers, jobs, apps, projects, sources})
  const readers = [
    new EventReader({store, clock, log, name: 'audit', handle: writeAudit}),
    new EventReader({store, clock, log, name: 'job-triggers', handle: jobs.startJobsFor}),
  ]
  shutdown.add(() => jobs.stop())
  await jobs.start()
  shutdown.add(() => projects.stop())
  await projects.start()
  for (const reader of readers) {
    shutdown.add(() => reader.stop())
    reader.start()
  }
  const url = await listen({settings, clock, log, store, tokenUse, routes}, shutdown)
  await writeAddress(settings.home, {pid: process.pid, url, version, startedAt}, settings.home === systemHome)
  shutdown.add(() => removeAddress(settings.home, process.pid))
  return {url, firstToken: first.firstToken, soleToken: first.soleToken}
}

async function openStore(settings: DaemonSettings, clock: Clock, log: Log): Promise<Store> {
  if (settings.store !== 'file') throw new Fault('CONFIGURATION', 'store: only the file store is there yet; leave it out')
  const {store} = await openFileStore({home: settings.home, collections, clock, log, release: version})
  return store
}

/** Whatever is opened from its seal is in play from then on: no log line shows it. */
function watchSecrets(sealer: Sealer, redactor: Redactor): Sealer {
  return {
    ...sealer,
    open(sealed, context) {
      const secret = sealer.open(sealed, context)
      redactor.add(secret)
      return secret
    },
  }
}

interface AreaParts {
  readonly settings: DaemonSettings
  readonly clock: Clock
  readonly store: Store
  readonly sealer: Sealer
  readonly tokenUse: TokenUse
  readonly startedAt: string
  readonly recordEvent: RecordEvent
  readonly servers: ReturnType<typeof startServers>
  readonly jobs: StartedJobs
  readonly apps: StartedApps
  readonly projects: StartedProjects
  readonly sources: StartedSources
}

function bindAreas({settings, clock, store, sealer, tokenUse, startedAt, recordEvent, servers, jobs, apps, projects, sources}: AreaParts): BoundRoute[] {
  const {scheduler, activeRuns} = jobs
  const rules: MintRules = {clock, tokenPrefix: settings.tokenPrefix, cloud: settings.mode === 'cloud', resourceExists}
  const health = {settings, version, clock, startedAt, store, scheduler, activeRuns, memoryBytes: () => process.memoryUsage.rss()}
  return [
    ...bindRoutes(contract.health, createHealthHandlers(health)),
    ...bindRoutes(contract.auth, createAuthHandlers(store)),
    ...bindRoutes(contract.tokens, createTokenHandlers({store, use: tokenUse, rules, recordEvent})),
    ...bindRoutes(contract.members, createMemberHandlers({store, clock, tokenPrefix: settings.tokenPrefix, recordEvent})),
    ...bindRoutes(contract.audit, createAuditHandlers(store, recordEvent)),
    ...bindRoutes(contract.projects, projects.handlers.projects),
    ...bindRoutes(contract.repositories, projects.handlers.repositories),
    ...bindRoutes(contract.services, projects.handlers.services),
    ...bindRoutes(contract.deployments, projects.handlers.deployments),
    ...bindRoutes(contract.registries, createRegistryHandlers({store, clock, sealer, recordEvent})),
    ...bindRoutes(contract.servers, servers.handlers),
    ...bindRoutes(contract.jobs, jobs.handlers),
    ...bindRoutes(contract.apps, apps.handlers),
    ...bindRoutes(contract.appProjects, {...apps.projectHandlers, ...projects.handlers.connections}),
    ...bindRoutes(contract.uploads, sources.handlers),
  ]
}

/** What a grant may name. Kinds that have no records yet can not be granted one by one. */
const resourceExists: ResourceExists = async (reader, type, id, organizationId) => {
  if (type === 'project') return hasProject(reader, id, organizationId)
  if (type !== 'server') return false
  const [server] = await findServers(reader, [id])
  return server?.organizationId === organizationId
}

interface ListenParts {
  readonly settings: DaemonSettings
  readonly clock: Clock
  readonly log: Log
  readonly store: Store
  readonly tokenUse: TokenUse
  readonly routes: readonly BoundRoute[]
}

async function listen({settings, clock, log, store, tokenUse, routes}: ListenParts, shutdown: Shutdown): Promise<string> {
  const limitLoopback = settings.publicUrl !== undefined
  const {server, streams} = await createHttpServer({store, clock, log, tokenUse, cloud: settings.mode === 'cloud', limitLoopback}, routes)
  serveOpenApi(server, {table: contract, version, cloud: settings.mode === 'cloud'})
  shutdown.add(() => server.close())
  shutdown.add(() => streams.close())
  await server.listen({host: settings.host, port: settings.port}).catch((error: unknown) => {
    throw toListenFault(error, settings)
  })
  const {address, port, family} = server.server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

function toListenFault(error: unknown, {host, port}: DaemonSettings): Fault {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: 'another program listens there; choose another port with --port, or --port 0 for any free one',
    EACCES: 'the system does not allow it; ports below 1024 need root',
    EADDRNOTAVAIL: 'this machine has no such address',
    ENOTFOUND: 'the host name is not known',
  }
  const reason = typeof code === 'string' ? reasons[code] : undefined
  return new Fault('CONFIGURATION', `can not listen on ${host} port ${port}: ${reason ?? String(code ?? error)}`, {cause: error})
}

/** What a repair of the store of a home would lose. Changes nothing. */
export async function inspectHome(home: string): Promise<StoreInspection> {
  const {inspectStore} = await import('./store/repair.js')
  return inspectStore(home, collections)
}

/** Keeps a copy of the store of a home, then writes it anew from what can be read. */
export async function repairHome(home: string): Promise<StoreInspection & {readonly copyFolder: string | null}> {
  const {repairStore} = await import('./store/repair.js')
  return repairStore({home, collections, clock: systemClock, release: version})
}
