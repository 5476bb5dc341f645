import {mkdir, readdir, stat} from 'node:fs/promises'
import {join} from 'node:path'
import {describe, expect, test} from 'vitest'
import {z} from 'zod'
import {systemClock} from '../../../daemon/clock.js'
import {defineCollection} from '../../../daemon/store/collection.js'
import {openFileStore} from '../../../daemon/store/file-store.js'
import type {Store} from '../../../daemon/store/store.js'
import {Counts, note, Notes, openStore, recordingLog, withHome} from './store-fixture.js'

async function withStore<T>(work: (store: Store, home: string) => Promise<T>): Promise<T> {
  return withHome(async home => {
    const {store} = await openStore(home)
    try {
      return await work(store, home)
    } finally {
      await store.close()
    }
  })
}

const insert = (store: Store, ...notes: ReturnType<typeof note>[]) =>
  store.transaction(async transaction => {
    for (const each of notes) await transaction.insert(Notes, each)
  })

describe('a transaction', () => {
  test('is read back after the store was closed and opened again', async () => {
    await withHome(async home => {
      const first = await openStore(home)
      await insert(first.store, note('n1'), note('n2', {shelf: null}))
      await first.store.transaction(async transaction => {
        await transaction.put(Notes, note('n1', {title: 'changed'}))
        await transaction.delete(Notes, 'n2')
        await transaction.insert(Counts, {id: 'c1', value: 7})
      })
      await first.store.close()
      const second = await openStore(home)
      expect(await second.store.get(Notes, 'n1')).toEqual(note('n1', {title: 'changed'}))
      expect(await second.store.get(Notes, 'n2')).toBeUndefined()
      expect(await second.store.get(Counts, 'c1')).toEqual({id: 'c1', value: 7})
      expect(second.report).toMatchObject({tornBytes: 0, replayedTransactions: 2, documents: 2})
      await second.store.close()
    })
  })

  test('sees what it wrote, and nobody else does before it ends', async () => {
    await withStore(async store => {
      await insert(store, note('n1', {label: 'x'}))
      await store.transaction(async transaction => {
        await transaction.put(Notes, note('n1', {title: 'new', label: 'y', shelf: 'b'}))
        await transaction.insert(Notes, note('n2', {label: 'x'}))
        expect(await transaction.get(Notes, 'n1')).toMatchObject({title: 'new'})
        expect(await transaction.findOne(Notes, 'label', ['x'])).toMatchObject({id: 'n2'})
        expect(await transaction.count(Notes, 'shelf', ['a'])).toBe(1)
        expect(await transaction.count(Notes, 'shelf', ['b'])).toBe(1)
        expect(await store.get(Notes, 'n1')).toMatchObject({title: 'title of n1'})
        expect(await store.get(Notes, 'n2')).toBeUndefined()
        expect(await store.count(Notes, 'shelf', ['a'])).toBe(1)
      })
      expect(await store.findOne(Notes, 'label', ['x'])).toMatchObject({id: 'n2'})
    })
  })

  test('leaves nothing behind when its work throws', async () => {
    await withStore(async store => {
      await insert(store, note('n1'))
      const work = store.transaction(async transaction => {
        await transaction.put(Notes, note('n1', {title: 'new'}))
        await transaction.delete(Notes, 'n1')
        await transaction.insert(Notes, note('n2'))
        throw new RangeError('changed my mind')
      })
      await expect(work).rejects.toThrow(RangeError)
      expect(await store.find(Notes, 'shelf', ['a'])).toEqual([note('n1')])
      await store.transaction(async transaction => {
        expect(await transaction.find(Notes, 'shelf', ['a'])).toEqual([note('n1')])
      })
    })
  })

  test('runs alone: fifty at once that add one to a number add fifty', async () => {
    await withStore(async store => {
      await store.transaction(async transaction => transaction.insert(Counts, {id: 'c', value: 0}))
      const addOne = () =>
        store.transaction(async transaction => {
          const count = await transaction.get(Counts, 'c')
          await transaction.put(Counts, {id: 'c', value: (count?.value ?? 0) + 1})
        })
      await Promise.all(Array.from({length: 50}, addOne))
      expect(await store.get(Counts, 'c')).toEqual({id: 'c', value: 50})
    })
  })

  test('can not be used after its end', async () => {
    await withStore(async store => {
      const kept = await store.transaction(async transaction => transaction)
      await expect(kept.insert(Notes, note('n1'))).rejects.toMatchObject({code: 'INTERNAL'})
      expect(await store.get(Notes, 'n1')).toBeUndefined()
    })
  })

  test('does not keep hold of the object it was given', async () => {
    await withStore(async store => {
      const given = {...note('n1')}
      await insert(store, given)
      given.title = 'changed outside'
      expect(await store.get(Notes, 'n1')).toMatchObject({title: 'title of n1'})
    })
  })
})

