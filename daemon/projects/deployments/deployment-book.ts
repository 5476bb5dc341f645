import {deploymentSteps, type DeploymentStep, type ServiceOutcome} from '../../../src/contract/deployments.js'
import {toInstant, type Clock} from '../../clock.js'
import type {RecordEvent} from '../../events/event-log.js'
import {systemActor} from '../../events/record.js'
import {untilStored} from '../../jobs/until-stored.js'
import type {Log} from '../../log.js'
import {newId} from '../../store/ids.js'
import type {Store, Transaction} from '../../store/store.js'
import {Projects} from '../records.js'
import {toDeploymentEvent} from './deployment-events.js'
import {endDeployment, type DeploymentEnding} from './end-deployment.js'
import {Deployments, ServiceOutcomes, type DeploymentRecord} from './records.js'

export interface DeploymentBookParts {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly recordEvent: RecordEvent
}

export type StepStatus = DeploymentRecord['steps'][number]['status']

/** Writes what happens to one deployment. Each change is a transaction on the record as it then is, repeated until the disk takes it; one that has ended is never changed. */
export class DeploymentBook {
  readonly #parts: DeploymentBookParts
  readonly #id: string
  readonly #signal: AbortSignal

  constructor(parts: DeploymentBookParts, id: string, signal: AbortSignal) {
    this.#parts = parts
    this.#id = id
    this.#signal = signal
  }

  /** Answers the record as it was stored; undefined where the deployment has ended. */
  async change(work: (transaction: Transaction, record: DeploymentRecord, now: string) => Promise<DeploymentRecord>): Promise<DeploymentRecord | undefined> {
    const {store, clock} = this.#parts
    return untilStored(this.#parts, this.#signal, () =>
      store.transaction(async (transaction) => {
        const record = await transaction.get(Deployments, this.#id)
        if (record === undefined || record.slot !== 'active') return undefined
        const changed = await work(transaction, record, toInstant(clock.now()))
        return changed
      }),
    )
  }

  /** For changes of several collections: the record as it stays. */
  readonly put = put

  async patch(fields: Partial<DeploymentRecord>): Promise<DeploymentRecord | undefined> {
    return this.change((transaction, record, now) => put(transaction, {...record, ...fields, updatedAt: now}))
  }

  /** The commit of another deployment. */
  async commitOf(deploymentId: string): Promise<string | null> {
    return (await this.#parts.store.get(Deployments, deploymentId))?.commitSha ?? null
  }

  /** One more attempt begins. The first one is told as the start of the deployment. */
  async begin(): Promise<DeploymentRecord | undefined> {
    return this.change(async (transaction, record, now) => {
      const begun: DeploymentRecord = {...record, attempt: record.attempt + 1, startedAt: record.startedAt ?? now, updatedAt: now}
      if (record.stage === 'before-up') begun.status = 'building'
      if (record.startedAt === null) {
        const project = await transaction.get(Projects, record.projectId)
        begun.previousDeploymentId = project?.activeDeploymentId ?? null
        await this.#parts.recordEvent(transaction, toDeploymentEvent('deployment.started', {deployment: begun, project, actor: systemActor}))
      }
      return put(transaction, begun)
    })
  }

  async markStep(step: DeploymentStep, status: StepStatus): Promise<void> {
    await this.change((transaction, record, now) => {
      const steps = record.steps.map((known) => (known.step === step ? markStep(known, status, now) : known))
      return put(transaction, {...record, steps, updatedAt: now, ...(step === 'deploy' && status === 'running' && {status: 'deploying' as const})})
    })
  }

  /** The services that this deployment is about, before anything is done with them. */
  async setOutcomes(services: readonly Pick<ServiceOutcome, 'serviceId' | 'serviceName' | 'reason' | 'status'>[]): Promise<void> {
    await this.change(async (transaction, record) => {
      for (const before of await transaction.find(ServiceOutcomes, 'deployment', [record.id])) await transaction.delete(ServiceOutcomes, before.id)
      for (const service of services) {
        await transaction.insert(ServiceOutcomes, {
          id: newId('dep'), deploymentId: record.id, ...service, containerId: null, imageRef: null, imageDigest: null, hostPort: null,
          startedAt: null, finishedAt: null, durationMs: null, errorMessage: null,
        })
      }
      return put(transaction, {...record})
    })
  }

  async markService(serviceId: string, fields: Partial<ServiceOutcome>): Promise<void> {
    await this.markServices(new Map([[serviceId, fields]]))
  }

  async markServices(changes: ReadonlyMap<string, Partial<ServiceOutcome>>): Promise<void> {
    await this.change(async (transaction, record, now) => {
      for (const [serviceId, fields] of changes) {
        const outcome = await transaction.findOne(ServiceOutcomes, 'service', [record.id, serviceId])
        if (outcome !== undefined) await transaction.put(ServiceOutcomes, withTimes({...outcome, ...fields}, now))
      }
      return put(transaction, {...record, updatedAt: now})
    })
  }

  /** By the name of the service, as failures have it. */
  async failService(serviceName: string, errorMessage: string): Promise<void> {
    const outcomes = await this.#parts.store.find(ServiceOutcomes, 'deployment', [this.#id])
    const outcome = outcomes.find((one) => one.serviceName === serviceName)
    if (outcome !== undefined) await this.markService(outcome.serviceId, {status: 'failure', errorMessage})
  }

  async end(ending: DeploymentEnding): Promise<DeploymentRecord | undefined> {
    return this.change((transaction, record) => endDeployment(this.#parts, transaction, record, ending))
  }
}

async function put(transaction: Transaction, record: DeploymentRecord): Promise<DeploymentRecord> {
  await transaction.put(Deployments, record)
  return record
}

function markStep(step: DeploymentRecord['steps'][number], status: StepStatus, now: string): DeploymentRecord['steps'][number] {
  if (status === 'running') return {...step, status, startedAt: now, finishedAt: null}
  if (status === 'pending') return {...step, status, startedAt: null, finishedAt: null}
  return {...step, status, startedAt: step.startedAt ?? (status === 'skipped' ? null : now), finishedAt: now}
}

const going = new Set<ServiceOutcome['status']>(['building', 'built', 'deploying'])
const over = new Set<ServiceOutcome['status']>(['success', 'failure', 'skipped', 'cancelled'])

function withTimes(outcome: ServiceOutcome, now: string): ServiceOutcome {
  const startedAt = outcome.startedAt ?? (going.has(outcome.status) ? now : null)
  const finishedAt = over.has(outcome.status) ? (outcome.finishedAt ?? now) : null
  return {...outcome, startedAt, finishedAt, durationMs: startedAt === null || finishedAt === null ? null : Math.max(0, Date.parse(finishedAt) - Date.parse(startedAt))}
}

/** How far a deployment is: the number of the step that goes on, and a figure of a hundred. */
export function progressOf(record: Pick<DeploymentRecord, 'steps' | 'slot'>): {readonly currentStep: number; readonly progress: number} {
  if (record.slot === null) return {currentStep: deploymentSteps.length, progress: 100}
  const shares = {prepare: 3, clone: 10, install: 30, build: 55, deploy: 80} as const
  const at = record.steps.findLastIndex(({status}) => status !== 'pending')
  const current = record.steps[at]
  if (current === undefined) return {currentStep: 0, progress: 0}
  return {currentStep: at + 1, progress: shares[current.step] + (current.status === 'running' ? 0 : 10)}
}
