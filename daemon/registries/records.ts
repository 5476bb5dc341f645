import {z} from 'zod'
import {defineCollection} from '../store/collection.js'

/** A login that an organization keeps for a registry. */
export const RegistryRecord = z.object({
  id: z.string(),
  organizationId: z.string(),
  host: z.string(),
  username: z.string(),
  /** Sealed. */
  password: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
})
export type RegistryRecord = z.output<typeof RegistryRecord>

export const Registries = defineCollection({
  name: 'registries',
  version: 1,
  schema: RegistryRecord,
  indexes: {organization: {fields: ['organizationId'], orderBy: 'host'}, host: {fields: ['organizationId', 'host'], unique: true}},
})

/** A password that is moved to another record does not open. */
export const passwordContext = (id: string) => `registries/${id}/password`
