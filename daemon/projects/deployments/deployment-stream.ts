import type {z} from 'zod'
import type {DeploymentEvent, ServiceOutcome} from '../../../src/contract/deployments.js'
import {Fault} from '../../../src/contract/faults.js'
import type {StreamFrame} from '../../http/handlers.js'
import type {RunFeed} from '../../jobs/run-feed.js'
import type {OutputLine, OutputStore} from '../../store/output.js'
import type {Store} from '../../store/store.js'
import {progressOf} from './deployment-book.js'
import {toWholeView} from './deployment-view.js'
import {installPhasesOf} from './install-phases.js'
import {parseSourceTag} from './log-source.js'
import {Deployments, ServiceOutcomes, type DeploymentRecord} from './records.js'

export interface DeploymentStreamParts {
  readonly store: Store
  readonly outputs: OutputStore
  readonly feed: RunFeed
}

export interface DeploymentStreamRequest {
  readonly deploymentId: string
  readonly lastEventId: string | undefined
  readonly tail: number | undefined
  readonly signal: AbortSignal
}

type EventInput = z.input<typeof DeploymentEvent>

/**
 * A deployment as it happens: its state, its log, how far it and its services are, then its end. Everything is read from what is stored, so that a
 * reader may come late, be slow, or come back with the id it saw last.
 */
export async function* streamDeployment(parts: DeploymentStreamParts, {deploymentId, lastEventId, tail, signal}: DeploymentStreamRequest): AsyncGenerator<StreamFrame> {
  const watcher = parts.feed.watch(deploymentId)
  try {
    let record = await getRecord(parts.store, deploymentId)
    yield toFrame({type: 'snapshot', deployment: await toWholeView(parts.store, record)})
    const told = new Map<string, string>()
    let cursor = lastEventId
    let last = lastEventId === undefined ? tail : undefined
    for (;;) {
      // Read after the state: a deployment seen as ended has all of its log stored.
      const outcomes = await parts.store.find(ServiceOutcomes, 'deployment', [deploymentId])
      const log = await parts.outputs.find(deploymentId)
      if (log !== undefined) {
        for await (const line of log.lines({cursor, tail: last === 0 ? 1 : last})) {
          cursor = line.cursor
          if (last !== 0) yield {...toFrame(toLogEvent(line, outcomes)), id: line.cursor}
        }
      }
      last = undefined
      for (const event of stateEvents(record, outcomes)) if (isNew(told, event)) yield toFrame(event)
      if (record.slot === null) break
      await watcher.next(signal)
      record = await getRecord(parts.store, deploymentId)
    }
    for (const event of endEvents(record)) yield toFrame(event)
  } finally {
    watcher.close()
  }
}

function toFrame(data: EventInput): StreamFrame {
  return {data}
}

async function getRecord(store: Store, id: string): Promise<DeploymentRecord> {
  const record = await store.get(Deployments, id)
  if (record === undefined) throw new Fault('NOT_FOUND', 'Not found')
  return record
}

function toLogEvent({line, partial, cursor, level, serverId}: OutputLine, outcomes: readonly ServiceOutcome[]): EventInput {
  const {step, serviceName} = parseSourceTag(serverId)
  const message = partial ? line : `${line}\n`
  const serviceId = outcomes.find((outcome) => outcome.serviceName === serviceName)?.serviceId
  return {
    type: 'log', data: Buffer.from(message).toString('base64'), message, eventId: cursor, level,
    ...(step !== undefined && {step}), ...(serviceName !== undefined && {serviceName}), ...(serviceId !== undefined && {serviceId}),
  }
}

function stateEvents(record: DeploymentRecord, outcomes: readonly ServiceOutcome[]): EventInput[] {
  return [{type: 'progress', ...progressOf(record)}, ...outcomes.map(toServiceEvent), ...installPhasesOf(record)]
}

// What a reader was told already is not told again.
function isNew(told: Map<string, string>, event: EventInput): boolean {
  const key = event.type === 'service-status' ? event.serviceId : event.type === 'install-phase' ? event.id : event.type
  const text = JSON.stringify(event)
  if (told.get(key) === text) return false
  told.set(key, text)
  return true
}

const shownStatus = {
  pending: 'pending', building: 'building', built: 'built', deploying: 'deploying', success: 'running', failure: 'failed', skipped: 'skipped', cancelled: 'failed', stopped: 'skipped',
} as const satisfies Record<ServiceOutcome['status'], string>

function toServiceEvent({serviceId, serviceName, status, reason, errorMessage, containerId, hostPort}: ServiceOutcome): EventInput {
  // A service that is carried forward runs on.
  const shown = status === 'skipped' && reason !== 'out-of-scope' && containerId !== null ? 'running' : shownStatus[status]
  return {
    type: 'service-status', serviceId, serviceName, status: shown,
    ...(errorMessage !== null && {error: errorMessage}), ...(containerId !== null && {containerId}), ...(hostPort !== null && {hostPort}),
  }
}

function endEvents(record: DeploymentRecord): EventInput[] {
  const {status, errorMessage, errorCode, errorDetails, restoredDeploymentId, warningMessage} = record
  const success = status === 'ready' || status === 'no_changes' || status === 'partial_failure'
  const message = errorMessage ?? (status === 'no_changes' ? 'nothing had changed; the release goes on' : undefined)
  const warning = success ? warningMessage : restoredDeploymentId === null ? null : 'the release before it is served again'
  const complete: EventInput = {
    type: 'complete', success, status,
    ...(message !== undefined && {message}), ...(warning !== null && {warningMessage: warning}),
    ...(errorCode !== null && {errorCode}), ...(errorDetails !== null && {errorDetails}),
  }
  const end: EventInput = {type: 'end', status: success ? 'ready' : status === 'cancelled' ? 'cancelled' : 'failed'}
  return status === 'cancelled' ? [{type: 'cancelled', message: errorMessage ?? 'the deployment was cancelled'}, complete, end] : [complete, end]
}
