import os from 'node:os'
import type {healthRoutes} from '../../src/contract/health.js'
import {toInstant, type Clock} from '../clock.js'
import type {Handlers} from '../http/handlers.js'
import type {DaemonSettings} from '../settings.js'
import type {StoreReader, StoreStatus} from '../store/store.js'
import {Organizations} from '../access/records.js'

export interface SchedulerStatus {
  readonly state: 'running' | 'off' | 'stopped'
  readonly reason: string | null
  readonly lastTickAt: string | null
  readonly nextFireAt: string | null
}

export interface HealthParts {
  readonly settings: Pick<DaemonSettings, 'mode' | 'timeZone' | 'jobs'>
  readonly version: string
  readonly clock: Clock
  readonly startedAt: string
  readonly store: StoreReader & {status(): StoreStatus}
  readonly scheduler: () => SchedulerStatus
  readonly activeRuns: () => Promise<number>
  readonly memoryBytes: () => number
}

export function createHealthHandlers(parts: HealthParts): Handlers<typeof healthRoutes> {
  const {settings, clock, store} = parts
  const isCloud = settings.mode === 'cloud'
  return {
    async live() {
      return {status: 'ok' as const, cloudMode: isCloud, timestamp: toInstant(clock.now())}
    },

    async environment() {
      return {
        selfHosted: !isCloud,
        deployMode: isCloud ? ('cloud' as const) : settings.mode === 'desktop' ? ('desktop' as const) : ('bare' as const),
        isServerHost: settings.mode === 'selfhosted',
        hostControlEnabled: settings.mode === 'selfhosted',
        version: parts.version,
        authMode: 'local' as const,
        productMode: 'platform' as const,
        teamMode: await teamModeOf(store),
        migrationTargetUrl: null,
        migrationInProgress: false,
        cloudAuthUrl: null,
        cloudApiUrl: null,
        ...(settings.mode === 'desktop' && {machineName: os.hostname()}),
      }
    },

    async status() {
      return {
        version: parts.version,
        mode: settings.mode,
        startedAt: parts.startedAt,
        timeZone: settings.timeZone,
        store: store.status(),
        scheduler: {enabled: settings.jobs, ...parts.scheduler()},
        activeRuns: await parts.activeRuns(),
        memoryBytes: parts.memoryBytes(),
      }
    },
  }
}

// A store that can not be read must not take this route down with it.
async function teamModeOf(store: StoreReader): Promise<'single_user' | 'self_hosted_remote'> {
  try {
    return (await store.findOne(Organizations, 'slug', ['default'])) === undefined ? 'self_hosted_remote' : 'single_user'
  } catch {
    return 'single_user'
  }
}
