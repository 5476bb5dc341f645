import {readdir, readFile} from 'node:fs/promises'
import {expect, it} from 'vitest'
import {Jobs, RunLeftovers, RunPlans} from '../../../daemon/jobs/records.js'
import {RunLab} from './executor-fixture.js'

it('runs a command to its success, with output, instants and events', async () => {
  const lab = await RunLab.open()
  const job = await lab.addJob({key: 'custom:hello', label: 'Say hello', command: 'echo hello; echo bad >&2'})
  const run = await lab.run(job)
  expect(run).toMatchObject({status: 'success', endReason: 'exit', exitCode: 0, error: null, active: false, attempt: 1})
  expect(run.servers).toMatchObject([{serverId: 'srv_local', status: 'success', endReason: 'exit', exitCode: 0, attempts: 1}])
  expect(Date.parse(run.startedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(run.createdAt))
  expect(Date.parse(run.finishedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(run.startedAt ?? ''))
  expect(run.durationMs).toBeGreaterThanOrEqual(0)
  expect(await lab.outputOf(run.id)).toBe('hello\nbad\n')
  expect(run.outputBytes).toBe(10)
  expect(await lab.store.get(RunPlans, run.id)).toBeUndefined()
  const events = (await lab.events()).map((event) => [event.type, event.payload['status'], event.payload['label']])
  expect(events).toEqual([['job_run.requested', 'queued', 'Say hello'], ['job_run.started', 'running', 'Say hello'], ['job_run.succeeded', 'success', 'Say hello']])
})

it('keeps the real exit code', async () => {
  const lab = await RunLab.open()
  const run = await lab.run(await lab.addJob({key: 'custom:a', command: 'echo so far; exit 75'}))
  expect(run).toMatchObject({status: 'failed', endReason: 'exit', exitCode: 75, error: 'exit status 75'})
  expect(await lab.outputOf(run.id)).toBe('so far\n')
  expect((await lab.events()).at(-1)).toMatchObject({type: 'job_run.failed', payload: {exitCode: 75, jobKey: 'custom:a'}})
})

it('tells a signal from an exit code', async () => {
  const lab = await RunLab.open()
  expect(await lab.run(await lab.addJob({key: 'custom:a', command: 'kill -KILL $$'}))).toMatchObject({status: 'failed', endReason: 'signal', error: 'ended by signal SIGKILL'})
})

it('ends a command at its limit, names the limit and keeps what it had said', async () => {
  const lab = await RunLab.open()
  const run = await lab.run(await lab.addJob({key: 'custom:a', command: 'echo early; trap "" TERM; sleep 60 & wait; sleep 60', timeoutMs: 1000}))
  expect(run).toMatchObject({status: 'failed', endReason: 'timeout', error: 'timed out: the limit of 1 s was reached'})
  expect(await lab.outputOf(run.id)).toContain('early')
})

it('gives the command what started it, then the job\'s variables, parameters and secrets', async () => {
  const lab = await RunLab.open()
  const command = 'echo "$JOB_TRIGGER|$JOB_KEY|$JOB_RUN_ID|$JOB_ATTEMPT|$A|$B|$C|$D"'
  const job = await lab.addJob({key: 'custom:a', command, env: {A: 'env', B: 'env', C: 'env', JOB_KEY: 'mine'}, parameters: [{name: 'B', required: true}, {name: 'C', required: false, default: 'parameter'}, {name: 'D', required: false, default: '$(echo no) "x" \'y\''}]}, {C: 'abc'})
  const run = await lab.run(job, {parameters: {B: 'given'}})
  expect(await lab.outputOf(run.id)).toBe(`manual|mine|${run.id}|1|env|given|abc|$(echo no) "x" 'y'\n`)
})

it('tries again after a failure, in the same run, and says so in the output', async () => {
  const lab = await RunLab.open()
  const job = await lab.addJob({key: 'custom:a', command: 'echo "try $JOB_ATTEMPT"; [ "$JOB_ATTEMPT" = 3 ]', retry: {maxAttempts: 4, backoffSeconds: 0}})
  const run = await lab.run(job)
  expect(run).toMatchObject({status: 'success', exitCode: 0, attempt: 3})
  expect(run.servers[0]).toMatchObject({attempts: 3, status: 'success', error: null})
  expect(await lab.outputOf(run.id)).toBe('try 1\n── retry 2/4 ──\ntry 2\n── retry 3/4 ──\ntry 3\n')
  expect((await lab.events()).filter((event) => event.type === 'job_run.started')).toHaveLength(1)
})

it('fails with the last exit code when no attempt is left', async () => {
  const lab = await RunLab.open()
  const run = await lab.run(await lab.addJob({key: 'custom:a', command: 'exit $((JOB_ATTEMPT + 10))', retry: {maxAttempts: 2, backoffSeconds: 0}}))
  expect(run).toMatchObject({status: 'failed', exitCode: 12, attempt: 2})
})

it('runs on all servers at once and tries again only where it failed', async () => {
  const lab = await RunLab.open()
  // Whoever makes the folder fails: exactly one of the first attempts.
  const command = '[ "$JOB_ATTEMPT" = 2 ] || ! mkdir "$MARK" 2>/dev/null'
  const job = await lab.addJob({key: 'custom:a', serverIds: ['srv_local', 'srv_b', 'srv_c'], command, env: {MARK: `${lab.home}/mark`}, retry: {maxAttempts: 2, backoffSeconds: 0}})
  const run = await lab.run(job)
  expect(run).toMatchObject({status: 'success', exitCode: 0})
  expect(run.servers.map((server) => server.attempts).sort()).toEqual([1, 1, 2])
})

it('is a failure when one server fails, with each result and one aggregate code', async () => {
  const lab = await RunLab.open()
  const job = await lab.addJob({key: 'custom:a', serverIds: ['srv_local', 'srv_gone'], command: 'echo here'})
  const run = await lab.run(job)
  expect(run).toMatchObject({status: 'failed', endReason: 'unreachable', exitCode: 1, error: 'srv_gone: server srv_gone was deleted'})
  expect(run.servers).toMatchObject([{status: 'success', exitCode: 0}, {status: 'failed', endReason: 'unreachable', exitCode: null}])
})

it('holds the number of commands at once on a server', async () => {
  const lab = await RunLab.open({limits: {perServer: 2}})
  const command = 'echo "+" >>"$LOG"; sleep 0.2; echo "-" >>"$LOG"'
  const job = await lab.addJob({key: 'custom:a', overlap: 'allow', command, env: {LOG: `${lab.home}/log`}})
  const runs = await Promise.all(Array.from({length: 6}, () => lab.request({job, trigger: 'manual'})))
  await Promise.all(runs.map((run) => lab.ended(run.id)))
  let level = 0
  const levels = (await readFile(`${lab.home}/log`, 'utf8')).trim().split('\n').map((mark) => (level += mark === '+' ? 1 : -1))
  expect(Math.max(...levels)).toBe(2)
})

it('removes the folders of its commands from the servers', async () => {
  const lab = await RunLab.open()
  await lab.run(await lab.addJob({key: 'custom:a', command: 'exit 1', retry: {maxAttempts: 2, backoffSeconds: 0}}))
  await lab.until(async () => (await readdir(`${lab.home}/folders/srv_local`)).length === 0, 'an empty folder')
  await lab.until(async () => {
    for await (const _ of lab.store.all(RunLeftovers)) return false
    return true
  })
})

it('leaves a failed run of a scheduled start that billing refuses, without trying again', async () => {
  const lab = await RunLab.open({billing: (_, [serverId = '']) => Promise.resolve({workspaceId: 'ws_1', serverId, message: 'workspace ws_1 has no balance left'})})
  const job = await lab.addJob({key: 'custom:a', command: 'echo x >>"$LOG"', env: {LOG: `${lab.home}/log`}, retry: {maxAttempts: 5, backoffSeconds: 0}})
  const run = await lab.request({job, trigger: 'schedule'})
  expect(await lab.ended(run.id)).toMatchObject({
    status: 'failed', endReason: 'billing', exitCode: null, error: 'workspace ws_1 has no balance left', startedAt: null,
    summary: {code: 'CLOUD_BILLING_BLOCKED', workspaceId: 'ws_1', serverId: 'srv_local'},
  })
  expect((await lab.events()).at(-1)).toMatchObject({type: 'job_run.failed', payload: {endReason: 'billing'}})
  await expect(readFile(`${lab.home}/log`)).rejects.toThrow()
})

it('ends a run without a command that may not start, and says why', async () => {
  const lab = await RunLab.open()
  const job = await lab.addJob({key: 'custom:a', parameters: [{name: 'X', required: true}]})
  expect(await lab.ended((await lab.request({job, trigger: 'event'})).id)).toMatchObject({status: 'failed', endReason: 'dependency', error: expect.stringContaining('X is required')})
  const homeless = await lab.addJob({key: 'custom:b', serverIds: []})
  expect(await lab.run(homeless)).toMatchObject({status: 'failed', error: 'job custom:b has no server to run on'})
})

it('fails clearly where a secret can not be opened', async () => {
  const lab = await RunLab.open()
  const job = await lab.addJob({key: 'custom:a'})
  const run = await lab.run({...job, secrets: {KEY: lab.sealer.seal('planted', 'jobs/job_other/secrets/KEY')}})
  expect(run).toMatchObject({status: 'failed', endReason: 'interrupted', error: expect.stringContaining('set it again')})
  expect(JSON.stringify(run)).not.toContain('planted')
})

it('uses the job as it was when the run was asked for', async () => {
  const lab = await RunLab.open({limits: {total: 1}})
  const job = await lab.addJob({key: 'custom:a', overlap: 'allow', command: 'sleep 0.3; echo old'})
  await lab.request({job, trigger: 'manual'})
  const second = await lab.request({job, trigger: 'manual'})
  await lab.store.transaction(async (transaction) => {
    await transaction.put(Jobs, {...job, command: 'echo new'})
  })
  await lab.ended(second.id)
  expect(await lab.outputOf(second.id)).toBe('old\n')
})
