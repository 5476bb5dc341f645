import {gzipSync} from 'node:zlib'
import {Agent} from 'undici'
import {describe, expect, it, onTestFinished} from 'vitest'
import {Catalog} from '../../../daemon/apps/catalog.js'
import {fetchManifest} from '../../../daemon/apps/fetch-manifest.js'
import {collections} from '../../../daemon/collections.js'
import {openFileStore} from '../../../daemon/store/file-store.js'
import type {Store} from '../../../daemon/store/store.js'
import {ManualClock} from '../manual-clock.js'
import {temporaryFolder} from '../start-test-daemon.js'
import {recordingLog} from '../store/store-fixture.js'
import {app, manifest} from './app-fixture.js'
import {redirecting, selfSigned, serving, startSource, type Answer, type SourceServer} from './source-server.js'

const startAt = '2026-06-01T12:00:00.000Z'
const minute = 60_000

interface Bench {
  readonly catalog: Catalog
  readonly clock: ManualClock
  readonly log: ReturnType<typeof recordingLog>
  readonly store: Store
  readonly ids: () => Promise<string[]>
}

interface Wish {
  readonly home?: string
  readonly clock?: ManualClock
  readonly url?: URL
  readonly engine?: string
  readonly dispatcher?: Agent
  readonly bundled?: readonly unknown[]
}

async function bench(source: Pick<SourceServer, 'url'>, wish: Wish = {}): Promise<Bench> {
  const {home = await temporaryFolder(), clock = new ManualClock(startAt), url = source.url, engine = '1.0.0', dispatcher, bundled = [app('own')]} = wish
  const log = recordingLog()
  const {store} = await openFileStore({home, collections, clock, log})
  const catalog = new Catalog({
    store, clock, log, engine, url, readBundled: async () => manifest(bundled),
    fetch: (address, etag, signal) => fetchManifest({url: address, etag, userAgent: 'moorage/1.0.0', signal, dispatcher}),
  })
  onTestFinished(async () => {
    await catalog.stop()
    await store.close()
  })
  return {catalog, clock, log, store, ids: async () => (await catalog.current()).items.map(({definition}) => definition.id)}
}

const more = manifest([app('far'), app('own', {name: 'newer'})])

describe('the remote catalog', () => {
  it('is fetched behind the first answer, which is the bundled one, and served from then on', async () => {
    const source = await startSource(serving(more))
    const {catalog, ids} = await bench(source)
    expect(await ids()).toEqual(['own'])
    await expect.poll(ids).toEqual(['own', 'far'])
    expect((await catalog.current()).find('own')?.definition.name).toBe('newer')
    expect(source.requests).toHaveLength(1)
    expect(source.requests[0]?.headers).toMatchObject({accept: 'application/json', 'user-agent': 'moorage/1.0.0'})
  })

  it('is asked for again only when ten minutes have passed and somebody reads, by one request however many read', async () => {
    const source = await startSource(serving(more))
    const {catalog, clock, ids} = await bench(source)
    await catalog.refresh()
    clock.advance(10 * minute - 1)
    await Promise.all(Array.from({length: 50}, ids))
    expect(source.requests).toHaveLength(1)
    clock.advance(1)
    source.answer = serving(manifest([app('later')]))
    expect(await Promise.all(Array.from({length: 50}, ids))).toEqual(Array.from({length: 50}, () => ['own', 'far']))
    await expect.poll(ids).toEqual(['own', 'later'])
    expect(source.requests).toHaveLength(2)
  })

  it('is asked whether it changed: 304 confirms the copy and costs nothing more', async () => {
    const source = await startSource(serving(more, '"one"'))
    const {catalog, clock} = await bench(source)
    await catalog.refresh()
    const before = await catalog.current()
    clock.advance(11 * minute)
    expect(await catalog.refresh()).toMatchObject({origin: 'remote', fetchedAt: '2026-06-01T12:11:00.000Z', checkedAt: '2026-06-01T12:11:00.000Z', failure: null})
    expect(source.requests[1]?.headers['if-none-match']).toBe('"one"')
    expect(await catalog.current()).toBe(before)
    source.answer = serving(manifest([app('two')]), '"two"')
    await catalog.refresh()
    expect((await catalog.current()).find('two')).toBeDefined()
  })

  it('takes an app back when the remote one is gone, and keeps the place of what it replaces', async () => {
    const source = await startSource(serving(manifest([app('b', {name: 'newer b'}), app('c')])))
    const {catalog, ids} = await bench(source, {bundled: [app('a'), app('b')]})
    await catalog.refresh()
    expect([await ids(), (await catalog.current()).find('b')?.definition.name]).toEqual([['a', 'b', 'c'], 'newer b'])
    source.answer = serving(manifest([app('a')]))
    await catalog.refresh()
    expect([await ids(), (await catalog.current()).find('b')?.definition.name]).toEqual([['a', 'b'], 'App b'])
  })

  it('leaves out single definitions that are broken, with one warning, and says which', async () => {
    const source = await startSource(serving(manifest([app('far'), {id: 'broken'}, null])))
    const {catalog, log} = await bench(source)
    expect(await catalog.refresh()).toMatchObject({origin: 'remote', apps: 2, failure: null, skipped: [{id: 'broken', reason: expect.stringMatching(/^\/name: /)}, {id: null}]})
    await catalog.refresh()
    expect(log.lines.filter(({message}) => message.includes('left out'))).toHaveLength(1)
  })
})

