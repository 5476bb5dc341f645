import {readFile} from 'node:fs/promises'
import {expect, it} from 'vitest'
import {RunLab} from './executor-fixture.js'
import {person} from './run-records.js'

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

it('ends the whole process group of a running command, and keeps what it had said', async () => {
  const lab = await RunLab.open()
  const command = 'sh -c "echo \\$\\$ >>\\"$PIDS\\"; trap \\"\\" TERM; while :; do sleep 0.1; done" & echo $$ >>"$PIDS"; echo begun; wait'
  const job = await lab.addJob({key: 'custom:a', command, env: {PIDS: `${lab.home}/pids`}})
  const run = await lab.request({job, trigger: 'manual'})
  await lab.hasOutput(run.id, 'begun')
  await lab.until(async () => (await readFile(`${lab.home}/pids`, 'utf8')).trim().split('\n').length === 2)
  const asked = await lab.executor.cancel(run.id, person)
  expect(asked).toMatchObject({status: 'running', cancelRequestedBy: 'usr_ada'})
  expect(await lab.ended(run.id)).toMatchObject({status: 'cancelled', endReason: 'user', error: null})
  expect(await lab.outputOf(run.id)).toBe('begun\n')
  const pids = (await readFile(`${lab.home}/pids`, 'utf8')).trim().split('\n').map(Number)
  await lab.until(async () => pids.every((pid) => !isAlive(pid)), 'the end of the group')
  expect((await lab.events()).filter((event) => event.type === 'job_run.cancelled')).toMatchObject([{actor: person, payload: {status: 'cancelled'}}])
})

it('ends a run that waits for a slot without touching its server', async () => {
  const lab = await RunLab.open({limits: {total: 1}})
  const job = await lab.addJob({key: 'custom:a', overlap: 'allow', command: 'echo x >>"$LOG"; sleep 1', env: {LOG: `${lab.home}/log`}})
  const first = await lab.request({job, trigger: 'manual'})
  await lab.reached(first.id, 'running')
  const second = await lab.request({job, trigger: 'manual'})
  await lab.executor.cancel(second.id, person)
  expect(await lab.ended(second.id)).toMatchObject({status: 'cancelled', endReason: 'user', startedAt: null})
  expect((await lab.ended(first.id)).status).toBe('success')
  expect(await readFile(`${lab.home}/log`, 'utf8')).toBe('x\n')
})

it('ends a run that waits to try again', async () => {
  const lab = await RunLab.open()
  const run = await lab.request({job: await lab.addJob({key: 'custom:a', command: 'exit 1', retry: {maxAttempts: 3, backoffSeconds: 3600}}), trigger: 'manual'})
  await lab.until(async () => (await lab.get(run.id)).progress?.[0]?.attempt === 2)
  await lab.executor.cancel(run.id, person)
  expect(await lab.ended(run.id)).toMatchObject({status: 'cancelled', endReason: 'user'})
})

it('starts nothing that was cancelled at the moment it began', async () => {
  const lab = await RunLab.open()
  const job = await lab.addJob({key: 'custom:a', overlap: 'allow', command: 'sleep 30'})
  const runs = await Promise.all(
    Array.from({length: 12}, async (_, index) => {
      const run = await lab.request({job, trigger: 'manual'})
      await new Promise((resolve) => setTimeout(resolve, index * 7))
      await lab.executor.cancel(run.id, person)
      return run
    }),
  )
  for (const run of runs) expect(await lab.ended(run.id)).toMatchObject({status: 'cancelled', endReason: 'user'})
})

it('refuses to cancel what has ended, and takes a second request for the same', async () => {
  const lab = await RunLab.open()
  const job = await lab.addJob({key: 'custom:a', command: 'sleep 30'})
  const run = await lab.request({job, trigger: 'manual'})
  await lab.reached(run.id, 'running')
  const [one, two] = await Promise.all([lab.executor.cancel(run.id, person), lab.executor.cancel(run.id, person)])
  expect(one.id).toBe(two.id)
  await lab.ended(run.id)
  await expect(lab.executor.cancel(run.id, person)).rejects.toMatchObject({code: 'RUN_FINISHED', status: 409})
})

it('keeps the success of a command that was done before the request reached it', async () => {
  const lab = await RunLab.open()
  const job = await lab.addJob({key: 'custom:a', overlap: 'allow', command: 'true'})
  const runs = await Promise.all(Array.from({length: 8}, () => lab.request({job, trigger: 'manual'})))
  await Promise.all(runs.map((run) => lab.executor.cancel(run.id, person).catch(() => undefined)))
  for (const run of runs) {
    const {status, servers} = await lab.ended(run.id)
    expect(['success', 'cancelled']).toContain(status)
    expect(servers[0]?.status).toBe(status)
  }
})
