import {z} from 'zod'
import {Instant} from './fields.js'

export const LogEntry = z.object({
  timestamp: Instant,
  message: z.string(),
  level: z.enum(['info', 'warn', 'error']),
  step: z.string().optional(),
  serviceName: z.string().optional(),
  serviceId: z.string().optional(),
  seq: z.int().optional(),
})
export type LogEntry = z.output<typeof LogEntry>