const later: readonly (readonly [string, Answer, RegExp])[] = [
  ['an error', (_request, response) => response.writeHead(500).end('oops'), /^the source answered 500$/],
  ['a page that is not there', (_request, response) => response.writeHead(404).end(), /^the source answered 404$/],
  ['what is no JSON', serving('<!doctype html>'), /^the source is not JSON$/],
  ['junk bytes', (_request, response) => response.writeHead(200).end(Buffer.from([0xff, 0xfe, 0x00, 0x9f])), /^the source is not UTF-8 text$/],
  ['JSON of another form', serving('{"apps": {"a": 1}}'), /^the source has no list "apps"$/],
  ['an empty list', serving(manifest([])), /^the source holds no app that this release can use$/],
  ['nothing that can be used', serving(manifest([{id: 'broken'}])), /^the source holds no app that this release can use$/],
  ['more than it may', (_request, response) => response.writeHead(200).end(Buffer.alloc(20_000_001, 32)), /^the source is larger than 20,000,000 bytes$/],
  ['more than it may, packed', (_request, response) => response.writeHead(200, {'content-encoding': 'gzip'}).end(gzipSync(Buffer.alloc(60_000_000, 32))), /^the source is larger than 20,000,000 bytes$/],
  ['a cut connection', (_request, response) => void response.socket?.destroy(), /^the source can not be reached: the connection was closed$/],
  ['half of it and a cut connection', (_request, response) => {
    response.writeHead(200, {'content-length': 1000})
    response.write('{"apps": [', () => response.socket?.destroy())
  }, /^the source can not be reached: /],
  ['a redirect to plain HTTP elsewhere', redirecting('http://apps.example.com/catalog.json'), /^the source redirects to an address that is not https$/],
  ['a redirect to a file', redirecting('file:///etc/passwd'), /^the source redirects to an address that is not https$/],
  ['a redirect to nowhere', redirecting('http://['), /^the source redirects to an address that is not https$/],
  ['a redirect without end', redirecting('/catalog.json', 307), /^the source redirects more than 5 times$/],
  ['304 to somebody who has nothing', (_request, response) => response.writeHead(304).end(), /^the source answered 304$/],
]

