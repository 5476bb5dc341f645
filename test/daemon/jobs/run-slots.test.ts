import {expect, it} from 'vitest'
import {RunSlots} from '../../../daemon/jobs/run-slots.js'

const forever = new AbortController().signal

function settled(promise: Promise<unknown>): Promise<boolean> {
  return Promise.race([promise.then(() => true, () => true), new Promise<boolean>((resolve) => setImmediate(() => resolve(false)))])
}

it('makes commands of one server wait for each other in order', async () => {
  const slots = new RunSlots({total: 10, perServer: 1})
  const release = await slots.acquire('a', forever)
  const order: string[] = []
  const second = slots.acquire('a', forever).then((give) => (order.push('second'), give))
  const third = slots.acquire('a', forever).then((give) => (order.push('third'), give))
  expect(await settled(second)).toBe(false)
  release()
  ;(await second)()
  ;(await third)()
  expect(order).toEqual(['second', 'third'])
})

it('lets nobody wait behind a server that is busy', async () => {
  const slots = new RunSlots({total: 10, perServer: 1})
  await slots.acquire('a', forever)
  const blocked = slots.acquire('a', forever)
  await slots.acquire('b', forever)
  expect(await settled(blocked)).toBe(false)
})

it('holds the total, and counts what is taken without asking', async () => {
  const slots = new RunSlots({total: 2, perServer: 5})
  const first = slots.take('a')
  slots.take('b')
  slots.take('c')
  const waiting = slots.acquire('d', forever)
  first()
  expect(await settled(waiting)).toBe(false)
})

it('gives a slot back once, however often it is told', async () => {
  const slots = new RunSlots({total: 1, perServer: 1})
  const release = await slots.acquire('a', forever)
  release()
  release()
  await slots.acquire('a', forever)
  expect(await settled(slots.acquire('a', forever))).toBe(false)
})

it('forgets who stopped waiting', async () => {
  const slots = new RunSlots({total: 1, perServer: 1})
  const release = await slots.acquire('a', forever)
  const abort = new AbortController()
  const waiting = slots.acquire('a', abort.signal)
  abort.abort(new Error('enough'))
  await expect(waiting).rejects.toThrow('enough')
  release()
  await slots.acquire('a', forever)
})
