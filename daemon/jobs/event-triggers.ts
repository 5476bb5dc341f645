import {createHash} from 'node:crypto'
import type {DomainEvent} from '../events/record.js'
import {eventKind} from '../../src/contract/events.js'
import {systemActor} from '../events/record.js'
import type {Transaction} from '../store/store.js'
import type {JobLinks} from './job-links.js'
import {Jobs} from './records.js'
import {toEventPayload} from './run-environment.js'
import type {RequestRun} from './run-request.js'

export interface EventTriggerParts {
  readonly links: JobLinks
  readonly requestRun: RequestRun
  /** False while schedules are off. */
  readonly triggersEnabled: () => boolean
}

export type StartJobsFor = (transaction: Transaction, event: DomainEvent) => Promise<void>

/** Starts the enabled jobs of the event's organization that list it. Handing over the same event again starts nothing more. */
export function createEventTriggers({links, requestRun, triggersEnabled}: EventTriggerParts): StartJobsFor {
  return async (transaction, event) => {
    const {organizationId, type, resourceType, resourceId} = event
    if (organizationId === null || eventKind(type).trigger === undefined || !triggersEnabled()) return
    for (const key of await links.armedFor(organizationId, type)) {
      const job = await transaction.findOne(Jobs, 'key', [key])
      if (job === undefined || !job.enabled || job.organizationId !== organizationId || !job.triggerEvents.includes(type)) continue
      const details = {type, resourceType, resourceId, payload: toEventPayload(event.payload)}
      await requestRun(transaction, {job, trigger: 'event', actor: systemActor, id: toRunId(event.id, key), event: details})
    }
  }
}

function toRunId(eventId: string, jobKey: string): string {
  return `jrun_${createHash('sha256').update(`${eventId} ${jobKey}`).digest('base64url').slice(0, 16)}`
}
