import {mkdtemp, rm} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {onTestFinished} from 'vitest'
import {systemClock, type Clock} from '../../../daemon/clock.js'
import {createRecordEvent} from '../../../daemon/events/event-log.js'
import {systemActor, type Actor, type DomainEvent} from '../../../daemon/events/record.js'
import {EventPositions, Events} from '../../../daemon/events/records.js'
import {freeOfCharge, type Billing} from '../../../daemon/jobs/billing.js'
import {Jobs, RunLeftovers, RunPlans, Runs, type JobRecord, type RunRecord} from '../../../daemon/jobs/records.js'
import {createRequestRun} from '../../../daemon/jobs/request-run.js'
import type {RequestRun, RunRequest} from '../../../daemon/jobs/run-request.js'
import {openFileStore} from '../../../daemon/store/file-store.js'
import {newId} from '../../../daemon/store/ids.js'
import type {Store} from '../../../daemon/store/store.js'
import type {Log} from '../../../daemon/log.js'

export const quietLog: Log = {info: () => undefined, warn: () => undefined, error: () => undefined}
export const runCollections = [Jobs, Runs, RunPlans, RunLeftovers, Events, EventPositions]
export const person: Actor = {userId: 'usr_ada', source: 'cli', clientId: 'pat:pat_1', ipAddress: '127.0.0.1', userAgent: 'test'}
export const organizationId = 'org_default'

export async function makeHome(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'moorage-runs-'))
  onTestFinished(() => rm(home, {recursive: true, force: true}))
  return home
}

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

export interface RequestFixture {
  readonly store: Store
  readonly requestRun: RequestRun
  addJob(over: Partial<JobRecord> & {readonly key: string}): Promise<JobRecord>
  request(request: Omit<RunRequest, 'actor'> & {readonly actor?: Actor}): Promise<RunRecord>
  events(): Promise<DomainEvent[]>
}

/** The store and the asking, without anything that executes. */
export async function openRequests({billing = freeOfCharge, clock = systemClock}: {billing?: Billing; clock?: Clock} = {}): Promise<RequestFixture> {
  const store = await openRunStore(await makeHome(), clock)
  onTestFinished(() => store.close())
  const requestRun = createRequestRun({clock, billing, recordEvent: createRecordEvent(clock)})
  return {
    store,
    requestRun,
    async addJob(over) {
      const job = makeJob(over)
      await store.transaction((transaction) => transaction.insert(Jobs, job))
      return job
    },
    request: (request) => store.transaction((transaction) => requestRun(transaction, {actor: request.trigger === 'manual' ? person : systemActor, ...request})),
    events: () => readEvents(store),
  }
}

export function readEvents(store: Store): Promise<DomainEvent[]> {
  return store.find(Events, 'position', ['all'])
}
