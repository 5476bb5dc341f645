import type {DocumentOf} from '../store/collection.js'
import type {StoreReader, Transaction} from '../store/store.js'
import {AuditSettings} from './records.js'

type Settings = DocumentOf<typeof AuditSettings>

/** What an organization wants of its trail. */
export async function getAuditSettings(reader: StoreReader, organizationId: string): Promise<Settings> {
  return (await reader.get(AuditSettings, organizationId)) ?? {id: organizationId, enabled: true, retentionDays: 90}
}

export async function saveAuditSettings(transaction: Transaction, settings: Settings): Promise<void> {
  const known = await transaction.get(AuditSettings, settings.id)
  await (known === undefined ? transaction.insert(AuditSettings, settings) : transaction.put(AuditSettings, settings))
}
