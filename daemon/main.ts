import type {Dispatcher} from 'undici'
import {systemHome} from '../src/config/paths.js'
import {version} from '../src/config/version.js'
import {Fault} from '../src/contract/faults.js'
import {ensureFirstStart} from './access/first-start.js'
import {TokenUse} from './access/token-use.js'
import {removeAddress, writeAddress} from './address-file.js'
import {startApps} from './apps/start-apps.js'
import {pruneAudit} from './audit/prune-audit.js'
import {writeAudit} from './audit/write-audit.js'
import {bindAreas} from './bind-areas.js'
import {systemClock, toInstant, type Clock} from './clock.js'
import {collections} from './collections.js'
import {createRecordEvent} from './events/event-log.js'
import {EventReader} from './events/event-reader.js'
import {pruneEvents} from './events/prune-events.js'
import {findJobsOnServer} from './jobs/jobs-on-server.js'
import {startJobs} from './jobs/start-jobs.js'
import {listen} from './listen.js'
import {createLog, type Log} from './log.js'
import type {AfterHealthy} from './projects/deployments/run-after-healthy.js'
import {findProjectsOnServer} from './projects/projects-on-server.js'
import {startSources} from './projects/sources/start-sources.js'
import {startProjects} from './projects/start-projects.js'
import {findBilledServer, findServers} from './servers/find-server.js'
import {addLocalServer} from './servers/local-server.js'
import {startServers} from './servers/start-servers.js'
import {loadSettings, type DaemonSettings, type Environment, type Flags} from './settings.js'
import {Shutdown} from './shutdown.js'
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
