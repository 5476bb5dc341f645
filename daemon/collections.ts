import {Members, Organizations, Tokens, Users} from './access/records.js'
import {CatalogChecks, CatalogCopies, CustomApps} from './apps/records.js'
import {AuditEntries, AuditSettings} from './audit/records.js'
import {EventPositions, Events} from './events/records.js'
import {Jobs, RunLeftovers, RunPlans, Runs} from './jobs/records.js'
import {SchedulerStates} from './jobs/scheduler-state.js'
import {Links} from './projects/connections/records.js'
import {Deployments, NameClaims, Releases, ServiceOutcomes} from './projects/deployments/records.js'
import {ServiceHealthRecords} from './projects/live/service-health.js'
import {EnvVars, Projects, Services} from './projects/records.js'
import {UploadSessions} from './projects/sources/records.js'
import {Registries} from './registries/records.js'
import {Servers, Workspaces} from './servers/records.js'
import type {Collection} from './store/collection.js'

/** Everything the daemon knows lives in one of these. */
export const collections = [
  Users, Organizations, Members, Tokens, AuditEntries, AuditSettings, Events, EventPositions, Projects, Services, EnvVars, Links, Deployments, ServiceOutcomes, Releases, NameClaims,
  UploadSessions, ServiceHealthRecords, Registries, Servers, Workspaces, Jobs, Runs, RunPlans, RunLeftovers, SchedulerStates, CustomApps, CatalogCopies, CatalogChecks,
] as readonly unknown[] as readonly Collection[]
