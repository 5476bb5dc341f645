import {z} from 'zod'
import {eventKind} from '../../src/contract/events.js'
import type {DomainEvent} from '../events/record.js'
import {newId} from '../store/ids.js'
import type {Transaction} from '../store/store.js'
import {AuditEntries} from './records.js'
import {getAuditSettings} from './settings.js'

const Snapshot = z.record(z.string(), z.unknown()).nullable().catch(null)

// These are kept whatever the setting says: turning the trail off must itself be in it.
const alwaysKept = new Set(['audit.enabled', 'audit.disabled'])

/** Turns an audited event into a row of the trail. */
export async function writeAudit(transaction: Transaction, event: DomainEvent): Promise<void> {
  const name = eventKind(event.type).audit
  if (name === undefined || event.organizationId === null) return
  const {enabled} = await getAuditSettings(transaction, event.organizationId)
  if (!enabled && !alwaysKept.has(event.type)) return
  await transaction.insert(AuditEntries, {
    id: newId('aud'),
    organizationId: event.organizationId,
    actorUserId: event.actor.userId,
    eventType: name,
    resourceType: event.resourceType,
    resourceId: event.resourceId,
    before: Snapshot.parse(event.payload['before'] ?? null),
    after: Snapshot.parse(event.payload['after'] ?? null),
    ipAddress: event.actor.ipAddress,
    userAgent: event.actor.userAgent,
    source: event.actor.source,
    sourceClientId: event.actor.clientId,
    createdAt: event.occurredAt,
  })
}
