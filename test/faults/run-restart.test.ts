import {readFile, writeFile} from 'node:fs/promises'
import {expect, it} from 'vitest'
import {person} from '../daemon/jobs/run-records.js'
import {RunLab} from '../daemon/jobs/executor-fixture.js'

const counting = (upTo: number) => Array.from({length: upTo}, (_, index) => `${index + 1}\n`).join('')

it('goes on with a run after a restart: same id, whole output, run once, right exit code', async () => {
  const lab = await RunLab.open()
  const command = 'echo x >>"$ONCE"; i=0; while [ $i -lt 40 ]; do i=$((i+1)); echo $i; sleep 0.05; done; exit 7'
  const job = await lab.addJob({key: 'custom:a', command, env: {ONCE: `${lab.home}/once`}})
  const run = await lab.request({job, trigger: 'manual'})
  for (const seen of ['5\n', '15\n', '25\n']) {
    await lab.hasOutput(run.id, seen)
    await lab.stop()
    await lab.start()
  }
  expect(await lab.ended(run.id)).toMatchObject({status: 'failed', endReason: 'exit', exitCode: 7})
  expect(await lab.outputOf(run.id)).toBe(counting(40))
  expect(await readFile(`${lab.home}/once`, 'utf8')).toBe('x\n')
  expect((await lab.events()).filter((event) => event.type === 'job_run.started')).toHaveLength(1)
})

it('takes up a run that ended while no daemon was there', async () => {
  const lab = await RunLab.open()
  const job = await lab.addJob({key: 'custom:a', command: 'echo begun; while [ ! -e "$GO" ]; do sleep 0.05; done; echo over; : >"$DONE"; exit 3', env: {GO: `${lab.home}/go`, DONE: `${lab.home}/done`}})
  const run = await lab.request({job, trigger: 'manual'})
  await lab.hasOutput(run.id, 'begun')
  await lab.stop()
  await writeFile(`${lab.home}/go`, '')
  await lab.until(async () => readFile(`${lab.home}/done`).then(() => true, () => false))
  await lab.start()
  expect(await lab.ended(run.id)).toMatchObject({status: 'failed', exitCode: 3})
  expect(await lab.outputOf(run.id)).toBe('begun\nover\n')
})

it('masks a secret and keeps every byte wherever a restart falls', async () => {
  const secret = `s3cret-${'x'.repeat(40)}`
  const lab = await RunLab.open()
  const command = 'i=0; while [ $i -lt 60 ]; do i=$((i+1)); printf "%s before " "$i"; printf %s "$KEY" | head -c 20; sleep 0.02; printf %s "$KEY" | tail -c +21; echo " after"; done'
  const run = await lab.request({job: await lab.addJob({key: 'custom:a', command}, {KEY: secret}), trigger: 'manual'})
  for (const seen of ['\n9 before', '\n22 before', '\n41 before']) {
    await lab.hasOutput(run.id, seen)
    await lab.stop()
    await lab.start()
  }
  expect((await lab.ended(run.id)).status).toBe('success')
  expect(await lab.outputOf(run.id)).toBe(Array.from({length: 60}, (_, index) => `${index + 1} before *** after\n`).join(''))
})

it('waits out the rest of a back-off after a restart, and counts attempts on', async () => {
  const lab = await RunLab.open()
  const job = await lab.addJob({key: 'custom:a', command: 'echo "try $JOB_ATTEMPT"; exit 1', retry: {maxAttempts: 3, backoffSeconds: 1}})
  const run = await lab.request({job, trigger: 'manual'})
  await lab.until(async () => (await lab.get(run.id)).progress?.[0]?.attempt === 2)
  await lab.stop()
  await lab.start()
  expect(await lab.ended(run.id)).toMatchObject({status: 'failed', attempt: 3})
  expect(await lab.outputOf(run.id)).toBe('try 1\n── retry 2/3 ──\ntry 2\n── retry 3/3 ──\ntry 3\n')
})

it('cancels a run that was taken up after a restart', async () => {
  const lab = await RunLab.open()
  const run = await lab.request({job: await lab.addJob({key: 'custom:a', command: 'echo begun; sleep 60'}), trigger: 'manual'})
  await lab.hasOutput(run.id, 'begun')
  await lab.stop()
  await lab.start()
  await lab.executor.cancel(run.id, person)
  expect(await lab.ended(run.id)).toMatchObject({status: 'cancelled', endReason: 'user'})
})

it('ends a run whose folder is gone as interrupted, and does not start it again', async () => {
  const lab = await RunLab.open()
  const command = 'echo x >>"$ONCE"; echo begun; sleep 60'
  const run = await lab.request({job: await lab.addJob({key: 'custom:a', command, env: {ONCE: `${lab.home}/once`}}), trigger: 'manual'})
  await lab.hasOutput(run.id, 'begun')
  await lab.stop()
  const runner = lab.runnerFor('srv_local')
  await runner.durable.stop(`${run.id}.0.1`, 100, AbortSignal.timeout(10_000))
  await runner.durable.remove(`${run.id}.0.1`, AbortSignal.timeout(10_000))
  await lab.start()
  expect(await lab.ended(run.id)).toMatchObject({status: 'failed', endReason: 'interrupted', exitCode: null})
  expect(await readFile(`${lab.home}/once`, 'utf8')).toBe('x\n')
})

it('starts what was only queued when the daemon stopped, in its order', async () => {
  const lab = await RunLab.open({limits: {total: 1}})
  const job = await lab.addJob({key: 'custom:a', overlap: 'allow', command: 'echo "$JOB_RUN_ID" >>"$LOG"; sleep 0.2', env: {LOG: `${lab.home}/log`}})
  const runs = []
  for (let index = 0; index < 3; index += 1) {
    runs.push(await lab.request({job, trigger: 'manual'}))
    await new Promise((resolve) => setTimeout(resolve, 3))
  }
  await lab.stop()
  await lab.start()
  for (const run of runs) expect(await lab.ended(run.id)).toMatchObject({status: 'success', error: null})
  expect((await readFile(`${lab.home}/log`, 'utf8')).trim().split('\n')).toEqual(runs.map((run) => run.id))
})

it('loses no command when the daemon stops at the very moment of its start', async () => {
  const lab = await RunLab.open()
  const job = await lab.addJob({key: 'custom:a', overlap: 'allow', command: 'echo "$JOB_RUN_ID" >>"$LOG"', env: {LOG: `${lab.home}/log`}})
  const runs = []
  for (let delayMs = 0; delayMs < 45; delayMs += 3) {
    runs.push(await lab.request({job, trigger: 'manual'}))
    await new Promise((resolve) => setTimeout(resolve, delayMs))
    await lab.stop()
    await lab.start()
  }
  for (const run of runs) expect(await lab.ended(run.id)).toMatchObject({status: 'success', error: null})
  expect((await readFile(`${lab.home}/log`, 'utf8')).trim().split('\n').sort()).toEqual(runs.map((run) => run.id).sort())
})
