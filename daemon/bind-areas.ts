import {version} from '../src/config/version.js'
import {contract} from '../src/contract/index.js'
import {createAuthHandlers} from './access/auth-handlers.js'
import {createMemberHandlers} from './access/member-handlers.js'
import type {MintRules, ResourceExists} from './access/mint-token.js'
import {createTokenHandlers} from './access/token-handlers.js'
import type {TokenUse} from './access/token-use.js'
import type {StartedApps} from './apps/start-apps.js'
import {createAuditHandlers} from './audit/handlers.js'
import type {Clock} from './clock.js'
import type {RecordEvent} from './events/event-log.js'
import {createHealthHandlers} from './health/handlers.js'
import {bindRoutes, type BoundRoute} from './http/http-server.js'
import type {StartedJobs} from './jobs/start-jobs.js'
import {hasProject} from './projects/has-project.js'
import type {StartedSources} from './projects/sources/start-sources.js'
import type {StartedProjects} from './projects/start-projects.js'
import {createRegistryHandlers} from './registries/handlers.js'
import {findServers} from './servers/find-server.js'
import type {startServers} from './servers/start-servers.js'
import type {DaemonSettings} from './settings.js'
import type {Sealer} from './store/secrets.js'
import type {Store} from './store/store.js'

export interface AreaParts {
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

/** The routes of every area with what answers them. */
export function bindAreas({settings, clock, store, sealer, tokenUse, startedAt, recordEvent, servers, jobs, apps, projects, sources}: AreaParts): BoundRoute[] {
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
