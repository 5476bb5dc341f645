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
