import type {AuditEntry, auditRoutes} from '../../src/contract/audit.js'
import {Fault, invalidInput} from '../../src/contract/faults.js'
import {isAtLeast} from '../access/decide.js'
import {Organizations, Users} from '../access/records.js'
import type {RecordEvent} from '../events/event-log.js'
import type {Handlers} from '../http/handlers.js'
import {listPage} from '../http/pages.js'
import type {DocumentOf} from '../store/collection.js'
import type {Store, StoreReader} from '../store/store.js'
import {AuditEntries} from './records.js'

type Row = DocumentOf<typeof AuditEntries>

export function createAuditHandlers(store: Store, recordEvent: RecordEvent): Handlers<typeof auditRoutes> {
  return {
    async list({query}, {principal}) {
      const source = {collection: AuditEntries, index: 'organization' as const, key: [principal.organizationId], where: filterOf(query)}
      const {data, ...rest} = await listPage(store, source, query)
      return {...rest, data: await Promise.all(data.map((row) => withActor(store, row)))}
    },

    async settings(_input, {principal}) {
      const organization = await getOrganization(store, principal.organizationId)
      return toSettings(organization, isAtLeast(principal.role, 'admin'))
    },

    async updateSettings({body}, {principal, actor}) {
      if (!isAtLeast(principal.role, 'admin')) throw new Fault('INSUFFICIENT_ROLE', 'only owners and administrators change what is recorded')
      if (body.enabled === undefined && body.retentionDays === undefined) {
        throw invalidInput([{path: '/', message: 'give enabled, retentionDays or both'}])
      }
      return store.transaction(async (transaction) => {
        const organization = await getOrganization(transaction, principal.organizationId)
        const changed = {
          ...organization,
          auditEnabled: body.enabled ?? organization.auditEnabled,
          auditRetentionDays: body.retentionDays ?? organization.auditRetentionDays,
        }
        await transaction.put(Organizations, changed)
        const event = {organizationId: organization.id, resourceType: 'audit', resourceId: '*', actor}
        if (changed.auditEnabled !== organization.auditEnabled) {
          await recordEvent(transaction, {...event, type: changed.auditEnabled ? 'audit.enabled' : 'audit.disabled', payload: {}})
        }
        if (changed.auditRetentionDays !== organization.auditRetentionDays) {
          const payload = {before: {retentionDays: organization.auditRetentionDays}, after: {retentionDays: changed.auditRetentionDays}}
          await recordEvent(transaction, {...event, type: 'audit.retention_changed', payload})
        }
        return toSettings(changed, true)
      })
    },
  }
}

async function getOrganization(reader: StoreReader, id: string) {
  const organization = await reader.get(Organizations, id)
  if (organization === undefined) throw new Fault('NOT_FOUND', 'Not found')
  return organization
}

function toSettings(organization: {auditEnabled: boolean; auditRetentionDays: number}, canManage: boolean) {
  return {enabled: organization.auditEnabled, retentionDays: organization.auditRetentionDays, canManage}
}

interface Filters {
  readonly eventType?: string | undefined
  readonly actorUserId?: string | undefined
  readonly resourceType?: string | undefined
  readonly resourceId?: string | undefined
  readonly source?: string | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
}

// Malformed filters are passed over, not refused: older clients send what they have.
function filterOf(filters: Filters): (row: Row) => boolean {
  const from = filters.from === undefined ? Number.NaN : Date.parse(filters.from)
  const to = filters.to === undefined ? Number.NaN : Date.parse(filters.to)
  return (row) =>
    (['eventType', 'actorUserId', 'resourceType', 'resourceId', 'source'] as const).every((name) => {
      const wanted = filters[name]
      return wanted === undefined || wanted === '' || row[name] === wanted
    }) &&
    !(Date.parse(row.createdAt) < from) &&
    !(Date.parse(row.createdAt) > to)
}

async function withActor(reader: StoreReader, row: Row): Promise<AuditEntry> {
  const user = row.actorUserId === null ? undefined : await reader.get(Users, row.actorUserId)
  return {...row, actor: user === undefined ? null : {id: user.id, email: user.email, name: user.name}}
}
