import os from 'node:os'
import path from 'node:path'
import type {Dispatcher} from 'undici'
import {findPackageRoot} from '../../src/config/package-root.js'
import type {appRoutes} from '../../src/contract/apps.js'
import type {Clock} from '../clock.js'
import type {RecordEvent} from '../events/event-log.js'
import type {Handlers} from '../http/handlers.js'
import type {Log} from '../log.js'
import type {Runner} from '../servers/runner.js'
import type {DaemonSettings} from '../settings.js'
import type {Sealer} from '../store/secrets.js'
import type {Store} from '../store/store.js'
import type {ReadAppContent} from '../projects/deployments/app-content.js'
import type {AfterHealthy} from '../projects/deployments/run-after-healthy.js'
import {createReadAppContent} from './app-content.js'
import {createAppProjectHandlers} from './app-project-handlers.js'
import {bundledFiles} from './bundled-files.js'
import {CapacityReader} from './capacity.js'
import {Catalog} from './catalog.js'
import {CustomAppReader} from './custom-apps.js'
import {fetchManifest} from './fetch-manifest.js'
import {findApp} from './find-app.js'
import {createAppHandlers} from './handlers.js'
import {Listings} from './listings.js'
import {createPrepareApp} from './prepare-app.js'

export interface AppsStart {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly sealer: Sealer
  readonly recordEvent: RecordEvent
  readonly settings: Pick<DaemonSettings, 'mode' | 'catalogUrl'>
  /** The release that definitions are held against. */
  readonly engine: string
  readonly runnerFor: (serverId: string) => Promise<Runner>
  /** The folder of the bundled catalog; that of the package unless given. */
  readonly catalogFolder?: string | undefined
  /** How the remote catalog is reached; the usual way unless given. */
  readonly dispatcher?: Dispatcher | undefined
}

export interface StartedApps {
  readonly handlers: Handlers<typeof appRoutes>
  /** For deployments of installed apps. */
  readonly readAppContent: ReadAppContent
  readonly prepareApp: AfterHealthy
  readonly projectHandlers: ReturnType<typeof createAppProjectHandlers>
  stop(): Promise<void>
}

/** Puts the apps area together. Nothing is read or fetched before somebody asks for an app. */
export function startApps(start: AppsStart): StartedApps {
  const {store, clock, log, sealer, recordEvent, settings, engine, runnerFor, catalogFolder, dispatcher} = start
  const files = bundledFiles(() => catalogFolder ?? path.join(findPackageRoot(), 'catalog'))
  const url = settings.catalogUrl === undefined ? null : new URL(settings.catalogUrl)
  const catalog = new Catalog({
    store, clock, log, engine, url, readBundled: files.readManifest,
    fetch: (address, etag, signal) => fetchManifest({url: address, etag, userAgent: `moorage/${engine}`, signal, dispatcher}),
  })
  const customApps = new CustomAppReader(store, engine)
  const capacity = new CapacityReader({clock, runnerFor, readLocal: () => ({cpuCores: os.cpus().length, memoryBytes: os.totalmem()})})
  const listings = new Listings(catalog, customApps)
  return {
    handlers: createAppHandlers({store, clock, recordEvent, engine, cloud: settings.mode === 'cloud', catalog, customApps, listings, capacity, files}),
    projectHandlers: createAppProjectHandlers({
      store, clock, sealer, recordEvent, findApp: async (id, principal) => (await findApp({catalog, customApps}, id, principal))?.item,
    }),
    readAppContent: createReadAppContent({store, clock, sealer}),
    prepareApp: createPrepareApp({store, clock, sealer}),
    async stop() {
      await Promise.all([catalog.stop(), capacity.stop()])
    },
  }
}
