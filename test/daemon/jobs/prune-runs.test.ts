import {expect, it} from 'vitest'
import {createPruneRuns} from '../../../daemon/jobs/prune-runs.js'
import {Runs} from '../../../daemon/jobs/records.js'
import {systemClock} from '../../../daemon/clock.js'
import {RunLab} from './executor-fixture.js'

it('deletes runs that are too old or too many of one job, row and output together, and no active one', async () => {
  const lab = await RunLab.open()
  const job = await lab.addJob({key: 'custom:a', command: 'echo kept'})
  const other = await lab.addJob({key: 'custom:b', command: 'echo old'})
  const runs = [await lab.run(job), await lab.run(job), await lab.run(job)]
  const old = await lab.run(other)
  const busy = await lab.request({job: await lab.addJob({key: 'custom:busy', command: 'sleep 30'}), trigger: 'manual'})
  await lab.store.transaction(async (transaction) => {
    await transaction.put(Runs, {...(await lab.get(old.id)), createdAt: '2020-01-01T00:00:00.000Z'})
    await transaction.put(Runs, {...(await lab.get(busy.id)), createdAt: '2020-01-01T00:00:00.000Z'})
  })
  const prune = createPruneRuns({store: lab.store, outputs: lab.outputs, clock: systemClock, keptPerJob: 2})
  expect(await prune(new AbortController().signal)).toEqual({deleted: 2})
  expect((await lab.runsOf('custom:a')).map((run) => run.id).sort()).toEqual([runs[1]?.id, runs[2]?.id].sort())
  expect(await lab.outputs.find(runs[0]?.id ?? '')).toBeUndefined()
  expect(await lab.outputs.find(old.id)).toBeUndefined()
  expect(await lab.outputOf(runs[2]?.id ?? '')).toBe('kept\n')
  expect(await lab.runsOf('custom:busy')).toHaveLength(1)
  expect(await prune(new AbortController().signal)).toEqual({deleted: 0})
})

it('stops when it is told to', async () => {
  const lab = await RunLab.open()
  await lab.run(await lab.addJob({key: 'custom:a'}))
  const prune = createPruneRuns({store: lab.store, outputs: lab.outputs, clock: systemClock, keptPerJob: 0})
  await expect(prune(AbortSignal.abort(new Error('the daemon stops')))).rejects.toThrow('the daemon stops')
  expect(await lab.runsOf('custom:a')).toHaveLength(1)
})
