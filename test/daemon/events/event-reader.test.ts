import {expect, it, onTestFinished} from 'vitest'
import {systemClock} from '../../../daemon/clock.js'
import {createRecordEvent} from '../../../daemon/events/event-log.js'
import {EventReader} from '../../../daemon/events/event-reader.js'
import {systemActor, type DomainEvent} from '../../../daemon/events/record.js'
import {EventPositions, Events} from '../../../daemon/events/records.js'
import {collections} from '../../../daemon/collections.js'
import {openFileStore} from '../../../daemon/store/file-store.js'
import type {Store} from '../../../daemon/store/store.js'
import {temporaryFolder} from '../start-test-daemon.js'

const quiet = {info: () => undefined, warn: () => undefined, error: () => undefined}

async function open(home: string): Promise<Store> {
  const {store} = await openFileStore({home, collections, clock: systemClock, log: quiet})
  onTestFinished(() => store.close())
  return store
}

async function emit(store: Store, id: string): Promise<void> {
  const record = createRecordEvent(systemClock)
  await store.transaction((transaction) =>
    record(transaction, {type: 'project.created', organizationId: 'org_1', resourceType: 'project', resourceId: id, actor: systemActor, payload: {}}),
  )
}

/** A reader that notes what it was handed and tells when it has had enough of it. */
function collect(store: Store, wanted: number, fail?: (event: DomainEvent) => boolean) {
  const seen: string[] = []
  let enough: () => void
  const done = new Promise<void>((resolve) => {
    enough = resolve
  })
  const immediately = {...systemClock, after: (_ms: number, callback: () => void) => systemClock.after(0, callback)}
  const reader = new EventReader({
    store, clock: immediately, log: quiet, name: 'test',
    async handle(_transaction, event) {
      if (fail?.(event) === true) throw new Error('this time it fails')
      seen.push(event.resourceId)
      if (seen.length >= wanted) enough()
    },
  })
  onTestFinished(() => reader.stop())
  return {reader, seen, done}
}

it('hands every event to a reader, in order, those from before it came too', async () => {
  const store = await open(await temporaryFolder())
  await emit(store, 'a')
  const {reader, seen, done} = collect(store, 3)
  reader.start()
  await emit(store, 'b')
  await emit(store, 'c')
  await done
  expect(seen).toEqual(['a', 'b', 'c'])
})

it('goes on after a restart from where it was', async () => {
  const home = await temporaryFolder()
  const first = await open(home)
  await emit(first, 'a')
  const before = collect(first, 1)
  before.reader.start()
  await before.done
  await before.reader.stop()
  await emit(first, 'b')
  await first.close()
  const second = await open(home)
  const after = collect(second, 1)
  after.reader.start()
  await after.done
  expect(after.seen).toEqual(['b'])
})

it('loses nothing when handling an event fails', async () => {
  const store = await open(await temporaryFolder())
  let failures = 0
  const {reader, seen, done} = collect(store, 1, () => ++failures <= 3)
  reader.start()
  await emit(store, 'a')
  await done
  expect([seen, failures]).toEqual([['a'], 4])
})

it('numbers events without a gap although many are written at once', async () => {
  const store = await open(await temporaryFolder())
  await Promise.all(Array.from({length: 50}, (_, i) => emit(store, String(i))))
  const events = await store.find(Events, 'position', ['all'])
  expect(events.map((event) => event.position)).toEqual(Array.from({length: 50}, (_, i) => i + 1))
  expect((await store.get(EventPositions, 'head'))?.position).toBe(50)
})
