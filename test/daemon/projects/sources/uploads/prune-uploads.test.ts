import {readdir} from 'node:fs/promises'
import {expect, it, onTestFinished} from 'vitest'
import {collections} from '../../../../../daemon/collections.js'
import {UploadStore} from '../../../../../daemon/projects/sources/uploads/upload-store.js'
import {openFileStore} from '../../../../../daemon/store/file-store.js'
import type {Store} from '../../../../../daemon/store/store.js'
import {ManualClock} from '../../../manual-clock.js'
import {temporaryFolder} from '../../../start-test-daemon.js'
import {quietLog} from '../../deployments/queue-fixture.js'
import {gzipOf} from './make-tar.js'

const wish = {organizationId: 'org_1', createdBy: 'usr_1', name: 'shop', packageManager: null, stack: null}
const hour = 60 * 60_000

async function* all(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

it('an archive that comes while others are taken away stays', async () => {
  const clock = new ManualClock('2026-01-01T00:00:00Z')
  const {store} = await openFileStore({home: await temporaryFolder(), collections, clock, log: quietLog})
  onTestFinished(() => store.close())
  const folder = await temporaryFolder()
  let onDelete: () => Promise<unknown> = async () => undefined
  const slow = new Proxy(store, {get(target, name) {
    const value: unknown = Reflect.get(target, name)
    if (name === 'transaction') return async (work: Parameters<Store['transaction']>[0]) => {
      await onDelete()
      return target.transaction(work)
    }
    return typeof value === 'function' ? value.bind(target) as unknown : value
  }})
  const uploads = new UploadStore({store: slow, clock, folder, limits: {uploadBytes: 1_000_000, unpackedBytes: 1_000_000, entries: 10, idleMs: 1000}})
  await uploads.start()
  await uploads.open(wish)
  clock.advance(2 * hour)
  const {session, ticket} = await uploads.open(wish)
  const archive = await gzipOf([{name: 'a', text: 'a'}])
  let received: Promise<unknown> | undefined
  onDelete = async () => {
    onDelete = async () => undefined
    received = uploads.receive(session.id, ticket, all(archive))
    await received
  }
  expect(await uploads.prune()).toEqual({deleted: 1})
  await received
  expect(await readdir(folder)).toEqual([session.id])
})

it('a session that ends while its archive comes is kept until that is over', async () => {
  const clock = new ManualClock('2026-01-01T00:00:00Z')
  const {store} = await openFileStore({home: await temporaryFolder(), collections, clock, log: quietLog})
  onTestFinished(() => store.close())
  const uploads = new UploadStore({store, clock, folder: await temporaryFolder(), limits: {uploadBytes: 1_000_000, unpackedBytes: 1_000_000, entries: 10, idleMs: 3 * hour}})
  await uploads.start()
  const {session, ticket} = await uploads.open(wish)
  const archive = await gzipOf([{name: 'a', text: 'a'}])
  async function* slowly() {
    yield archive.subarray(0, 10)
    clock.advance(2 * hour)
    expect(await uploads.prune()).toEqual({deleted: 0})
    yield archive.subarray(10)
  }
  expect(await uploads.receive(session.id, ticket, slowly())).toMatchObject({files: 1})
  expect((await uploads.get(session.id, 'org_1')).files).toBe(1)
})