describe('what a transaction refuses', () => {
  const cases: [string, string, (store: Store) => Promise<unknown>][] = [
    ['to insert an id that is there', 'CONFLICT', store => insert(store, note('n1'))],
    ['to insert a taken unique key', 'CONFLICT', store => insert(store, note('n9', {label: 'x'}))],
    ['to insert a unique key twice in itself', 'CONFLICT', store => insert(store, note('n8', {label: 'z'}), note('n9', {label: 'z'}))],
    ['to put a taken unique key', 'CONFLICT', store => store.transaction(t => t.put(Notes, note('n2', {label: 'x'})))],
    ['to put what is not there', 'NOT_FOUND', store => store.transaction(t => t.put(Notes, note('n9')))],
    ['a document that does not fit its schema', 'INTERNAL', store => insert(store, {...note('n9'), title: 5 as unknown as string})],
  ]
  test.each(cases)('%s', async (_, code, work) => {
    await withStore(async store => {
      await insert(store, note('n1', {label: 'x'}), note('n2', {label: null}), note('n3', {label: null}))
      await expect(work(store)).rejects.toMatchObject({code})
      expect(await store.count(Notes, 'shelf', ['a'])).toBe(3)
    })
  })

  test('a unique key that was taken by one that is not durable yet', async () => {
    await withStore(async store => {
      const results = await Promise.allSettled(['n1', 'n2', 'n3'].map(id => insert(store, note(id, {label: 'x'}))))
      expect(results.map(({status}) => status)).toEqual(['fulfilled', 'rejected', 'rejected'])
    })
  })

  test('a collection that was not given at opening', async () => {
    await withHome(async home => {
      const {store} = await openStore(home, [Notes])
      await expect(store.get(Counts, 'c')).rejects.toMatchObject({code: 'INTERNAL'})
      await expect(store.transaction(t => t.insert(Counts, {id: 'c', value: 1}))).rejects.toMatchObject({code: 'INTERNAL'})
      await store.close()
    })
  })
})

