import {mkdtemp, rm} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {onTestFinished} from 'vitest'
import {systemClock, type Clock} from '../../../daemon/clock.js'
import {createRecordEvent} from '../../../daemon/events/event-log.js'
import {systemActor, type Actor, type DomainEvent} from '../../../daemon/events/record.js'
import {Events} from '../../../daemon/events/records.js'
import {freeOfCharge, type Billing} from '../../../daemon/jobs/billing.js'
import {Jobs, type JobRecord, type RunRecord} from '../../../daemon/jobs/records.js'
import {createRequestRun} from '../../../daemon/jobs/request-run.js'
import type {RequestRun, RunRequest} from '../../../daemon/jobs/run-request.js'
import type {Store} from '../../../daemon/store/store.js'
import {makeJob, openRunStore, person} from './run-records.js'

export async function makeHome(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'moorage-runs-'))
  onTestFinished(() => rm(home, {recursive: true, force: true}))
  return home
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
