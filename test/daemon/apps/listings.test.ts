import {describe, expect, it, onTestFinished} from 'vitest'
import {Catalog} from '../../../daemon/apps/catalog.js'
import {CustomAppReader, readCustomApp} from '../../../daemon/apps/custom-apps.js'
import {Listings} from '../../../daemon/apps/listings.js'
import {CustomApps, type CustomAppRecord} from '../../../daemon/apps/records.js'
import {collections} from '../../../daemon/collections.js'
import {openFileStore} from '../../../daemon/store/file-store.js'
import {ManualClock} from '../manual-clock.js'
import {temporaryFolder} from '../start-test-daemon.js'
import {recordingLog} from '../store/store-fixture.js'
import {app, idsOf, manifest, startAppDaemon} from './app-fixture.js'

function record(raw: Readonly<Record<string, unknown>> & {readonly id: string}, more: Partial<CustomAppRecord> = {}): CustomAppRecord {
  const at = '2026-06-01T12:00:00.000Z'
  return {
    id: `capp_${raw.id}`, organizationId: 'org_1', appId: raw.id, appIdKey: raw.id, definitionText: JSON.stringify(raw), revision: 1, createdByUserId: null,
    createdAt: at, updatedAt: at, ...more,
  }
}

async function bench(bundled: readonly unknown[]) {
  const [clock, log] = [new ManualClock(0), recordingLog()]
  const {store} = await openFileStore({home: await temporaryFolder(), collections, clock, log})
  onTestFinished(() => store.close())
  const catalog = new Catalog({
    store, clock, log, engine: '1.0.0', url: null, readBundled: async () => manifest(bundled), fetch: () => Promise.reject(new Error('there is no source')),
  })
  const listings = new Listings(catalog, new CustomAppReader(store, '1.0.0'))
  const list = async (organizationId = 'org_1') => idsOf((await listings.of(organizationId)).map(({entry}) => entry))
  return {store, listings, list}
}

describe('lists', () => {
  it('are built once and searched in memory until something changes', async () => {
    const {store, listings, list} = await bench([app('own')])
    expect(await listings.of('org_1')).toBe(await listings.ofAnybody())
    await store.transaction((transaction) => transaction.insert(CustomApps, record(app('mine'))))
    const built = await listings.of('org_1')
    expect(await listings.of('org_1')).toBe(built)
    expect([await list(), await list('org_2')]).toEqual([['own', 'mine'], ['own']])
    await store.transaction((transaction) => transaction.put(CustomApps, record(app('mine', {name: 'New'}), {revision: 2})))
    expect((await listings.of('org_1'))[1]?.entry.name).toBe('New')
    await store.transaction((transaction) => transaction.delete(CustomApps, 'capp_mine'))
    expect(await listings.of('org_1')).toBe(await listings.ofAnybody())
  })

  it('of very many organizations do not pile up', async () => {
    const {store, listings, list} = await bench([])
    await store.transaction(async (transaction) => {
      for (let index = 0; index < 150; index += 1) await transaction.insert(CustomApps, record(app(`a${index}`), {organizationId: `org_${index}`}))
    })
    for (let index = 0; index < 150; index += 1) expect(await list(`org_${index}`)).toEqual([`a${index}`])
    const first = await listings.of('org_149')
    expect(await listings.of('org_149')).toBe(first)
    expect(await list('org_0')).toEqual(['a0'])
  })

  it('of a thousand apps are answered in a fraction of the time it takes to read them', async () => {
    const daemon = await startAppDaemon(Array.from({length: 1000}, (_, index) => app(`a${index}`, {tags: [`t${index % 7}`]})))
    await daemon.call('GET', '/api/apps/catalog')
    const startedMs = performance.now()
    for (let count = 0; count < 50; count += 1) expect((await daemon.call('GET', `/api/apps/catalog?q=a99&limit=20&tag=t${count % 7}`)).status).toBe(200)
    expect((performance.now() - startedMs) / 50).toBeLessThan(50)
  })
})

describe('an upload, read by another release than took it', () => {
  const raw = app('mine', {
    minEngine: '0.9.2', shinyKey: {a: 1}, services: [{name: 'web', image: 'a:1', entrypointArgv: ['x'], glowing: true}], verified: true, unlisted: true, available: false,
  })

  it('gives back every key that this one knows, whatever the release knew that took it', () => {
    const {item, name, problem} = readCustomApp(record(raw), '1.0.0')
    expect([name, problem, item?.requiresUpdate]).toEqual(['App mine', null, undefined])
    expect(item?.definition).toMatchObject({services: [{name: 'web', image: 'a:1', entrypointArgv: ['x']}], verified: false, unlisted: false, available: true})
    expect(JSON.stringify(item)).not.toMatch(/shinyKey|glowing/)
    expect(JSON.parse(record(raw).definitionText)).toEqual(raw)
  })

  it('is a card that says what it needs where this one is older, and whole again after an upgrade', () => {
    const old = readCustomApp(record(raw), '0.9.1')
    expect(old.item).toMatchObject({definition: {id: 'mine', available: false}, requiresUpdate: {minVersion: '0.9.2'}})
    expect(old.item?.definition.services).toBeUndefined()
    expect(old.problem).toBe('it needs release 0.9.2 or newer')
    expect(readCustomApp(record(raw), '0.9.2').item?.definition.services).toHaveLength(1)
  })

  it('is a card where its shape is too new, and nothing but a reason where it can not be read at all', () => {
    expect(readCustomApp(record({...raw, schemaVersion: 2}), '1.0.0')).toMatchObject({item: {requiresUpdate: {minVersion: '0.9.2'}}, problem: 'it needs release 0.9.2 or newer'})
    const nameless = {id: 'mine', schemaVersion: 2}
    expect(readCustomApp(record(nameless), '1.0.0')).toMatchObject({name: 'mine', item: null, problem: expect.stringContaining('schemaVersion 2 is newer')})
    expect(readCustomApp(record({id: 'mine'}), '1.0.0')).toMatchObject({item: null, problem: expect.stringContaining('/name')})
  })
})
