import {describe, expect, test} from 'vitest'
import {olderThan, pruneWhere} from '../../../daemon/store/retention.js'
import type {Store} from '../../../daemon/store/store.js'
import {note, Notes, openStore, withHome, type Note} from './store-fixture.js'

const {signal} = new AbortController()
const at = (day: number) => `2026-01-${String(day).padStart(2, '0')}T00:00:00.000Z`

async function withNotes(work: (store: Store) => Promise<void>): Promise<void> {
  await withHome(async home => {
    const {store} = await openStore(home)
    await store.transaction(async transaction => {
      for (let day = 1; day <= 25; day++) await transaction.insert(Notes, note(`n${day}`, {createdAt: at(day)}))
    })
    await work(store)
    await store.close()
  })
}

describe('pruning', () => {
  test('deletes what is older than an instant and nothing that is as old', async () => {
    await withNotes(async store => {
      expect(await pruneWhere(store, Notes, {isExpired: olderThan<Note>('createdAt', at(11)), signal})).toBe(10)
      expect((await store.find(Notes, 'shelf', ['a'])).map(({id}) => id)).toEqual(Array.from({length: 15}, (_, index) => `n${index + 11}`))
    })
  })

  test('works in small transactions and tells after each what is gone', async () => {
    await withNotes(async store => {
      const told: number[] = []
      let commits = 0
      store.onCommit(() => commits++)
      const onDeleted = async (documents: readonly Note[]) => {
        told.push(documents.length)
        for (const {id} of documents) expect(await store.get(Notes, id)).toBeUndefined()
      }
      expect(await pruneWhere(store, Notes, {isExpired: () => true, batchSize: 10, onDeleted, signal})).toBe(25)
      expect(told).toEqual([10, 10, 5])
      expect(commits).toBe(3)
      expect(await pruneWhere(store, Notes, {isExpired: () => true, signal})).toBe(0)
    })
  })

  test('leaves what was changed after it was looked at', async () => {
    await withNotes(async store => {
      const isExpired = ({shelf}: Note) => shelf === 'a'
      // Commits before any transaction that is asked for later, and is not seen by a look that comes now.
      const change = store.transaction(transaction => transaction.put(Notes, note('n25', {createdAt: at(25), shelf: 'kept'})))
      const deleted = await pruneWhere(store, Notes, {isExpired, signal})
      await change
      expect(deleted).toBe(24)
      expect(await store.get(Notes, 'n25')).toMatchObject({shelf: 'kept'})
    })
  })

  test('stops between batches when it is told to', async () => {
    await withNotes(async store => {
      const controller = new AbortController()
      const onDeleted = async () => controller.abort(new Error('enough'))
      const pruning = pruneWhere(store, Notes, {isExpired: () => true, batchSize: 5, onDeleted, signal: controller.signal})
      await expect(pruning).rejects.toThrow('enough')
      expect(await store.count(Notes, 'shelf', ['a'])).toBe(20)
    })
  })
})
