import {expect, it} from 'vitest'
import {Runs, type JobRecord, type RunRecord} from '../../../daemon/jobs/records.js'
import {RunLab} from './executor-fixture.js'

const key = 'jobs:run-prune'

function addPrune(lab: RunLab): Promise<JobRecord> {
  return lab.addJob({key, kind: 'system', organizationId: null, serverIds: []})
}

async function runNow(lab: RunLab, job: JobRecord): Promise<RunRecord> {
  const run = await lab.request({job, trigger: 'manual'})
  await lab.systemJobs.execute(run)
  return lab.get(run.id)
}

it('runs a system job in the daemon and keeps what it counted', async () => {
  const lab = await RunLab.open({work: {[key]: () => Promise.resolve({deleted: 3})}})
  const job = await addPrune(lab)
  const run = await lab.request({job, trigger: 'schedule'})
  expect(await lab.ended(run.id)).toMatchObject({kind: 'system', status: 'success', summary: {deleted: 3}, active: false, serverIds: []})
  expect((await lab.events()).map((event) => event.type)).toEqual([])
})

it('answers whoever runs it by hand with the summary, once it is done', async () => {
  let calls = 0
  const lab = await RunLab.open({work: {[key]: () => Promise.resolve({deleted: (calls += 1)})}})
  const run = await lab.request({job: await addPrune(lab), trigger: 'manual'})
  expect(await lab.systemJobs.execute(run)).toEqual({runId: run.id, summary: {deleted: 1}})
  expect(calls).toBe(1)
})

it('records a failure without the words of a bug', async () => {
  const lab = await RunLab.open({work: {[key]: () => Promise.reject(new Error('password=hunter2'))}})
  const job = await addPrune(lab)
  await expect(runNow(lab, job)).rejects.toMatchObject({code: 'INTERNAL'})
  const [run] = await lab.runsOf(key)
  expect(run).toMatchObject({status: 'failed', endReason: 'exit', error: 'an error inside the daemon; its log has the details'})
})

it('keeps one row an hour of successes that did nothing', async () => {
  const lab = await RunLab.open({work: {[key]: () => Promise.resolve({deleted: 0})}})
  const job = await addPrune(lab)
  for (let index = 0; index < 5; index += 1) {
    await lab.request({job, trigger: 'schedule'})
    await lab.until(async () => (await lab.store.count(Runs, 'activity', [true])) === 0)
  }
  expect(await lab.runsOf(key)).toHaveLength(1)
  await runNow(lab, job)
  expect(await lab.runsOf(key)).toHaveLength(2)
})

it('says interrupted of what was going on when the daemon stopped, and does not run it again', async () => {
  let calls = 0
  const work = {
    [key]: (signal: AbortSignal) => {
      calls += 1
      return new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    },
  }
  const lab = await RunLab.open({work})
  const run = await lab.request({job: await addPrune(lab), trigger: 'schedule'})
  await lab.reached(run.id, 'running')
  await lab.stop()
  await lab.start()
  expect(await lab.get(run.id)).toMatchObject({status: 'failed', endReason: 'interrupted', active: false})
  expect(calls).toBe(1)
})

it('starts the jobs that depend on a system job', async () => {
  const lab = await RunLab.open({work: {[key]: () => Promise.resolve({deleted: 1})}})
  const job = await addPrune(lab)
  await lab.addJob({key: 'custom:after', dependsOn: [key]})
  await runNow(lab, job)
  expect(await lab.runsOf('custom:after')).toMatchObject([{trigger: 'dependency', organizationId: 'org_default'}])
})
