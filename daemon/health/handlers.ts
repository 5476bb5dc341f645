import os from 'node:os'
import type {healthRoutes} from '../../src/contract/health.js'
import {toInstant, type Clock} from '../clock.js'
import type {Handlers} from '../http/handlers.js'
import type {DaemonSettings} from '../settings.js'
import type {StoreStatus} from '../store/store.js'

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
  readonly store: {status(): StoreStatus}
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
        teamMode: 'single_user' as const,
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
