import fc from 'fast-check'
import {describe, expect, test} from 'vitest'
import type {KeyPart} from '../../../daemon/store/collection.js'
import type {Page, Store, StoreReader, Transaction} from '../../../daemon/store/store.js'
import {note, Notes, openStore, withHome, type Note} from './store-fixture.js'

// A plain map is the truth; the store has to say the same after every transaction and every restart.

type Step = {readonly kind: 'insert' | 'put'; readonly note: Note} | {readonly kind: 'delete'; readonly id: string}
type Move = {readonly kind: 'transaction'; readonly steps: readonly Step[]; readonly fails: boolean; readonly reads: boolean} | {readonly kind: 'reopen'}

const ids = fc.constantFrom('n1', 'n2', 'n3', 'n4', 'n5', 'n6')
const notes = fc
  .record({
    id: ids,
    title: fc.constantFrom('t1', 't2', 't3'),
    shelf: fc.constantFrom('a', 'b', null),
    label: fc.constantFrom('x', 'y', null),
    open: fc.boolean(),
    createdAt: fc.constantFrom('2026-01-01T00:00:01.000Z', '2026-01-01T00:00:02.000Z'),
  })
  .map(fields => note(fields.id, fields))
const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.record({kind: fc.constantFrom('insert' as const, 'put' as const), note: notes}),
  fc.record({kind: fc.constant('delete' as const), id: ids}),
)
const transactions = fc.record({
  kind: fc.constant('transaction' as const),
  steps: fc.array(steps, {maxLength: 5}),
  fails: fc.boolean(),
  reads: fc.boolean(),
})
const moves: fc.Arbitrary<Move> = fc.oneof({weight: 6, arbitrary: transactions}, {weight: 1, arbitrary: fc.constant({kind: 'reopen' as const})})

/** Does a step to the map the slow way; says how the store has to refuse it. */
function applyTo(truth: Map<string, Note>, step: Step): string | null {
  if (step.kind === 'delete') {
    truth.delete(step.id)
    return null
  }
  if (step.kind === 'insert' && truth.has(step.note.id)) return 'CONFLICT'
  if (step.kind === 'put' && !truth.has(step.note.id)) return 'NOT_FOUND'
  const isTaken = [...truth.values()].some(({id, label}) => label !== null && label === step.note.label && id !== step.note.id)
  if (isTaken) return 'CONFLICT'
  truth.set(step.note.id, step.note)
  return null
}

async function applyStep(transaction: Transaction, step: Step): Promise<string | null> {
  try {
    if (step.kind === 'delete') await transaction.delete(Notes, step.id)
    else await transaction[step.kind](Notes, step.note)
    return null
  } catch (error) {
    return (error as {code: string}).code
  }
}

const byPlace = (order: (note: Note) => string) => (left: Note, right: Note) =>
  order(left) < order(right) ? -1 : order(left) > order(right) ? 1 : left.id < right.id ? -1 : 1

async function compare(reader: StoreReader, truth: ReadonlyMap<string, Note>): Promise<void> {
  const all: Note[] = []
  for await (const found of reader.all(Notes)) all.push(found)
  expect(new Map(all.map(found => [found.id, found]))).toEqual(truth)
  expect(all.length).toBe(truth.size)
  for (const shelf of ['a', 'b', null, 'c']) {
    const expected = [...truth.values()].filter(each => each.shelf === shelf).sort(byPlace(({createdAt}) => createdAt))
    await compareBucket(reader, 'shelf', [shelf], expected)
    for (const open of [true, false]) {
      await compareBucket(reader, 'shelfTitle', [shelf, open], expected.filter(each => each.open === open).sort(byPlace(({title}) => title)))
    }
  }
  for (const label of ['x', 'y']) await compareBucket(reader, 'label', [label], [...truth.values()].filter(each => each.label === label))
  expect(await reader.count(Notes, 'label', [null])).toBe(0)
}

async function compareBucket(reader: StoreReader, index: 'shelf' | 'shelfTitle' | 'label', key: KeyPart[], expected: Note[]): Promise<void> {
  expect(await reader.find(Notes, index, key)).toEqual(expected)
  expect(await reader.findOne(Notes, index, key)).toEqual(expected[0])
  expect(await reader.count(Notes, index, key)).toBe(expected.length)
  for (const descending of [true, false]) {
    const inOrder = descending ? [...expected].reverse() : expected
    const paged: Note[] = []
    for (let after; ; ) {
      const page: Page<Note> = await reader.page(Notes, index, key, {limit: 2, after, descending, where: ({id}) => id !== 'n3'})
      paged.push(...page.items)
      if (!page.hasNextPage) break
      expect(page.items).toHaveLength(2)
      after = page.endCursor ?? undefined
    }
    expect(paged).toEqual(inOrder.filter(({id}) => id !== 'n3'))
  }
}

class GivenUp extends Error {}

async function runTransaction(store: Store, truth: Map<string, Note>, move: Extract<Move, {kind: 'transaction'}>): Promise<Map<string, Note>> {
  const after = new Map(truth)
  const work = store.transaction(async transaction => {
    for (const step of move.steps) expect(await applyStep(transaction, step)).toBe(applyTo(after, step))
    if (move.reads) await compare(transaction, after)
    if (move.fails) throw new GivenUp()
  })
  if (!move.fails) {
    await work
    return after
  }
  await expect(work).rejects.toThrow(GivenUp)
  return truth
}

describe('the store', () => {
  test('says what a plain map says, one transaction after another, across restarts', {timeout: 180_000}, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(moves, {maxLength: 25}), fc.constantFrom(300, 1500, 1_000_000), async (script, segmentBytes) => {
        await withHome(async home => {
          let {store} = await openStore(home, undefined, {segmentBytes})
          let truth = new Map<string, Note>()
          for (const move of script) {
            if (move.kind === 'transaction') truth = await runTransaction(store, truth, move)
            else {
              await store.close()
              store = (await openStore(home, undefined, {segmentBytes})).store
            }
            await compare(store, truth)
          }
          await store.close()
          const again = await openStore(home)
          await compare(again.store, truth)
          await again.store.close()
        })
      }),
      {numRuns: 80},
    )
  })

  test('says what a plain map says when all transactions are asked for at once', {timeout: 180_000}, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(transactions, {maxLength: 20}), async script => {
        await withHome(async home => {
          const {store} = await openStore(home, undefined, {segmentBytes: 1000})
          const truth = new Map<string, Note>()
          const running = script.map(({steps: asked}) =>
            store.transaction(async transaction => {
              // They run in the order they were asked for, so the map can follow.
              for (const step of asked) expect(await applyStep(transaction, step)).toBe(applyTo(truth, step))
            }),
          )
          await Promise.all(running)
          await compare(store, truth)
          await store.close()
        })
      }),
      {numRuns: 60},
    )
  })
})
