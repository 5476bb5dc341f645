import type {deploymentRoutes} from '../../src/contract/deployments.js'
import type {projectRoutes} from '../../src/contract/projects.js'
import type {repositoryRoutes} from '../../src/contract/repositories.js'
import type {serviceRoutes} from '../../src/contract/services.js'
import type {Clock} from '../clock.js'
import type {RecordEvent} from '../events/event-log.js'
import type {Handlers} from '../http/handlers.js'
import {RunFeed} from '../jobs/run-feed.js'
import {RunSlots} from '../jobs/run-slots.js'
import type {Log} from '../log.js'
import type {Engines} from '../servers/engine/engine.js'
import type {Runner} from '../servers/runner.js'
import type {OutputStore} from '../store/output.js'
import type {Sealer} from '../store/secrets.js'
import type {Store} from '../store/store.js'
import {createConnectionHandlers} from './connections/connection-handlers.js'
import {noAppContent, type ReadAppContent} from './deployments/app-content.js'
import {createBuildHandlers} from './deployments/build-handlers.js'
import {DeploymentExecutor} from './deployments/deployment-executor.js'
import {createDeploymentHandlers} from './deployments/deployment-handlers.js'
import {DeploymentRun} from './deployments/deployment-run.js'
import {createReleaseHandlers} from './deployments/release-handlers.js'
import {createRequestDeployment, type RequestDeployment} from './deployments/request-deployment.js'
import {nothingAfterHealthy, type AfterHealthy} from './deployments/run-after-healthy.js'
import {createProjectHandlers} from './handlers.js'
import {ServicesWatch} from './health-watch.js'
import {releaseDeletions} from './live/delete-project.js'
import type {WatchWaits} from './live/server-watch.js'
import type {ProjectRuntime} from './project-runtime.js'
import {createRepositoryHandlers} from './repository-handlers.js'
import {createProjectRuntime} from './runtime.js'
import {createServiceEnvHandlers} from './service-env-handlers.js'
import {createServiceHandlers} from './service-handlers.js'
import {createLiveHandlers} from './service-live.js'
import type {Sources} from './sources/source.js'

export interface ProjectsStart {
  readonly store: Store
  readonly outputs: OutputStore
  readonly clock: Clock
  readonly log: Log
  readonly sealer: Sealer
  readonly recordEvent: RecordEvent
  readonly engines: Engines
  readonly runnerFor: (serverId: string) => Promise<Runner>
  readonly sources: Sources
  /** The usual one unless given. */
  readonly runtime?: ProjectRuntime
  readonly afterHealthy?: AfterHealthy
  readonly readAppContent?: ReadAppContent
  readonly limits?: Partial<DeploymentLimits>
  readonly watchWaits?: Partial<WatchWaits>
}

export interface DeploymentLimits {
  /** Builds at once, on all servers. */
  readonly builds: number
  /** Builds at once on one server. */
  readonly buildsPerServer: number
  /** How long a container without a health check runs before it counts as up. */
  readonly settleMs: number
}

const defaultLimits: DeploymentLimits = {builds: 4, buildsPerServer: 1, settleMs: 1000}

export interface StartedProjects {
  readonly handlers: {
    readonly projects: Handlers<typeof projectRoutes>
    readonly repositories: Handlers<typeof repositoryRoutes>
    readonly services: Handlers<typeof serviceRoutes>
    readonly deployments: Handlers<typeof deploymentRoutes>
    readonly connections: ReturnType<typeof createConnectionHandlers>
  }
  /** For whoever deploys: hooks, apps, jobs. */
  readonly requestDeployment: RequestDeployment
  /** Takes up the deployments that were going on, and listens to the servers that serve something. */
  start(): Promise<void>
  /** Lets go of them; the next start goes on. */
  stop(): Promise<void>
}

/** Puts the projects area together. */
export function startProjects(parts: ProjectsStart): StartedProjects {
  const {store, clock, log, recordEvent} = parts
  const limits = {...defaultLimits, ...parts.limits}
  const feed = new RunFeed()
  const requestDeployment = createRequestDeployment({clock, recordEvent})
  const slots = new RunSlots({total: limits.builds, perServer: limits.buildsPerServer})
  const run = {...parts, feed, slots, settleMs: limits.settleMs, afterHealthy: parts.afterHealthy ?? nothingAfterHealthy, readAppContent: parts.readAppContent ?? noAppContent}
  const executor = new DeploymentExecutor({store, clock, log, feed, begin: (id) => new DeploymentRun(run, id)})
  const watch = new ServicesWatch({store, clock, log, recordEvent, engines: parts.engines, ...(parts.watchWaits && {waits: parts.watchWaits})})
  return {
    handlers: {
      repositories: createRepositoryHandlers(parts),
      projects: createProjectHandlers({...parts, runtime: parts.runtime ?? createProjectRuntime({sources: parts.sources, store, clock, outputs: parts.outputs, sealer: parts.sealer, engines: parts.engines, recordEvent})}),
      services: {...createServiceHandlers(parts), ...createServiceEnvHandlers(parts), ...createLiveHandlers(parts)},
      connections: createConnectionHandlers(parts),
      deployments: {...createDeploymentHandlers({...parts, feed, requestDeployment}), ...createBuildHandlers({...parts, feed}), ...createReleaseHandlers({...parts, feed, requestDeployment})},
    },
    requestDeployment,
    async start() {
      await releaseDeletions(store)
      await executor.start()
      watch.start()
    },
    async stop() {
      await watch.stop()
      await executor.stop()
    },
  }
}
