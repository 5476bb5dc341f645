import {mkdir, readdir, readFile, rm, stat, truncate, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import fc from 'fast-check'
import {describe, expect, test} from 'vitest'
import {systemClock} from '../../../daemon/clock.js'
import type {Collection} from '../../../daemon/store/collection.js'
import {inspectStore, repairStore} from '../../../daemon/store/repair.js'
import {Counts, note, Notes, openStore, withHome} from './store-fixture.js'

const collections: Collection[] = [Notes, Counts]
const repair = (home: string) => repairStore({home, collections, clock: systemClock})

async function withNotes<T>(count: number, segmentBytes: number, work: (home: string, folder: string) => Promise<T>): Promise<T> {
  return withHome(async home => {
    const {store} = await openStore(home, undefined, {segmentBytes})
    for (let number = 0; number < count; number++) await store.transaction(t => t.insert(Notes, note(`n${number}`)))
    await store.close()
    return work(home, join(home, 'store'))
  })
}

async function change(path: string, text: string, to: string): Promise<number> {
  const bytes = await readFile(path)
  const at = bytes.indexOf(text)
  expect(at).toBeGreaterThan(0)
  bytes.write(to, at)
  await writeFile(path, bytes)
  return at
}

async function idsOf(home: string): Promise<string[]> {
  const {store} = await openStore(home)
  const ids = (await store.find(Notes, 'shelf', ['a'])).map(({id}) => id)
  await store.close()
  return ids.sort((left, right) => Number(left.slice(1)) - Number(right.slice(1)))
}

const segmentsOf = async (folder: string) => (await readdir(folder)).filter(name => name.startsWith('journal-')).sort()
const range = (count: number) => Array.from({length: count}, (_, number) => `n${number}`)

describe('an inspection', () => {
  test('finds nothing in a store that is whole, and a repair does nothing to it', async () => {
    await withNotes(50, 2000, async (home, folder) => {
      const before = await readdir(folder)
      const inspection = await inspectStore(home, collections)
      expect(inspection).toMatchObject({damages: [], lostTransactions: 0, lostDocuments: 0, unverifiedDocuments: 0, kept: {documents: 50}})
      expect(await repair(home)).toMatchObject({copyFolder: null})
      expect(await readdir(folder)).toEqual(before)
      expect(await idsOf(home)).toHaveLength(50)
    })
  })

  test('is refused while a daemon uses the home', async () => {
    await withHome(async home => {
      const {store} = await openStore(home)
      await expect(inspectStore(home, collections)).rejects.toMatchObject({code: 'HOME_IN_USE'})
      await expect(repair(home)).rejects.toMatchObject({code: 'HOME_IN_USE'})
      await store.close()
    })
  })

  test('names each bad line and what is lost with it, and changes nothing', async () => {
    await withNotes(10, 1_000_000, async (home, folder) => {
      const path = join(folder, (await segmentsOf(folder))[0] ?? '')
      await change(path, 'title of n3', 'title of nX')
      await change(path, 'title of n7', 'title of nX')
      const bytes = await readFile(path)
      const inspection = await inspectStore(home, collections)
      expect(inspection.damages.map(({file, reason}) => [file, reason])).toEqual([
        [path, 'the checksum does not match'],
        [path, 'the checksum does not match'],
      ])
      expect(inspection).toMatchObject({lostTransactions: 2, kept: {transactions: 8, documents: 8}})
      for (const {offset, bytes: length} of inspection.damages) expect(bytes.subarray(offset, offset + length).toString()).toMatch(/^[0-9a-f]{8} \{.*nX.*\}\n$/)
      expect(await readFile(path)).toEqual(bytes)
    })
  })

  test('counts the end of an interrupted write apart: nobody was told of it', async () => {
    await withNotes(3, 1_000_000, async (home, folder) => {
      const path = join(folder, (await segmentsOf(folder))[0] ?? '')
      await truncate(path, (await stat(path)).size - 5)
      const inspection = await inspectStore(home, collections)
      expect(inspection).toMatchObject({damages: [], lostTransactions: 0, kept: {transactions: 2}})
      expect(inspection.tornBytes).toBeGreaterThan(100)
    })
  })
})

describe('a repair', () => {
  test('keeps what can be read, keeps the files as they were, and the store opens again', async () => {
    await withNotes(10, 1_000_000, async (home, folder) => {
      const segment = (await segmentsOf(folder))[0] ?? ''
      await change(join(folder, segment), 'title of n3', 'title of nX')
      const bytes = await readFile(join(folder, segment))
      await expect(openStore(home)).rejects.toMatchObject({code: 'STORE_DAMAGED'})
      const {copyFolder, lostTransactions} = await repair(home)
      expect(lostTransactions).toBe(1)
      expect(await readFile(join(copyFolder ?? '', segment))).toEqual(bytes)
      expect((await stat(copyFolder ?? '')).mode & 0o777).toBe(0o700)
      expect(await idsOf(home)).toEqual(range(10).filter(id => id !== 'n3'))
      const {store} = await openStore(home)
      await store.transaction(t => t.insert(Notes, note('n3')))
      await store.close()
      expect(await idsOf(home)).toEqual(range(10))
      expect(await inspectStore(home, collections)).toMatchObject({damages: []})
    })
  })

  test('keeps the documents of a snapshot that still read, and says that they are not vouched for', async () => {
    await withNotes(60, 2000, async (home, folder) => {
      await change(join(folder, 'notes.jsonl'), '{"id":"n4"', '#"id":"n4"')
      const inspection = await inspectStore(home, collections)
      expect(inspection.lostDocuments).toBe(1)
      expect(inspection.unverifiedDocuments).toBeGreaterThan(10)
      await repair(home)
      expect(await idsOf(home)).toEqual(range(60).filter(id => id !== 'n4'))
    })
  })

  test.each(['notes.jsonl', 'a segment'])('opens a store of which %s is gone', async what => {
    await withNotes(60, 2000, async (home, folder) => {
      await rm(join(folder, what === 'a segment' ? ((await segmentsOf(folder))[0] ?? '') : what))
      expect((await inspectStore(home, collections)).damages).toHaveLength(1)
      await repair(home)
      expect((await idsOf(home)).length).toBeLessThan(60)
    })
  })

  test('keeps the later of two documents that lost transactions left with one unique key', async () => {
    await withHome(async home => {
      const {store} = await openStore(home)
      await store.transaction(t => t.insert(Notes, note('n1', {label: 'x'})))
      await store.transaction(t => t.put(Notes, note('n1', {label: 'gone'})))
      await store.transaction(t => t.insert(Notes, note('n2', {label: 'x'})))
      await store.close()
      await change(join(home, 'store', 'journal-00000001.log'), '"gone"', '"gon!"')
      expect(await repair(home)).toMatchObject({lostTransactions: 1, lostDocuments: 1})
      expect(await idsOf(home)).toEqual(['n2'])
    })
  })

  test('always leaves a store that opens, wherever a byte has changed', {timeout: 180_000}, async () => {
    await withNotes(40, 1500, async (home, folder) => {
      const names = (await readdir(folder)).sort()
      const originals = new Map(await Promise.all(names.map(async name => [name, await readFile(join(folder, name))] as const)))
      await fc.assert(
        fc.asyncProperty(fc.nat(), fc.nat(), fc.integer({min: 1, max: 255}), async (pick, place, flip) => {
          await rm(folder, {recursive: true})
          await mkdir(folder)
          for (const [name, bytes] of originals) await writeFile(join(folder, name), bytes)
          const name = names[pick % names.length] ?? ''
          const bytes = Buffer.from(originals.get(name) ?? Buffer.alloc(0))
          const at = place % bytes.length
          bytes[at] = (bytes[at] ?? 0) ^ flip
          await writeFile(join(folder, name), bytes)
          await repair(home)
          const ids = await idsOf(home)
          // One changed byte can take two lines with it: its own and, as a newline, the next.
          expect(ids.length).toBeGreaterThanOrEqual(38)
        }),
        {numRuns: 60},
      )
    })
  })
})
