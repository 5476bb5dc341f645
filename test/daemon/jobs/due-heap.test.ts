import fc from 'fast-check'
import {expect, test} from 'vitest'
import {DueHeap} from '../../../daemon/jobs/due-heap.js'

const keys = fc.integer({min: 0, max: 40}).map((number) => `job ${number}`)
const steps = fc.array(
  fc.oneof(
    fc.record({kind: fc.constant('set' as const), key: keys, at: fc.integer({min: 0, max: 1000})}),
    fc.record({kind: fc.constant('delete' as const), key: keys}),
    fc.record({kind: fc.constant('take' as const), at: fc.integer({min: 0, max: 1000})}),
  ),
  {maxLength: 300},
)

test('always gives the earliest of what was set last and not deleted', () => {
  fc.assert(fc.property(steps, (all) => {
    const heap = new DueHeap()
    const model = new Map<string, number>()
    for (const step of all) {
      if (step.kind === 'set') {
        heap.set(step.key, step.at)
        model.set(step.key, step.at)
      } else if (step.kind === 'delete') {
        heap.delete(step.key)
        model.delete(step.key)
      } else {
        const earliest = Math.min(...model.values())
        const key = heap.takeDue(step.at)
        if (earliest > step.at) expect(key).toBeUndefined()
        else {
          expect(model.get(key ?? '')).toBe(earliest)
          model.delete(key ?? '')
        }
      }
      expect(heap.size).toBe(model.size)
      expect(heap.nextAt).toBe(model.size === 0 ? undefined : Math.min(...model.values()))
    }
  }))
})

test('takes what is due at the very instant and nothing later', () => {
  const heap = new DueHeap()
  heap.set('a', 10)
  expect(heap.takeDue(9)).toBeUndefined()
  expect(heap.takeDue(10)).toBe('a')
  expect(heap.takeDue(10)).toBeUndefined()
})

test('is empty after clearing and can be filled again', () => {
  const heap = new DueHeap()
  for (let index = 0; index < 1000; index++) heap.set(`job ${index}`, 1000 - index)
  heap.clear()
  expect([heap.size, heap.nextAt]).toEqual([0, undefined])
  heap.set('again', 5)
  expect(heap.takeDue(5)).toBe('again')
})
