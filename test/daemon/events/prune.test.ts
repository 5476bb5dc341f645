import {expect, it, onTestFinished} from 'vitest'
import {pruneAudit} from '../../../daemon/audit/prune-audit.js'
import {AuditEntries, AuditSettings} from '../../../daemon/audit/records.js'
import {systemClock, toInstant} from '../../../daemon/clock.js'
import {collections} from '../../../daemon/collections.js'
import {createRecordEvent} from '../../../daemon/events/event-log.js'
import {pruneEvents} from '../../../daemon/events/prune-events.js'
import {systemActor} from '../../../daemon/events/record.js'
import {EventPositions, Events} from '../../../daemon/events/records.js'
import {openFileStore} from '../../../daemon/store/file-store.js'
import {newId} from '../../../daemon/store/ids.js'
import type {Store} from '../../../daemon/store/store.js'
import {temporaryFolder} from '../start-test-daemon.js'

const day = 86_400_000
const quiet = {info: () => undefined, warn: () => undefined, error: () => undefined}
const never = new AbortController().signal

async function open(): Promise<Store> {
  const {store} = await openFileStore({home: await temporaryFolder(), collections, clock: systemClock, log: quiet})
  onTestFinished(() => store.close())
  return store
}

async function emit(store: Store, ageMs: number): Promise<void> {
  const clock = {...systemClock, now: () => Date.now() - ageMs}
  await store.transaction((transaction) =>
    createRecordEvent(clock)(transaction, {type: 'project.created', organizationId: 'o', resourceType: 'project', resourceId: 'p', actor: systemActor, payload: {}}),
  )
}

it('deletes events older than a week that every reader has had, and no other', async () => {
  const store = await open()
  for (const age of [30, 20, 10, 1]) await emit(store, age * day)
  await store.transaction(async (transaction) => {
    await transaction.insert(EventPositions, {id: 'audit', position: 4})
    await transaction.insert(EventPositions, {id: 'slow', position: 2})
  })
  expect(await pruneEvents(store, systemClock, never)).toEqual({deleted: 2})
  expect((await store.find(Events, 'position', ['all'])).map((event) => event.position)).toEqual([3, 4])
})

it('keeps the audit trail of each organization for as long as that one wants', async () => {
  const store = await open()
  const entry = (organizationId: string, ageDays: number) => ({
    id: newId('aud'), organizationId, actorUserId: null, eventType: 'x', resourceType: null, resourceId: null, before: null, after: null,
    ipAddress: null, userAgent: null, source: null, sourceClientId: null, createdAt: toInstant(Date.now() - ageDays * day),
  })
  await store.transaction(async (transaction) => {
    await transaction.insert(AuditSettings, {id: 'short', enabled: false, retentionDays: 7})
    for (const [organization, age] of [['short', 6], ['short', 8], ['default', 89], ['default', 91]] as const) {
      await transaction.insert(AuditEntries, entry(organization, age))
    }
  })
  expect(await pruneAudit(store, systemClock, never)).toEqual({orgsProcessed: 2, totalPruned: 2})
  expect(await store.count(AuditEntries, 'organization', ['short'])).toBe(1)
  expect(await store.count(AuditEntries, 'organization', ['default'])).toBe(1)
})