describe('a source that can not be read', () => {
  it.each(later)('since it answers %s leaves what is there, and is told with its reason and since when', async (_what, broken, reason) => {
    const source = await startSource(serving(more))
    const {catalog, clock, ids} = await bench(source)
    await catalog.refresh()
    source.answer = broken
    clock.advance(15 * minute)
    const first = await catalog.refresh()
    expect(first).toMatchObject({origin: 'remote', fetchedAt: startAt, checkedAt: '2026-06-01T12:15:00.000Z'})
    expect(first.failure).toEqual({message: expect.stringMatching(reason), since: '2026-06-01T12:15:00.000Z'})
    clock.advance(15 * minute)
    expect((await catalog.refresh()).failure?.since).toBe('2026-06-01T12:15:00.000Z')
    expect(await ids()).toEqual(['own', 'far'])
    source.answer = serving(more)
    expect(await catalog.refresh()).toMatchObject({failure: null, fetchedAt: '2026-06-01T12:30:00.000Z'})
  })

  it('is told when nobody listens there', async () => {
    const source = await startSource(serving(more))
    await source.stop()
    const {catalog} = await bench(source)
    expect(await catalog.refresh()).toMatchObject({
      origin: 'bundled', apps: 1, fetchedAt: null, checkedAt: startAt, failure: {message: 'the source can not be reached: nothing listens there', since: startAt},
    })
  })

  it('is left alone for ten minutes after a failed attempt, and warned of once', async () => {
    const source = await startSource((_request, response) => response.writeHead(503).end())
    const {catalog, clock, ids, log} = await bench(source)
    await catalog.refresh()
    clock.advance(9 * minute)
    await ids()
    expect(source.requests).toHaveLength(1)
    clock.advance(minute)
    await ids()
    await source.untilAsked(2)
    await catalog.refresh()
    source.answer = serving(more)
    await catalog.refresh()
    expect(log.lines.map(({level, message}) => [level, message])).toEqual([
      ['warn', 'the catalog can not be fetched; what is there is served on'], ['info', 'the catalog can be fetched again'],
    ])
  })

  it.each<[string, Answer]>([
    ['says nothing', () => undefined],
    ['begins and never ends', (_request, response) => void response.writeHead(200).write('{"version": 1, ')],
  ])('as it %s is given up after eight seconds', async (_what, silent) => {
    const source = await startSource(silent)
    const {catalog, clock, ids} = await bench(source)
    const refreshing = catalog.refresh()
    await source.untilAsked(1)
    expect(await ids()).toEqual(['own'])
    clock.advance(7999)
    expect(clock.timers).toBe(1)
    clock.advance(1)
    expect((await refreshing).failure?.message).toBe('the source did not answer within 8 s')
    expect(clock.timers).toBe(0)
  })

  it('holds no stop up, and is not told as a failure of it', async () => {
    const source = await startSource(() => undefined)
    const {catalog, clock} = await bench(source)
    const refreshing = catalog.refresh()
    await source.untilAsked(1)
    await catalog.stop()
    expect((await refreshing).failure).toBeNull()
    expect(clock.timers).toBe(0)
    await catalog.refresh()
    expect(source.requests).toHaveLength(1)
  })
})

describe('the way to the source', () => {
  it('is TLS with a certificate that somebody vouches for', async () => {
    const certificate = await selfSigned()
    const source = await startSource(serving(more), certificate)
    const {catalog: trusting} = await bench(source, {dispatcher: new Agent({connect: {ca: certificate.cert}})})
    expect(await trusting.refresh()).toMatchObject({origin: 'remote', failure: null})
    const {catalog: careful} = await bench(source)
    expect((await careful.refresh()).failure?.message).toBe('the source can not be reached: its certificate is signed by itself')
  })

  it('follows redirects from TLS to TLS, and never to plain HTTP, not even on this machine', async () => {
    const certificate = await selfSigned()
    const dispatcher = new Agent({connect: {ca: certificate.cert}})
    const plain = await startSource(serving(more))
    const target = await startSource(serving(more, '"one"'), certificate)
    const source = await startSource(redirecting(target.url.href, 308), certificate)
    const {catalog} = await bench(source, {dispatcher})
    expect(await catalog.refresh()).toMatchObject({origin: 'remote', failure: null})
    await catalog.refresh()
    expect(target.requests[1]?.headers['if-none-match']).toBe('"one"')
    source.answer = redirecting(plain.url.href)
    expect((await catalog.refresh()).failure?.message).toBe('the source redirects to an address that is not https')
    expect(plain.requests).toHaveLength(0)
  })

  it('shows its address without the query, which may hold a key', async () => {
    const source = await startSource(serving(more))
    const {catalog} = await bench(source, {url: new URL('?key=planted-key', source.url)})
    const {url} = await catalog.refresh()
    expect([url, source.requests[0]?.url]).toEqual([source.url.href, '/catalog.json?key=planted-key'])
  })
})

