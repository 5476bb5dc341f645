import {z} from 'zod'
import {AuditEntry} from '../../src/contract/audit.js'
import {defineCollection} from '../store/collection.js'

/** One act of a person or of the daemon itself; `actor` is looked up when it is read. */
export const AuditRecord = AuditEntry.omit({actor: true})

export const AuditEntries = defineCollection({
  name: 'audit_entries',
  version: 1,
  schema: AuditRecord,
  indexes: {organization: {fields: ['organizationId']}},
})

/** Whether and how long an organization keeps its trail; the id is the organization's. Without a row: on, 90 days. */
export const AuditSettings = defineCollection({
  name: 'audit_settings',
  version: 1,
  schema: z.object({id: z.string(), enabled: z.boolean(), retentionDays: z.int()}),
  indexes: {},
})
