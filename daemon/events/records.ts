import {z} from 'zod'
import {defineCollection} from '../store/collection.js'
import {DomainEvent} from './record.js'

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
