import {eventKind, eventKinds, type EventType} from '../../../src/contract/events.js'

export interface TriggerEvent {
  readonly id: string
  readonly label: string
  readonly description: string
}

/** The events that can start a job, in the order of the table. */
export function listTriggerEvents(): TriggerEvent[] {
  return Object.keys(eventKinds).flatMap((id) => {
    const {trigger} = eventKind(id as EventType)
    return trigger === undefined ? [] : [{id, label: trigger.label, description: trigger.description}]
  })
}

export function isTriggerEvent(id: string): boolean {
  return Object.hasOwn(eventKinds, id) && eventKind(id as EventType).trigger !== undefined
}
