// What the tests of runs share; it needs no test runner, so that processes of their own can use it too.
import {systemClock, type Clock} from '../../../daemon/clock.js'
import type {Actor} from '../../../daemon/events/record.js'
import {EventPositions, Events} from '../../../daemon/events/records.js'
import {Jobs, RunLeftovers, RunPlans, Runs, type JobRecord} from '../../../daemon/jobs/records.js'
import type {Log} from '../../../daemon/log.js'
import {openFileStore} from '../../../daemon/store/file-store.js'
import {newId} from '../../../daemon/store/ids.js'
import type {Store} from '../../../daemon/store/store.js'

export const quietLog: Log = {info: () => undefined, warn: () => undefined, error: () => undefined}
export const runCollections = [Jobs, Runs, RunPlans, RunLeftovers, Events, EventPositions]
export const person: Actor = {userId: 'usr_ada', source: 'cli', clientId: 'pat:pat_1', ipAddress: '127.0.0.1', userAgent: 'test'}
export const organizationId = 'org_default'

export async function openRunStore(home: string, clock: Clock = systemClock): Promise<Store> {
  const {store} = await openFileStore({home, collections: runCollections, clock, log: quietLog})
  return store
}

export function makeJob(over: Partial<JobRecord> & {readonly key: string}): JobRecord {
  const now = '2026-01-01T00:00:00.000Z'
  return {
    id: newId('job'),
    organizationId,
    kind: 'custom',
    name: null,
    manifest: null,
    label: over.key,
    scheduleType: 'manual',
    cronExpression: null,
    timeZone: null,
    runAt: null,
    jitterSeconds: 0,
    overlap: 'skip',
    misfire: 'once',
    enabled: true,
    serverIds: ['srv_local'],
    command: 'true',
    timeoutMs: null,
    retry: null,
    env: {},
    secrets: {},
    parameters: [],
    outputLimitBytes: 256 * 1024 * 1024,
    separateStderr: false,
    dependsOn: [],
    onFailure: [],
    triggerEvents: [],
    expectSuccessWithinMs: null,
    expectedSince: null,
    overdue: false,
    notifyConfig: null,
    createdBy: 'usr_ada',
    createdAt: now,
    updatedAt: now,
    nextDueAt: null,
    nextRunAt: null,
    ...over,
  }
}
