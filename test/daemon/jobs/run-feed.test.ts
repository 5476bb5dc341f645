import {expect, it} from 'vitest'
import {RunFeed} from '../../../daemon/jobs/run-feed.js'

const forever = new AbortController().signal

it('keeps what happened before the watcher asked', async () => {
  const feed = new RunFeed()
  const watcher = feed.watch('jrun_1')
  feed.notify('jrun_1')
  feed.notify('jrun_1')
  await watcher.next(forever)
  const second = watcher.next(AbortSignal.timeout(50))
  await expect(second).rejects.toThrow()
})

it('wakes every watcher of a run and none of another', async () => {
  const feed = new RunFeed()
  const [one, two, other] = [feed.watch('jrun_1'), feed.watch('jrun_1'), feed.watch('jrun_2')]
  const waiting = [one.next(forever), two.next(forever)]
  const strange = other.next(AbortSignal.timeout(50))
  feed.notify('jrun_1')
  await Promise.all(waiting)
  await expect(strange).rejects.toThrow()
})

it('wakes everybody when any record may have changed', async () => {
  const feed = new RunFeed()
  const waiting = [feed.watch('jrun_1').next(forever), feed.watch('jrun_2').next(forever)]
  feed.notifyAll()
  await Promise.all(waiting)
})

it('forgets who has left', () => {
  const feed = new RunFeed()
  const watcher = feed.watch('jrun_1')
  watcher.close()
  watcher.close()
  feed.notify('jrun_1')
})

it('ends a wait with the reason of its signal', async () => {
  const watcher = new RunFeed().watch('jrun_1')
  const abort = new AbortController()
  const waiting = watcher.next(abort.signal)
  abort.abort(new Error('gone'))
  await expect(waiting).rejects.toThrow('gone')
  await expect(watcher.next(abort.signal)).rejects.toThrow('gone')
})