describe('the store', () => {
  test('pages newest first by creation, then id, and goes on from a cursor', async () => {
    await withStore(async store => {
      const at = (second: number) => `2026-01-01T00:00:0${second}.000Z`
      await insert(store, ...[3, 1, 2].flatMap(second => ['b', 'a'].map(name => note(`${name}${second}`, {createdAt: at(second)}))))
      const first = await store.page(Notes, 'shelf', ['a'], {limit: 4})
      expect(first.items.map(({id}) => id)).toEqual(['b3', 'a3', 'b2', 'a2'])
      expect(first).toMatchObject({hasNextPage: true, endCursor: {order: at(2), id: 'a2'}})
      const second = await store.page(Notes, 'shelf', ['a'], {limit: 4, after: first.endCursor ?? undefined})
      expect(second.items.map(({id}) => id)).toEqual(['b1', 'a1'])
      expect(second.hasNextPage).toBe(false)
      const oldest = await store.page(Notes, 'shelf', ['a'], {limit: 3, descending: false, where: ({id}) => id.startsWith('b')})
      expect(oldest.items.map(({id}) => id)).toEqual(['b1', 'b2', 'b3'])
      expect(oldest.hasNextPage).toBe(false)
    })
  })

  test('refuses an indexed field that can not be compared before it is too late, and goes on', async () => {
    const Odd = defineCollection({name: 'odd', version: 1, schema: z.object({id: z.string(), tags: z.array(z.string())}), indexes: {tags: {fields: ['tags']}}})
    await withHome(async home => {
      const {store} = await openStore(home, [Odd, Notes])
      await expect(store.transaction(t => t.insert(Odd, {id: 'o1', tags: ['a']}))).rejects.toMatchObject({code: 'INTERNAL'})
      await insert(store, note('n1'))
      expect(await store.get(Odd, 'o1')).toBeUndefined()
      await store.close()
    })
  })

  test('says which file keeps it from opening, and lets go of the home', async () => {
    await withHome(async home => {
      await mkdir(join(home, 'store', 'notes.jsonl'), {recursive: true})
      await expect(openStore(home)).rejects.toMatchObject({code: 'INTERNAL', message: expect.stringContaining('EISDIR') as string})
      expect(await readdir(home)).not.toContain('daemon.lock')
    })
  })

  test('tells listeners of each commit which collections it changed, after it can be read', async () => {
    await withStore(async store => {
      const heard: string[][] = []
      const stop = store.onCommit(changed => heard.push([...changed].sort()))
      await insert(store, note('n1'))
      await store.transaction(async transaction => transaction.get(Notes, 'n1'))
      await store.transaction(async transaction => {
        await transaction.insert(Counts, {id: 'c', value: 1})
        await transaction.delete(Notes, 'n1')
      })
      stop()
      await insert(store, note('n2'))
      expect(heard).toEqual([['notes'], ['counts', 'notes']])
    })
  })

  test('ends what was begun when it is closed, and closes once', async () => {
    await withHome(async home => {
      const {store} = await openStore(home)
      const writes = Array.from({length: 20}, (_, number) => insert(store, note(`n${number}`)))
      await Promise.all([store.close(), store.close()])
      await Promise.all(writes)
      await expect(insert(store, note('late'))).rejects.toMatchObject({code: 'INTERNAL'})
      await expect(store.get(Notes, 'n1')).rejects.toMatchObject({code: 'INTERNAL'})
      const again = await openStore(home)
      expect(await again.store.count(Notes, 'shelf', ['a'])).toBe(20)
      await again.store.close()
    })
  })

  test('writes nothing after it was closed, not even a checkpoint that its last one called for', async () => {
    await withHome(async home => {
      const log = recordingLog()
      for (let opened = 0; opened < 30; opened++) {
        const {store} = await openFileStore({home, collections: [Notes], clock: systemClock, log, limits: {segmentBytes: 1}})
        for (const each of ['a', 'b', 'c', 'd']) await insert(store, note(`${each}${opened}`))
        await store.close()
      }
      expect(log.lines).toEqual([])
    })
  })

  test('keeps its files to its owner', async () => {
    await withHome(async parent => {
      const home = join(parent, 'home')
      await mkdir(home, {mode: 0o700})
      const {store} = await openStore(home, undefined, {segmentBytes: 500})
      for (let number = 0; number < 20; number++) await insert(store, note(`n${number}`))
      await store.close()
      const names = await readdir(join(home, 'store'))
      expect(names).toContain('notes.jsonl')
      expect((await stat(join(home, 'store'))).mode & 0o777).toBe(0o700)
      for (const name of names) expect((await stat(join(home, 'store', name))).mode & 0o777).toBe(0o600)
    })
  })

  test('opens again when writing down a checkpoint was what filled a segment', async () => {
    await withHome(async home => {
      // Each write fills its segment, and so does each checkpoint.
      let {store} = await openStore(home, undefined, {segmentBytes: 1})
      for (let number = 0; number < 20; number++) {
        await insert(store, note(`n${number}`))
        if (number % 5 !== 4) continue
        await store.close()
        store = (await openStore(home, undefined, {segmentBytes: 1})).store
        expect(await store.count(Notes, 'shelf', ['a'])).toBe(number + 1)
      }
      await store.close()
    })
  })

  test('removes journal segments that the snapshots have overtaken', async () => {
    await withHome(async home => {
      const {store} = await openStore(home, undefined, {segmentBytes: 2000})
      for (let number = 0; number < 100; number++) await insert(store, note(`n${number}`))
      await store.close()
      const segments = (await readdir(join(home, 'store'))).filter(name => name.startsWith('journal-'))
      expect(segments.length).toBeLessThan(6)
      const again = await openStore(home)
      expect(await again.store.count(Notes, 'shelf', ['a'])).toBe(100)
      await again.store.close()
    })
  })
})
