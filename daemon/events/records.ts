import {z} from 'zod'
import {AuditSource} from '../../src/contract/audit.js'
import {eventKinds, type EventType} from '../../src/contract/events.js'
import {defineCollection} from '../store/collection.js'

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

export const Events = defineCollection({
  name: 'events',
  version: 1,
  schema: DomainEvent,
  indexes: {position: {fields: ['stream'], orderBy: 'position'}},
})

/** How far each reader came; the row `head` is the position of the newest event. */
export const EventPositions = defineCollection({
  name: 'event_positions',
  version: 1,
  schema: z.object({id: z.string(), position: z.int()}),
  indexes: {},
})
