// Generated from src/contract by scripts/generate.ts; do not edit. The client reads this instead of the contract, which would load zod.
import type {ClientRoute} from './client-route.js'

export const routeTable: Readonly<Record<string, Readonly<Record<string, ClientRoute>>>> = {
  health: {
    live: {method: 'GET', path: '/api/health'},
    environment: {method: 'GET', path: '/api/health/env'},
    status: {method: 'GET', path: '/api/system/status'},
  },
  auth: {
    whoami: {method: 'GET', path: '/api/auth/whoami'},
  },
  tokens: {
    list: {method: 'GET', path: '/api/tokens'},
    create: {method: 'POST', path: '/api/tokens'},
    revoke: {method: 'DELETE', path: '/api/tokens/:id'},
  },
  members: {
    list: {method: 'GET', path: '/api/members'},
    create: {method: 'POST', path: '/api/members'},
    update: {method: 'PATCH', path: '/api/members/:id'},
    remove: {method: 'DELETE', path: '/api/members/:id'},
  },
  audit: {
    list: {method: 'GET', path: '/api/audit'},
    settings: {method: 'GET', path: '/api/audit/settings'},
    updateSettings: {method: 'PATCH', path: '/api/audit/settings'},
  },
  projects: {
    list: {method: 'GET', path: '/api/projects'},
    create: {method: 'POST', path: '/api/projects'},
    show: {method: 'GET', path: '/api/projects/:id'},
    delete: {method: 'DELETE', path: '/api/projects/:id'},
  },
  servers: {
    list: {method: 'GET', path: '/api/system/servers'},
    create: {method: 'POST', path: '/api/system/servers'},
    show: {method: 'GET', path: '/api/system/servers/:id'},
    update: {method: 'PATCH', path: '/api/system/servers/:id'},
    delete: {method: 'DELETE', path: '/api/system/servers/:id'},
    reachability: {method: 'GET', path: '/api/system/servers/:id/reachability'},
    deletionPreview: {method: 'GET', path: '/api/system/servers/:id/deletion-preview'},
    testConnection: {method: 'POST', path: '/api/system/test-connection'},
    check: {method: 'POST', path: '/api/system/check'},
    exec: {method: 'POST', path: '/api/system/servers/:id/exec'},
    monitor: {method: 'GET', path: '/api/system/monitor/stream', stream: 'sse'},
    saveWorkspace: {method: 'PUT', path: '/api/system/workspaces/:id'},
  },
  jobs: {
    list: {method: 'GET', path: '/api/jobs'},
    create: {method: 'POST', path: '/api/jobs'},
    triggerEvents: {method: 'GET', path: '/api/jobs/trigger-events'},
    backupSchedules: {method: 'GET', path: '/api/jobs/backup-schedules'},
    preview: {method: 'POST', path: '/api/jobs/apply/preview'},
    apply: {method: 'POST', path: '/api/jobs/apply'},
    allRuns: {method: 'GET', path: '/api/jobs/runs'},
    showRun: {method: 'GET', path: '/api/jobs/runs/:runId'},
    streamRun: {method: 'GET', path: '/api/jobs/runs/:runId/stream', stream: 'sse'},
    runOutput: {method: 'GET', path: '/api/jobs/runs/:runId/output', stream: 'bytes'},
    cancelRun: {method: 'POST', path: '/api/jobs/runs/:runId/cancel'},
    retryRun: {method: 'POST', path: '/api/jobs/runs/:runId/retry'},
    show: {method: 'GET', path: '/api/jobs/:key'},
    update: {method: 'PATCH', path: '/api/jobs/:key'},
    delete: {method: 'DELETE', path: '/api/jobs/:key'},
    run: {method: 'POST', path: '/api/jobs/:key/run'},
    runs: {method: 'GET', path: '/api/jobs/:key/runs'},
  },
}
