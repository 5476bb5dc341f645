import {z} from 'zod'
import {Instant} from './fields.js'

export const EnvironmentType = z.enum(['production', 'preview', 'development'])
export type EnvironmentType = z.output<typeof EnvironmentType>

/** What stands in the place of a secret on the way out; sent back it means "unchanged". */
export const valueMask = '••••••••'

export const EnvVar = z.object({
  id: z.string(),
  key: z.string(),
  value: z.string().describe('eight bullets where it is a secret'),
  environment: EnvironmentType,
  serviceId: z.string().nullable().describe('null is all services of the project'),
  isSecret: z.boolean(),
  createdAt: Instant,
  updatedAt: Instant,
})
export type EnvVar = z.output<typeof EnvVar>

export const EnvKey = z.string().max(256).regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'letters, digits and _; not a digit first')
export const EnvEntry = z.strictObject({key: EnvKey, value: z.string().max(10_000), isSecret: z.boolean().optional()})
