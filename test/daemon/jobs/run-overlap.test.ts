import {readFile, writeFile} from 'node:fs/promises'
import {expect, it} from 'vitest'
import {RunLab} from './executor-fixture.js'

it('starts a queued run when the one before it is over', async () => {
  const lab = await RunLab.open()
  const job = await lab.addJob({key: 'custom:a', overlap: 'queue', command: 'echo "+$JOB_RUN_ID" >>"$LOG"; sleep 0.3; echo "-$JOB_RUN_ID" >>"$LOG"', env: {LOG: `${lab.home}/log`}})
  const first = await lab.request({job, trigger: 'schedule'})
  await lab.reached(first.id, 'running')
  const second = await lab.request({job, trigger: 'schedule'})
  const third = await lab.request({job, trigger: 'schedule'})
  expect(third).toMatchObject({status: 'skipped', endReason: 'overlap'})
  await Promise.all([lab.ended(first.id), lab.ended(second.id)])
  expect((await readFile(`${lab.home}/log`, 'utf8')).trim().split('\n')).toEqual([`+${first.id}`, `-${first.id}`, `+${second.id}`, `-${second.id}`])
})

it('ends a running run for the one that replaces it', async () => {
  const lab = await RunLab.open()
  const job = await lab.addJob({key: 'custom:a', overlap: 'replace', command: 'echo go; [ "$JOB_TRIGGER" = manual ] || sleep 60'})
  const first = await lab.request({job, trigger: 'schedule'})
  await lab.hasOutput(first.id, 'go')
  const second = await lab.run(job)
  expect(second.status).toBe('success')
  expect(await lab.ended(first.id)).toMatchObject({status: 'cancelled', endReason: 'overlap'})
  expect(Date.parse((await lab.get(first.id)).finishedAt ?? '')).toBeLessThanOrEqual(Date.parse(second.startedAt ?? ''))
})

it('lets only the newest of many replacing requests run', async () => {
  const lab = await RunLab.open()
  const job = await lab.addJob({key: 'custom:a', overlap: 'replace', command: 'sleep 0.4'})
  const runs = []
  for (let index = 0; index < 5; index += 1) runs.push(await lab.request({job, trigger: 'manual'}))
  const ended = await Promise.all(runs.map((run) => lab.ended(run.id)))
  expect(ended.map((run) => run.status)).toEqual(['cancelled', 'cancelled', 'cancelled', 'cancelled', 'success'])
})

it('waits on a busy server while it runs on a free one', async () => {
  const lab = await RunLab.open()
  const command = 'if [ -e "$STUCK.$JOB_TRIGGER" ] && mkdir "$STUCK.once" 2>/dev/null; then sleep 2; fi; echo done'
  const job = await lab.addJob({key: 'custom:a', overlap: 'queue', serverIds: ['srv_local', 'srv_b'], command, env: {STUCK: `${lab.home}/stuck`}})
  await writeFile(`${lab.home}/stuck.schedule`, '')
  const first = await lab.request({job, trigger: 'schedule'})
  await lab.until(async () => (await lab.get(first.id)).servers.some((server) => server.status === 'success'), 'one server')
  const second = await lab.request({job, trigger: 'manual'})
  await lab.until(async () => (await lab.get(second.id)).servers.some((server) => server.status === 'success'), 'the free server')
  expect((await lab.get(second.id)).servers.filter((server) => server.status === 'queued')).toHaveLength(1)
  expect((await lab.get(first.id)).active).toBe(true)
  expect(await lab.ended(second.id)).toMatchObject({status: 'success'})
})

it('passes over a busy server under skip, and does not call that green', async () => {
  const lab = await RunLab.open()
  const command = 'if mkdir "$ONCE" 2>/dev/null; then sleep 1.5; fi'
  const job = await lab.addJob({key: 'custom:a', serverIds: ['srv_local', 'srv_b'], command, env: {ONCE: `${lab.home}/once`}})
  const first = await lab.request({job, trigger: 'schedule'})
  await lab.until(async () => (await lab.get(first.id)).servers.some((server) => server.status === 'success'), 'one server')
  const second = await lab.request({job, trigger: 'schedule'})
  expect(await lab.ended(second.id)).toMatchObject({status: 'failed', endReason: 'overlap'})
  expect((await lab.get(second.id)).servers.map((server) => server.status).sort()).toEqual(['skipped', 'success'])
})
