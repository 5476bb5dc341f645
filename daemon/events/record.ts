import {z} from 'zod'
import {AuditSource} from '../../src/contract/audit.js'
import {eventKinds, type EventType} from '../../src/contract/events.js'

/** Who did it, for the audit trail. */
export interface Actor {
  readonly userId: string | null
  readonly source: AuditSource
  /** `pat:<id>` or `oauth:<client>`. */
  readonly clientId: string | null
  readonly ipAddress: string | null
  readonly userAgent: string | null
}

export const systemActor: Actor = {userId: null, source: 'system', clientId: null, ipAddress: null, userAgent: null}

/** An event as an area reports it, in the transaction of the change that caused it. */
export interface NewEvent {
  readonly type: EventType
  readonly organizationId: string | null
  readonly resourceType: string
  readonly resourceId: string
  readonly actor: Actor
  /** What readers need; never a secret. For audited events `before` and `after` become the snapshots of the audit row. */
  readonly payload: Readonly<Record<string, unknown>>
}

const EventTypeSchema = z.enum(Object.keys(eventKinds) as [EventType, ...EventType[]])

export const DomainEvent = z.object({
  id: z.string(),
  /** Always `all`: one order for every reader. */
  stream: z.literal('all'),
  /** Counts up by one; readers remember how far they came. */
  position: z.int(),
  type: EventTypeSchema,
  organizationId: z.string().nullable(),
  resourceType: z.string(),
  resourceId: z.string(),
  actor: z.object({
    userId: z.string().nullable(),
    source: AuditSource,
    clientId: z.string().nullable(),
    ipAddress: z.string().nullable(),
    userAgent: z.string().nullable(),
  }),
  occurredAt: z.string(),
  payload: z.record(z.string(), z.unknown()),
})
export type DomainEvent = z.output<typeof DomainEvent>
