import {Fault} from '../../src/contract/faults.js'
import type {Principal} from '../access/principal.js'
import {toInstant, type Clock} from '../clock.js'
import type {RecordEvent} from '../events/event-log.js'
import type {Actor} from '../events/record.js'
import {newId} from '../store/ids.js'
import type {Store} from '../store/store.js'
import {toIdKey} from './catalog.js'
import type {Upload} from './check-upload.js'
import {CustomApps, type CustomAppRecord} from './records.js'

export interface KeepParts {
  readonly store: Store
  readonly clock: Clock
  readonly recordEvent: RecordEvent
}

export interface Keeper {
  readonly principal: Principal
  readonly actor: Actor
}

/** Keeps an upload of an organization, in the place of the one with the same id. Answers whether there was one. */
export async function keepCustomApp({store, clock, recordEvent}: KeepParts, {principal, actor}: Keeper, upload: Upload): Promise<boolean> {
  const {definition, text} = upload
  const {organizationId} = principal
  const now = toInstant(clock.now())
  return store.transaction(async (transaction) => {
    const before = await transaction.findOne(CustomApps, 'app', [organizationId, toIdKey(definition.id)])
    if (before !== undefined && before.appId !== definition.id) {
      throw new Fault('APP_ID_TAKEN', `${before.appId} is there already, and ids that differ only in case are one; rename yours`, {details: {appId: before.appId}})
    }
    const record: CustomAppRecord = {
      id: before?.id ?? newId('capp'), organizationId, appId: definition.id, appIdKey: toIdKey(definition.id), definitionText: text,
      revision: (before?.revision ?? 0) + 1, createdByUserId: principal.userId, createdAt: before?.createdAt ?? now, updatedAt: now,
    }
    await (before === undefined ? transaction.insert(CustomApps, record) : transaction.put(CustomApps, record))
    await recordEvent(transaction, {
      type: before === undefined ? 'custom_app.uploaded' : 'custom_app.replaced', ...eventOf(record), actor,
      payload: {...(before !== undefined && {before: summaryOf(before)}), after: {...summaryOf(record), name: definition.name}},
    })
    return before !== undefined
  })
}

/** Deletes an upload of an organization. Answers whether there was one. */
export async function deleteCustomApp({store, recordEvent}: KeepParts, {principal, actor}: Keeper, appId: string): Promise<boolean> {
  return store.transaction(async (transaction) => {
    const record = await transaction.findOne(CustomApps, 'app', [principal.organizationId, toIdKey(appId)])
    if (record?.appId !== appId) return false
    await transaction.delete(CustomApps, record.id)
    await recordEvent(transaction, {type: 'custom_app.deleted', ...eventOf(record), actor, payload: {before: summaryOf(record)}})
    return true
  })
}

function eventOf({id, organizationId}: CustomAppRecord) {
  return {organizationId, resourceType: 'custom_app', resourceId: id}
}

// Never the definition itself: people write secrets into them.
function summaryOf({appId, revision}: CustomAppRecord) {
  return {appId, revision}
}
