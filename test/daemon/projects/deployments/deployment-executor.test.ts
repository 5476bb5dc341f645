import {expect, it, onTestFinished} from 'vitest'
import {systemClock} from '../../../../daemon/clock.js'
import {RunFeed} from '../../../../daemon/jobs/run-feed.js'
import {DeploymentExecutor} from '../../../../daemon/projects/deployments/deployment-executor.js'
import type {Store} from '../../../../daemon/store/store.js'
import {openQueue, quietLog, type QueueFixture} from './queue-fixture.js'

const ready = {status: 'ready', endReason: null} as const

/** An executor whose work begins and ends when the test says so. */
async function openExecutor(queue: QueueFixture, store: Store = queue.store): Promise<{begun: string[]; letGo(id: string): void}> {
  const begun: string[] = []
  const goOn = new Map<string, () => void>()
  const executor = new DeploymentExecutor({
    store, clock: systemClock, log: quietLog, feed: new RunFeed(),
    begin(id) {
      begun.push(id)
      const over = new Promise<void>((resolve) => goOn.set(id, resolve))
      return {run: () => over, cancel: () => undefined, release: () => goOn.get(id)?.()}
    },
  })
  await executor.start()
  onTestFinished(() => executor.stop())
  return {begun, letGo: (id) => goOn.get(id)?.()}
}

it('begins a deployment when the one before has taken away what is kept no more, not when it has only ended', async () => {
  const queue = await openQueue()
  const {begun, letGo} = await openExecutor(queue)
  const [shop, blog] = [await queue.addProject({name: 'Shop', image: 'a:1'}), await queue.addProject({name: 'Blog', image: 'a:1'})]
  const first = (await queue.ask({projectId: shop.id})).deployment.id
  const second = (await queue.ask({projectId: shop.id})).deployment.id
  await queue.end(first, ready)
  const other = (await queue.ask({projectId: blog.id})).deployment.id
  await expect.poll(() => begun).toEqual([first, other])
  letGo(first)
  await expect.poll(() => begun).toEqual([first, other, second])
})

it.each([1, 2, 3, 4, 5, 6, 7, 8])('hears of what is asked for in the moment in which it has looked for the last time, %i turns later', async (turns) => {
  const queue = await openQueue()
  const project = await queue.addProject({name: 'Shop', image: 'a:1'})
  const listeners: ((changed: ReadonlySet<string>) => void)[] = []
  let looks = 0
  const store: Store = {
    ...bound(queue.store),
    onCommit(listener) {
      listeners.push(listener)
      return () => undefined
    },
    find: (async (...args: Parameters<Store['find']>) => {
      const found = await queue.store.find(...args)
      looks += 1
      if (looks > 1) return found
      await queue.ask({projectId: project.id})
      // After the look has gone on with what it found, before anybody hears that it is over.
      void later(turns).then(() => listeners.forEach((tell) => tell(new Set(['deployments']))))
      return found
    }) as Store['find'],
  }
  const {begun} = await openExecutor(queue, store)
  await expect.poll(() => begun).toHaveLength(1)
})

async function later(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await Promise.resolve()
}

function bound(store: Store): Store {
  return new Proxy(store, {get: (target, name) => { const value: unknown = Reflect.get(target, name); return typeof value === 'function' ? value.bind(target) as unknown : value }})
}
