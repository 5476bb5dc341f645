import {cp, readdir, readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {describe, expect, test} from 'vitest'
import {z} from 'zod'
import {systemClock} from '../../../daemon/clock.js'
import {defineCollection, type Collection} from '../../../daemon/store/collection.js'
import {openFileStore} from '../../../daemon/store/file-store.js'
import {Counts, openStore, recordingLog, withHome} from './store-fixture.js'

const PetsOne = defineCollection({
  name: 'pets',
  version: 1,
  schema: z.object({id: z.string(), name: z.string()}),
  indexes: {name: {fields: ['name']}},
})

const PetsThree = defineCollection({
  name: 'pets',
  version: 3,
  schema: z.object({id: z.string(), title: z.string(), legs: z.int()}),
  indexes: {title: {fields: ['title']}, legs: {fields: ['legs']}},
  migrations: {
    2: ({name, ...rest}) => ({...rest, title: name}),
    3: document => ({...document, legs: document['title'] === 'bird' ? 2 : 4}),
  },
})

const open = (home: string, collections: readonly Collection[], release?: string) =>
  openFileStore({home, collections, clock: systemClock, log: recordingLog(), limits: {segmentBytes: 600}, ...(release === undefined ? {} : {release})})

/** Some of it in a snapshot, some only in the journal. */
async function fillPets(home: string, release?: string): Promise<void> {
  const {store} = await open(home, [PetsOne, Counts], release)
  for (const [number, name] of ['cat', 'dog', 'bird', 'cow', 'ant', 'bee', 'owl', 'fox'].entries()) {
    await store.transaction(t => t.insert(PetsOne, {id: `p${number}`, name}))
  }
  await store.transaction(t => t.delete(PetsOne, 'p0'))
  await store.close()
}

const filesOf = async (folder: string) => (await readdir(folder, {withFileTypes: true})).filter(entry => entry.isFile()).map(({name}) => name).sort()

describe('a store of an older version', () => {
  test('is brought to the present one at start, snapshot and journal alike, and stays so', async () => {
    await withHome(async home => {
      await fillPets(home)
      expect(await filesOf(join(home, 'store'))).toContain('pets.jsonl')
      const first = await open(home, [PetsThree, Counts])
      expect(first.report.upgraded).toEqual(['pets'])
      expect(await first.store.get(PetsThree, 'p2')).toEqual({id: 'p2', title: 'bird', legs: 2})
      expect(await first.store.count(PetsThree, 'legs', [4])).toBe(6)
      await first.store.transaction(t => t.insert(PetsThree, {id: 'p9', title: 'spider', legs: 8}))
      await first.store.close()
      const second = await open(home, [PetsThree, Counts])
      expect(second.report).toMatchObject({upgraded: [], backupFolder: null, documents: 8})
      expect(await second.store.get(PetsThree, 'p7')).toEqual({id: 'p7', title: 'fox', legs: 4})
      expect(await second.store.get(PetsThree, 'p9')).toEqual({id: 'p9', title: 'spider', legs: 8})
      expect(await second.store.get(PetsThree, 'p0')).toBeUndefined()
      await second.store.close()
    })
  })

  test('is copied before, so that the older program can have it back', async () => {
    await withHome(async home => {
      await fillPets(home)
      const folder = join(home, 'store')
      const before = new Map(await Promise.all((await filesOf(folder)).map(async name => [name, await readFile(join(folder, name))] as const)))
      const {store, report} = await open(home, [PetsThree, Counts])
      await store.close()
      expect(report.backupFolder).toMatch(/store\/backup-\d{4}-/)
      const copies = await filesOf(report.backupFolder ?? '')
      expect(copies).toEqual([...before.keys()])
      for (const [name, bytes] of before) expect(await readFile(join(report.backupFolder ?? '', name))).toEqual(bytes)
      await withHome(async restored => {
        await cp(report.backupFolder ?? '', join(restored, 'store'), {recursive: true})
        const old = await open(restored, [PetsOne, Counts])
        expect(await old.store.get(PetsOne, 'p2')).toEqual({id: 'p2', name: 'bird'})
        await old.store.close()
      })
    })
  })

  test('is refused when a document does not fit after its migration, and left as it was', async () => {
    await withHome(async home => {
      await fillPets(home)
      const folder = join(home, 'store')
      const before = await filesOf(folder)
      const wrong = defineCollection({...PetsThree, migrations: {...PetsThree.migrations, 3: document => document}})
      await expect(open(home, [wrong, Counts])).rejects.toMatchObject({code: 'STORE_DAMAGED', message: expect.stringContaining('pets p') as string})
      expect(await filesOf(folder)).toEqual(before)
      const again = await open(home, [PetsOne, Counts])
      await again.store.close()
    })
  })

  test('has a collection more without being changed, and may lack one without losing it', async () => {
    await withHome(async home => {
      await fillPets(home)
      const fewer = await open(home, [Counts])
      await fewer.store.transaction(t => t.insert(Counts, {id: 'c1', value: 1}))
      for (let count = 0; count < 30; count++) await fewer.store.transaction(t => t.put(Counts, {id: 'c1', value: count}))
      await fewer.store.close()
      const {store} = await open(home, [PetsOne, Counts])
      expect(await store.get(PetsOne, 'p2')).toEqual({id: 'p2', name: 'bird'})
      await store.close()
      const third = await open(home, [PetsThree])
      expect(await third.store.get(PetsThree, 'p2')).toEqual({id: 'p2', title: 'bird', legs: 2})
      await third.store.close()
    })
  })
})

describe('a store of a newer version', () => {
  test('is refused, says which version and release it has, and is left as it was', async () => {
    await withHome(async home => {
      await fillPets(home)
      const newer = await open(home, [PetsThree, Counts], '2.4.0')
      await newer.store.close()
      const before = await filesOf(join(home, 'store'))
      await expect(open(home, [PetsOne, Counts])).rejects.toMatchObject({
        code: 'STORE_TOO_NEW',
        message: expect.stringMatching(/pets of version 3.*up to 1.*release 2\.4\.0/) as string,
        details: {collection: 'pets', found: 3, known: 1, release: '2.4.0'},
      })
      expect(await filesOf(join(home, 'store'))).toEqual(before)
      const again = await open(home, [PetsThree, Counts])
      await again.store.close()
    })
  })

  test('is refused when only its journal is newer', async () => {
    await withHome(async home => {
      const newer = await openFileStore({home, collections: [PetsThree], clock: systemClock, log: recordingLog()})
      await newer.store.transaction(t => t.insert(PetsThree, {id: 'p1', title: 'cat', legs: 4}))
      await newer.store.close()
      await expect(open(home, [PetsOne])).rejects.toMatchObject({code: 'STORE_TOO_NEW', details: {found: 3, release: null}})
    })
  })
})

describe('under NODE_ENV=test', () => {
  test('the store writes to disk like everywhere else', async () => {
    expect(process.env['NODE_ENV']).toBe('test')
    await withHome(async home => {
      await fillPets(home)
      expect((await readFile(join(home, 'store', 'pets.jsonl'), 'utf8')).split('\n')[0]).toMatch(/^\{"collection":"pets","version":1,"sequence":\d+/)
      const {store} = await openStore(home, [PetsOne])
      expect(await store.get(PetsOne, 'p7')).toEqual({id: 'p7', name: 'fox'})
      await store.close()
    })
  })
})
