import {readdir, readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {describe, expect, test} from 'vitest'
import {systemClock} from '../../daemon/clock.js'
import {openFileStore} from '../../daemon/store/file-store.js'
import {openOutputFiles} from '../../daemon/store/output-files.js'
import type {OutputLog} from '../../daemon/store/output.js'
import type {Store} from '../../daemon/store/store.js'
import {Counts, note, Notes, openStore, recordingLog} from '../daemon/store/store-fixture.js'
import {smallDiskMissing, withSmallDisk} from './small-disk.js'

const insert = (store: Store, id: string, size = 10) => store.transaction(t => t.insert(Notes, note(id, {title: 'x'.repeat(size)})))

async function textOf(log: OutputLog): Promise<string> {
  const parts: Buffer[] = []
  for await (const bytes of log.bytes()) parts.push(bytes)
  return Buffer.concat(parts).toString()
}

const chunkOf = (text: string, sourceOffset: number) =>
  ({serverId: null, level: 'info', at: '2026-01-01T00:00:00.000Z', bytes: Buffer.from(text), sourceOffset, source: 's'}) as const

describe.skipIf(smallDiskMissing() !== undefined)('on a full disk', () => {
  test('writes fail as a whole, reads go on, and writing goes on when there is room, without a restart', async () => {
    await withSmallDisk('1m', async disk => {
      const home = join(disk.folder, 'home')
      const log = recordingLog()
      const {store} = await openFileStore({home, collections: [Notes, Counts], clock: systemClock, log})
      await insert(store, 'before')
      await disk.fill()
      const attempts = await Promise.allSettled(Array.from({length: 10}, (_, number) => insert(store, `lost${number}`, 20_000)))
      for (const attempt of attempts) expect(attempt).toMatchObject({status: 'rejected', reason: {code: 'STORE_FULL', status: 507}})
      expect(store.status()).toMatchObject({engine: 'file', state: 'full'})
      expect(await store.find(Notes, 'shelf', ['a'])).toEqual([note('before', {title: 'x'.repeat(10)})])
      await disk.free()
      await Promise.all(Array.from({length: 5}, (_, number) => insert(store, `after${number}`, 20_000)))
      expect(store.status()).toEqual({engine: 'file', state: 'ok', message: null})
      expect(log.lines.map(({level}) => level)).toContain('error')
      await store.close()
      const again = await openStore(home)
      expect((await again.store.find(Notes, 'shelf', ['a'])).map(({id}) => id)).toEqual(['after0', 'after1', 'after2', 'after3', 'after4', 'before'])
      expect(again.report.tornBytes).toBe(0)
      await again.store.close()
    })
  })

  test('a transaction that has read what then was lost fails too', async () => {
    await withSmallDisk('1m', async disk => {
      const {store} = await openStore(join(disk.folder, 'home'))
      await disk.fill()
      const first = insert(store, 'n1', 20_000)
      const reader = store.transaction(async transaction => transaction.get(Notes, 'n1'))
      const conflict = insert(store, 'n1')
      for (const lost of await Promise.allSettled([first, reader, conflict])) {
        expect(lost).toMatchObject({status: 'rejected', reason: {code: 'STORE_FULL'}})
      }
      await disk.free()
      await insert(store, 'n1')
      await store.close()
    })
  })

  test('nothing of a write that failed comes back after a crash', async () => {
    await withSmallDisk('1m', async disk => {
      const home = join(disk.folder, 'home')
      const {store} = await openStore(home)
      await insert(store, 'before')
      await disk.fill()
      await expect(insert(store, 'lost', 20_000)).rejects.toMatchObject({code: 'STORE_FULL'})
      // What a kill now would leave behind.
      const [segment = ''] = (await readdir(join(home, 'store'))).filter(name => name.startsWith('journal-'))
      const bytes = await readFile(join(home, 'store', segment), 'utf8')
      expect(bytes.endsWith('\n')).toBe(true)
      expect(bytes).not.toContain('lost')
      await disk.free()
      await store.close()
    })
  })

  test('the journal goes on in its old segment when there is no room for a new one or a snapshot', async () => {
    await withSmallDisk('400k', async disk => {
      const home = join(disk.folder, 'home')
      const log = recordingLog()
      const {store} = await openFileStore({home, collections: [Notes, Counts], clock: systemClock, log, limits: {segmentBytes: 20_000}})
      const stored: string[] = []
      for (let number = 0; number < 200; number++) {
        const id = `n${String(number).padStart(3, '0')}`
        await insert(store, id, 3000).then(
          () => stored.push(id),
          (error: unknown) => expect(error).toMatchObject({code: 'STORE_FULL'}),
        )
      }
      expect(stored.length).toBeGreaterThan(20)
      expect(stored.length).toBeLessThan(200)
      await store.close()
      const again = await openStore(home)
      expect((await again.store.find(Notes, 'shelf', ['a'])).map(({id}) => id)).toEqual(stored)
      await again.store.close()
    })
  })

  test('output is stored whole or not at all, can be read, and goes on when there is room', async () => {
    await withSmallDisk('1m', async disk => {
      const outputs = openOutputFiles(disk.folder)
      const log = await outputs.open('jrun_1')
      await log.append([chunkOf('one\n', 4)])
      await disk.fill()
      const lost = log.append([chunkOf('x'.repeat(20_000), 20_004), chunkOf('y', 20_005)])
      await expect(lost).rejects.toMatchObject({code: 'STORE_FULL', status: 507})
      expect(log.sourceOffset(null, 's')).toBe(4)
      expect(await textOf(log)).toBe('one\n')
      const other = await outputs.open('jrun_2')
      await expect(other.append([chunkOf('other\n', 6)])).rejects.toMatchObject({code: 'STORE_FULL'})
      await disk.free()
      await log.append([chunkOf('two\n', 8)])
      await log.sync()
      expect(await textOf(log)).toBe('one\ntwo\n')
      await other.append([chunkOf('other\n', 6)])
      await outputs.close()
      const again = await openOutputFiles(disk.folder).open('jrun_1')
      expect(again.sourceOffset(null, 's')).toBe(8)
    })
  })
})
