import type {AuditEntry, auditRoutes} from '../../src/contract/audit.js'
import {invalidInput} from '../../src/contract/faults.js'
import {allows} from '../access/decide.js'
import {findUser} from '../access/find-user.js'
import type {Principal} from '../access/principal.js'
import type {RecordEvent} from '../events/event-log.js'
import type {Handlers} from '../http/handlers.js'
import {listPage} from '../http/pages.js'
import type {DocumentOf} from '../store/collection.js'
import type {Store, StoreReader} from '../store/store.js'
import {AuditEntries} from './records.js'
import {getAuditSettings, saveAuditSettings} from './settings.js'

type Row = DocumentOf<typeof AuditEntries>

export function createAuditHandlers(store: Store, recordEvent: RecordEvent): Handlers<typeof auditRoutes> {
  return {
    async list({query}, {principal}) {
      const source = {collection: AuditEntries, index: 'organization' as const, key: [principal.organizationId], where: filterOf(query)}
      const {data, ...rest} = await listPage(store, source, query)
      return {...rest, data: await Promise.all(data.map((row) => withActor(store, row)))}
    },

    async settings(_input, {principal}) {
      const {enabled, retentionDays} = await getAuditSettings(store, principal.organizationId)
      return {enabled, retentionDays, canManage: mayManage(principal)}
    },

    async updateSettings({body}, {principal, actor}) {
      if (body.enabled === undefined && body.retentionDays === undefined) {
        throw invalidInput([{path: '/', message: 'give enabled, retentionDays or both'}])
      }
      return store.transaction(async (transaction) => {
        const before = await getAuditSettings(transaction, principal.organizationId)
        const after = {...before, enabled: body.enabled ?? before.enabled, retentionDays: body.retentionDays ?? before.retentionDays}
        await saveAuditSettings(transaction, after)
        const event = {organizationId: principal.organizationId, resourceType: 'audit', resourceId: '*', actor}
        if (after.enabled !== before.enabled) {
          await recordEvent(transaction, {...event, type: after.enabled ? 'audit.enabled' : 'audit.disabled', payload: {}})
        }
        if (after.retentionDays !== before.retentionDays) {
          const payload = {before: {retentionDays: before.retentionDays}, after: {retentionDays: after.retentionDays}}
          await recordEvent(transaction, {...event, type: 'audit.retention_changed', payload})
        }
        return {enabled: after.enabled, retentionDays: after.retentionDays, canManage: true}
      })
    },
  }
}

function mayManage(principal: Principal): boolean {
  return allows(principal, {type: 'audit', id: '*', organizationId: principal.organizationId}, 'write')
}

interface Filters {
  readonly eventType?: string | undefined
  readonly actorUserId?: string | undefined
  readonly resourceType?: string | undefined
  readonly resourceId?: string | undefined
  readonly source?: string | undefined
  readonly sourceClientId?: string | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
}

// Malformed filters are passed over, not refused: older clients send what they have.
function filterOf(filters: Filters): (row: Row) => boolean {
  const from = filters.from === undefined ? Number.NaN : Date.parse(filters.from)
  const to = filters.to === undefined ? Number.NaN : Date.parse(filters.to)
  return (row) =>
    (['eventType', 'actorUserId', 'resourceType', 'resourceId', 'source', 'sourceClientId'] as const).every((name) => {
      const wanted = filters[name]
      return wanted === undefined || wanted === '' || row[name] === wanted
    }) &&
    !(Date.parse(row.createdAt) < from) &&
    !(Date.parse(row.createdAt) > to)
}

async function withActor(reader: StoreReader, row: Row): Promise<AuditEntry> {
  const user = row.actorUserId === null ? undefined : await findUser(reader, row.actorUserId)
  return {...row, actor: user === undefined ? null : {id: user.id, email: user.email, name: user.name}}
}
