import {describe, expect, it} from 'vitest'
import {emptyManifest, readManifest} from '../../../daemon/apps/read-manifest.js'
import {resolveCatalog} from '../../../daemon/apps/resolve-catalog.js'
import type {CatalogItem} from '../../../daemon/apps/judge.js'
import {app, manifest} from './app-fixture.js'

const engine = '1.0.0'

async function resolve(bundled: readonly unknown[], remote: readonly unknown[] | null): Promise<CatalogItem[]> {
  const fetched = remote === null ? emptyManifest : await readManifest(manifest(remote))
  return resolveCatalog(await readManifest(manifest(bundled)), fetched, engine)
}

const names = (items: readonly CatalogItem[]) => items.map(({definition}) => `${definition.id}: ${definition.name}`)
const tooNew = (id: string, more: object = {}) => ({...app(id), schemaVersion: 2, services: 'of another shape', ...more})

describe('the bundled and the remote catalog', () => {
  it('keep the bundled order, then what is only remote, then cards of shapes that are too new', async () => {
    const items = await resolve([app('b'), app('a')], [tooNew('z'), app('d'), app('a', {name: 'newer'}), app('c')])
    expect(names(items)).toEqual(['b: App b', 'a: newer', 'd: App d', 'c: App c', 'z: App z'])
  })

  it('serve the bundled copy and note the update where the remote one needs a newer release', async () => {
    const [item] = await resolve([app('a')], [app('a', {name: 'newer', minEngine: '2.0.0'})])
    expect(item).toMatchObject({definition: {name: 'App a', available: true}, updateAvailable: true})
    expect(item?.requiresUpdate).toBeUndefined()
  })

  it('note the update where the remote one has a shape that only a newer release reads', async () => {
    expect(await resolve([app('a')], [tooNew('a')])).toMatchObject([{definition: {name: 'App a', available: true}, updateAvailable: true}])
  })

  it('note nothing where the remote one runs here', async () => {
    const [item] = await resolve([app('a')], [app('a', {minEngine: 'v1.0.0-rc.1'})])
    expect(item).toEqual({definition: expect.objectContaining({id: 'a'})})
  })

  it('show a card of a remote app that needs a newer release: who it is, and what it needs', async () => {
    const [item] = await resolve([], [app('a', {minEngine: '1.0.1', tags: ['x'], verified: true})])
    expect(item).toEqual({
      definition: {id: 'a', name: 'App a', description: 'what a does', kind: 'template', logo: 'a', category: 'other', available: false},
      requiresUpdate: {minVersion: '1.0.1'},
    })
  })

  it('gate a bundled app that needs a newer release than the one it came with', async () => {
    expect(await resolve([app('a', {minEngine: '9.0.0'})], null)).toMatchObject([{definition: {available: false}, requiresUpdate: {minVersion: '9.0.0'}}])
  })

  it('replace a bundled app that can not run here by a remote one that can', async () => {
    expect(names(await resolve([app('a', {minEngine: '9.0.0'})], [app('a', {name: 'mended'})]))).toEqual(['a: mended'])
  })

  it('say which release reads a shape that is too new, where it says so itself', async () => {
    const [first, second] = await resolve([], [tooNew('a', {minEngine: '9.0.0'}), tooNew('b', {minEngine: 9})])
    expect([first?.requiresUpdate, second?.requiresUpdate]).toEqual([{minVersion: '9.0.0'}, {}])
  })

  it('put a kind and a category of a newer shape where this release has a place for them', async () => {
    const [item] = await resolve([], [tooNew('a', {kind: 'stack', category: 'games'})])
    expect(item?.definition).toMatchObject({kind: 'template', category: 'other'})
  })

  it('leave out what says not even who it is, and keep the bundled copy of what is broken', async () => {
    const {skipped} = await readManifest(manifest([{...app('a'), schemaVersion: 2, name: 1}, app('b', {services: [{name: 'x'}]}), null, 7, 'x', []]))
    expect(skipped.map(({id}) => id)).toEqual(['a', 'b', null, null, null, null])
    expect(skipped[1]?.reason).toBe('service "x" must set exactly one of image or build')
    expect(names(await resolve([app('b')], [app('b', {services: [{name: 'x'}]})]))).toEqual(['b: App b'])
  })

  it('take the last of two apps of one id, where the first stood', async () => {
    expect(names(await resolve([], [app('a'), app('b'), app('a', {name: 'second'})]))).toEqual(['a: second', 'b: App b'])
  })

  it('are themselves again when a remote entry is gone', async () => {
    expect(names(await resolve([app('a')], [app('b')]))).toEqual(['a: App a', 'b: App b'])
  })
})

describe('a manifest', () => {
  it.each([
    ['', 'is not JSON'], ['<html>', 'is not JSON'], ['null', 'has no list "apps"'], ['[]', 'has no list "apps"'], ['{"apps": {}}', 'has no list "apps"'],
  ])('%j is refused: it %s', async (text, reason) => {
    await expect(readManifest(text)).rejects.toMatchObject({name: 'ManifestError', message: reason})
  })

  it('of a newer version is read entry by entry', async () => {
    expect((await readManifest(JSON.stringify({version: 99, apps: [app('a')], more: true}))).entries.size).toBe(1)
  })

  it('may hold entries that are nested too deep, which are left out', async () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    const text = `{"version": 1, "apps": [{"id": "x", "deep": ${deep}}, ${JSON.stringify(app('a'))}]}`
    const {entries, skipped} = await readManifest(text)
    expect([[...entries.keys()], skipped]).toEqual([['a'], [{id: 'x', reason: 'the nesting is deeper than 100 levels'}]])
  })

  it('of a thousand apps lets others run while it is read', async () => {
    const reading = readManifest(manifest(Array.from({length: 1000}, (_, index) => app(`a${index}`))))
    let turns = 0
    let isRead = false
    void reading.then(() => (isRead = true))
    while (!isRead) {
      await new Promise((resolve) => setImmediate(resolve))
      turns += 1
    }
    expect(turns).toBeGreaterThan(20)
    expect((await reading).entries.size).toBe(1000)
  })
})
