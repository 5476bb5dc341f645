import type {DeploymentStatus, ServiceOutcome} from '../../../src/contract/deployments.js'
import type {EventType} from '../../../src/contract/events.js'
import {toInstant, type Clock} from '../../clock.js'
import type {RecordEvent} from '../../events/event-log.js'
import {systemActor} from '../../events/record.js'
import type {Transaction} from '../../store/store.js'
import {Projects} from '../records.js'
import {releaseUnusedName} from './claim-name.js'
import {toDeploymentEvent} from './deployment-events.js'
import {Deployments, Releases, ServiceOutcomes, type DeploymentRecord} from './records.js'

export interface EndDeploymentParts {
  readonly clock: Clock
  readonly recordEvent: RecordEvent
}

export type EndStatus = Extract<DeploymentStatus, 'ready' | 'no_changes' | 'failed' | 'action_required' | 'cancelled'>

export interface DeploymentEnding {
  readonly status: EndStatus
  readonly endReason: string | null
  readonly errorMessage?: string | null
  readonly errorCode?: string | null
  readonly errorDetails?: Record<string, unknown> | null
  readonly restoredDeploymentId?: string | null
  readonly interruptionMs?: number | null
  readonly version?: number
  readonly outputBytes?: number
  /** Whether its images and files are kept for a rollback. */
  readonly retained?: boolean
  /** The last lines of its log, for whoever is told that it failed. */
  readonly logsTail?: readonly string[]
}

/** Everything that the end of a deployment means, in the transaction that ends it: the one that waits behind it begins. */
export async function endDeployment(parts: EndDeploymentParts, transaction: Transaction, record: DeploymentRecord, ending: DeploymentEnding): Promise<DeploymentRecord> {
  const {logsTail, ...fields} = ending
  const now = toInstant(parts.clock.now())
  const succeeded = ending.status === 'ready' || ending.status === 'no_changes'
  const ended: DeploymentRecord = {
    ...record,
    ...fields,
    errorMessage: cut(ending.errorMessage ?? null),
    slot: null,
    steps: record.steps.map((step) => endStep(step, succeeded, now)),
    durationMs: record.startedAt === null ? null : Math.max(0, Date.parse(now) - Date.parse(record.startedAt)),
    finishedAt: now,
    updatedAt: now,
  }
  await transaction.put(Deployments, ended)
  if (ending.status !== 'ready') await transaction.delete(Releases, record.id)
  await endOutcomes(transaction, ended, now)
  if (record.slot === 'active' && !succeeded) await releaseUnusedName(transaction, record)
  if (record.slot === 'active') await promoteWaiting(transaction, record.projectId, now)
  const project = await transaction.get(Projects, record.projectId)
  const actor = ending.status === 'cancelled' ? (record.request.cancelActor ?? systemActor) : systemActor
  await parts.recordEvent(transaction, toDeploymentEvent(eventOf(ended), {deployment: ended, project, actor, ...(logsTail !== undefined && {more: {logsTail}})}))
  return ended
}

function eventOf({status, request}: DeploymentRecord): Extract<EventType, `deployment.${string}`> {
  if (status === 'cancelled') return 'deployment.cancelled'
  if (status !== 'ready' && status !== 'no_changes') return 'deployment.failed'
  return request.kind === 'rollback' ? 'deployment.rolled_back' : 'deployment.succeeded'
}

function endStep(step: DeploymentRecord['steps'][number], succeeded: boolean, now: string): DeploymentRecord['steps'][number] {
  if (step.status === 'pending') return {...step, status: 'skipped'}
  if (step.status === 'running') return {...step, status: succeeded ? 'completed' : 'failed', finishedAt: now}
  return step
}

const unfinished = new Set<ServiceOutcome['status']>(['pending', 'building', 'built', 'deploying'])

// A service that came up is no success of a release that did not stay.
async function endOutcomes(transaction: Transaction, {id, status}: DeploymentRecord, now: string): Promise<void> {
  if (status === 'ready' || status === 'no_changes') return
  for (const outcome of await transaction.find(ServiceOutcomes, 'deployment', [id])) {
    if (!unfinished.has(outcome.status) && outcome.status !== 'success') continue
    await transaction.put(ServiceOutcomes, {...outcome, status: 'cancelled', finishedAt: outcome.finishedAt ?? now})
  }
}

async function promoteWaiting(transaction: Transaction, projectId: string, now: string): Promise<void> {
  const waiting = await transaction.findOne(Deployments, 'slot', [projectId, 'waiting'])
  if (waiting !== undefined) await transaction.put(Deployments, {...waiting, slot: 'active', updatedAt: now})
}

const longestMessage = 2000

function cut(message: string | null): string | null {
  return message !== null && message.length > longestMessage ? `${message.slice(0, longestMessage)}…` : message
}
