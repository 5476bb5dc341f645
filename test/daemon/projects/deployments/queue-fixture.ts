import {onTestFinished} from 'vitest'
import {systemClock} from '../../../../daemon/clock.js'
import {collections} from '../../../../daemon/collections.js'
import {createRecordEvent} from '../../../../daemon/events/event-log.js'
import type {Actor, DomainEvent} from '../../../../daemon/events/record.js'
import {Events} from '../../../../daemon/events/records.js'
import type {Log} from '../../../../daemon/log.js'
import {endDeployment, type DeploymentEnding} from '../../../../daemon/projects/deployments/end-deployment.js'
import {Deployments, type DeploymentRecord} from '../../../../daemon/projects/deployments/records.js'
import {createRequestDeployment, type DeploymentWish, type RequestedDeployment} from '../../../../daemon/projects/deployments/request-deployment.js'
import {newProject} from '../../../../daemon/projects/project-input.js'
import {Projects, Services, type ProjectRecord, type ServiceRecord} from '../../../../daemon/projects/records.js'
import {newService} from '../../../../daemon/projects/service-input.js'
import {openFileStore} from '../../../../daemon/store/file-store.js'
import {createSealer, type Sealer} from '../../../../daemon/store/secrets.js'
import type {Store} from '../../../../daemon/store/store.js'
import {temporaryFolder} from '../../start-test-daemon.js'

export const quietLog: Log = {info: () => undefined, warn: () => undefined, error: () => undefined}
export const ada: Actor = {userId: 'usr_ada', source: 'cli', clientId: 'pat:pat_1', ipAddress: '127.0.0.1', userAgent: 'test'}
export const organizationId = 'org_default'

export interface QueueFixture {
  readonly store: Store
  readonly sealer: Sealer
  addProject(wish: Parameters<typeof newProject>[0], more?: Partial<ProjectRecord>): Promise<ProjectRecord>
  addService(project: ProjectRecord, wish: Parameters<typeof newService>[0]): Promise<ServiceRecord>
  ask(wish: Omit<DeploymentWish, 'actor' | 'trigger'> & Partial<Pick<DeploymentWish, 'trigger'>>): Promise<RequestedDeployment>
  end(id: string, ending: DeploymentEnding): Promise<DeploymentRecord>
  deployment(id: string): Promise<DeploymentRecord>
  events(): Promise<DomainEvent[]>
}

export function testSealer(): Sealer {
  return createSealer({current: {id: 'k1', bytes: Buffer.alloc(32, 7)}, older: []})
}

/** A real store and the asking, without anything that carries deployments out. */
export async function openQueue(): Promise<QueueFixture> {
  const {store} = await openFileStore({home: await temporaryFolder(), collections, clock: systemClock, log: quietLog})
  onTestFinished(() => store.close())
  const parts = {clock: systemClock, recordEvent: createRecordEvent(systemClock)}
  const requestDeployment = createRequestDeployment(parts)
  const sealer = testSealer()
  const now = '2026-01-01T00:00:00.000Z'
  const deployment = async (id: string) => {
    const record = await store.get(Deployments, id)
    if (record === undefined) throw new Error(`there is no deployment ${id}`)
    return record
  }
  return {
    store,
    sealer,
    async addProject(wish, more = {}) {
      const project = {...newProject(wish, organizationId, now), ...more}
      await store.transaction((transaction) => transaction.insert(Projects, project))
      return project
    },
    async addService(project, wish) {
      const others = await store.find(Services, 'project', [project.id])
      const service = newService(wish, {sealer, project, others, now})
      await store.transaction((transaction) => transaction.insert(Services, service))
      return service
    },
    ask: (wish) => store.transaction((transaction) => requestDeployment(transaction, {actor: ada, trigger: 'manual', ...wish})),
    end: (id, ending) => store.transaction(async (transaction) => endDeployment(parts, transaction, await deployment(id), ending)),
    deployment,
    events: () => store.find(Events, 'position', ['all']),
  }
}
