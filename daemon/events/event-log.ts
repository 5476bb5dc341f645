import {toInstant, type Clock} from '../clock.js'
import {newId} from '../store/ids.js'
import type {Transaction} from '../store/store.js'
import type {NewEvent} from './record.js'
import {EventPositions, Events} from './records.js'

/** Writes an event in the transaction of the change that caused it: both are there, or neither. */
export type RecordEvent = (transaction: Transaction, event: NewEvent) => Promise<void>

export function createRecordEvent(clock: Clock): RecordEvent {
  return async (transaction, event) => {
    const position = await advance(transaction, 'head')
    await transaction.insert(Events, {
      id: newId('evt'),
      stream: 'all',
      position,
      type: event.type,
      organizationId: event.organizationId,
      resourceType: event.resourceType,
      resourceId: event.resourceId,
      actor: {...event.actor},
      occurredAt: toInstant(clock.now()),
      payload: {...event.payload},
    })
  }
}

async function advance(transaction: Transaction, id: string): Promise<number> {
  const head = await transaction.get(EventPositions, id)
  const position = (head?.position ?? 0) + 1
  if (head === undefined) await transaction.insert(EventPositions, {id, position})
  else await transaction.put(EventPositions, {id, position})
  return position
}