describe('the last good copy', () => {
  it('survives a restart, with its ETag and what is known of the source', async () => {
    const source = await startSource(serving(more, '"one"'))
    const home = await temporaryFolder()
    const clock = new ManualClock(startAt)
    const first = await bench(source, {home, clock})
    await first.catalog.refresh()
    source.answer = (_request, response) => response.writeHead(500).end()
    clock.advance(15 * minute)
    await first.catalog.refresh()
    await first.catalog.stop()
    await first.store.close()
    const second = await bench(source, {home, clock})
    expect(await second.ids()).toEqual(['own', 'far'])
    expect(await second.catalog.source()).toMatchObject({origin: 'remote', fetchedAt: startAt, failure: {message: 'the source answered 500', since: '2026-06-01T12:15:00.000Z'}})
    expect(source.requests).toHaveLength(2)
    source.answer = serving(more, '"one"')
    await second.catalog.refresh()
    expect(source.requests[2]?.headers['if-none-match']).toBe('"one"')
  })

  it('is kept as it came and read by the release that runs', async () => {
    const text = manifest([app('far', {minEngine: '2.0.0', keyOfTomorrow: 1}), {...app('next'), schemaVersion: 2, services: {}}])
    const source = await startSource(serving(text))
    const home = await temporaryFolder()
    const old = await bench(source, {home})
    await old.catalog.refresh()
    expect((await old.catalog.current()).find('far')).toMatchObject({requiresUpdate: {minVersion: '2.0.0'}, definition: {available: false}})
    await old.catalog.stop()
    await old.store.close()
    const upgraded = await bench(source, {home, engine: '2.0.0'})
    await source.stop()
    expect((await upgraded.catalog.current()).find('far')).toMatchObject({definition: {available: true, services: [{name: 'web'}]}})
    expect((await upgraded.catalog.current()).find('next')).toMatchObject({requiresUpdate: {}})
  })

  it('of another address counts for nothing', async () => {
    const source = await startSource(serving(more, '"one"'))
    const home = await temporaryFolder()
    const first = await bench(source, {home})
    await first.catalog.refresh()
    await first.catalog.stop()
    await first.store.close()
    const url = new URL('/other.json', source.url)
    const second = await bench(source, {home, url})
    source.answer = (_request, response) => response.writeHead(500).end()
    expect(await second.ids()).toEqual(['own'])
    await source.untilAsked(2)
    expect(source.requests[1]?.headers['if-none-match']).toBeUndefined()
    expect(await second.catalog.refresh()).toMatchObject({origin: 'bundled', fetchedAt: null, failure: {message: 'the source answered 500'}})
  })

  it('is asked for at once where the clock was set back', async () => {
    const source = await startSource(serving(more))
    const {catalog, clock, ids} = await bench(source)
    await catalog.refresh()
    clock.jump(-24 * 60 * minute)
    await ids()
    await source.untilAsked(2)
  })
})

it('serves what it fetched also where it can not be kept', async () => {
  const source = await startSource(serving(more))
  const {catalog, store, log, ids} = await bench(source)
  await ids()
  await source.untilAsked(1)
  await catalog.refresh()
  source.answer = serving(manifest([app('two')]))
  await store.close()
  expect(await catalog.refresh()).toMatchObject({origin: 'remote', failure: null})
  expect(await ids()).toEqual(['own', 'two'])
  expect(log.lines.map(({message}) => message)).toEqual(['the fetched catalog could not be kept'])
})

it('reads a thousand remote apps, and keeps answering meanwhile', async () => {
  const source = await startSource(serving(manifest(Array.from({length: 1000}, (_, index) => app(`far-${index}`)))))
  const {catalog, ids} = await bench(source)
  const refreshing = catalog.refresh()
  expect(await ids()).toEqual(['own'])
  expect((await refreshing).apps).toBe(1001)
})
