import {expect, it} from 'vitest'
import {createCloudBilling} from '../../../daemon/jobs/billing.js'
import {RunPlans, Runs, type RunRecord} from '../../../daemon/jobs/records.js'
import type {Store} from '../../../daemon/store/store.js'
import {person} from './run-records.js'
import {openRequests} from './run-store-fixture.js'

async function closeServers(store: Store, run: RunRecord, serverIds: readonly string[] = run.serverIds): Promise<void> {
  await store.transaction(async (transaction) => {
    const current = await transaction.get(Runs, run.id)
    if (current === undefined) throw new Error('no run')
    const servers = current.servers.map((result) => (serverIds.includes(result.serverId) ? {...result, status: 'success' as const, finishedAt: current.createdAt} : result))
    await transaction.put(Runs, {...current, servers, active: servers.some((result) => result.finishedAt === null)})
  })
}

it('writes a queued run, its plan and the act of the person who asked', async () => {
  const {addJob, request, store, events} = await openRequests()
  const job = await addJob({key: 'custom:a', command: 'echo hi', env: {LEVEL: '3'}, secrets: {KEY: 'sealed'}})
  const run = await request({job, trigger: 'manual'})
  expect(run).toMatchObject({status: 'queued', active: true, trigger: 'manual', startedBy: 'usr_ada', startedAt: null, serverIds: ['srv_local'], attempt: 1})
  expect(await store.get(RunPlans, run.id)).toMatchObject({command: 'echo hi', env: {LEVEL: '3'}, secrets: {KEY: 'sealed'}, refusal: null})
  expect(await events()).toMatchObject([{type: 'job_run.requested', actor: person, resourceId: 'custom:a', payload: {runId: run.id}}])
})

it('skips a scheduled run while another one is going on, and says which', async () => {
  const {addJob, request, store, events} = await openRequests()
  const job = await addJob({key: 'custom:a'})
  const first = await request({job, trigger: 'schedule'})
  const second = await request({job, trigger: 'schedule', scheduledFor: '2026-01-01T00:00:00.000Z'})
  expect(second).toMatchObject({status: 'skipped', endReason: 'overlap', active: false, scheduledFor: '2026-01-01T00:00:00.000Z'})
  expect(second.error).toContain(first.id)
  expect(second.finishedAt).not.toBeNull()
  expect(await store.get(RunPlans, second.id)).toBeUndefined()
  expect((await events()).map((event) => event.type)).toEqual(['job_run.skipped'])
})

it('refuses a manual run while another one is going on, and records nothing', async () => {
  const {addJob, request, store} = await openRequests()
  const job = await addJob({key: 'custom:a'})
  const first = await request({job, trigger: 'schedule'})
  await expect(request({job, trigger: 'manual'})).rejects.toMatchObject({code: 'OVERLAP', details: {runIds: [first.id]}})
  expect(await store.count(Runs, 'job', [job.key])).toBe(1)
})

it('lets exactly one of many simultaneous requests through', async () => {
  const {addJob, request} = await openRequests()
  const job = await addJob({key: 'custom:a'})
  const runs = await Promise.all(Array.from({length: 40}, () => request({job, trigger: 'event'})))
  expect(runs.filter((run) => run.status === 'queued')).toHaveLength(1)
  expect(runs.filter((run) => run.endReason === 'overlap')).toHaveLength(39)
})

it('queues one run behind the one that is going on and skips a third', async () => {
  const {addJob, request, store} = await openRequests()
  const job = await addJob({key: 'custom:a', overlap: 'queue'})
  const [first, second, third] = [await request({job, trigger: 'schedule'}), await request({job, trigger: 'schedule'}), await request({job, trigger: 'schedule'})]
  expect([first.status, second.status, third.status]).toEqual(['queued', 'queued', 'skipped'])
  expect((await store.get(RunPlans, second.id))?.after).toEqual([first.id])
  await closeServers(store, first)
  expect((await request({job, trigger: 'schedule'})).status).toBe('queued')
})

it('lets runs of a job that allows it go side by side', async () => {
  const {addJob, request, store} = await openRequests()
  const job = await addJob({key: 'custom:a', overlap: 'allow'})
  const runs = [await request({job, trigger: 'schedule'}), await request({job, trigger: 'manual'})]
  for (const run of runs) expect((await store.get(RunPlans, run.id))?.after).toEqual([])
})

it('cancels the runs whose place a replacing run takes, and starts after them', async () => {
  const {addJob, request, store} = await openRequests()
  const job = await addJob({key: 'custom:a', overlap: 'replace'})
  const first = await request({job, trigger: 'schedule'})
  const second = await request({job, trigger: 'manual'})
  expect((await store.get(Runs, first.id))?.cancelRequestedBy).toBe(`run:${second.id}`)
  expect((await store.get(RunPlans, second.id))?.after).toEqual([first.id])
})

it('applies the overlap rule server by server', async () => {
  const {addJob, request, store} = await openRequests()
  const job = await addJob({key: 'custom:a', serverIds: ['srv_a', 'srv_stuck']})
  const first = await request({job, trigger: 'schedule'})
  await closeServers(store, first, ['srv_a'])
  const second = await request({job, trigger: 'schedule'})
  expect(second.status).toBe('queued')
  expect(second.servers).toMatchObject([{serverId: 'srv_a', status: 'queued'}, {serverId: 'srv_stuck', status: 'skipped', endReason: 'overlap'}])
})

it('lets made-up runs of a job wait for each other instead of skipping them', async () => {
  const {addJob, request} = await openRequests()
  const job = await addJob({key: 'custom:a', misfire: 'all'})
  const late = (minute: number) => request({job, trigger: 'schedule', scheduledFor: `2026-01-01T00:0${minute}:00.000Z`})
  const runs = [await late(1), await late(2), await late(3)]
  expect(runs.map((run) => run.status)).toEqual(['queued', 'queued', 'queued'])
})

it('records a missed run as skipped', async () => {
  const {addJob, request} = await openRequests()
  const job = await addJob({key: 'custom:a'})
  expect(await request({job, trigger: 'schedule', missed: true})).toMatchObject({status: 'skipped', endReason: 'misfire', active: false})
})

it('takes parameters over their defaults and refuses unknown and missing ones, naming each', async () => {
  const {addJob, request} = await openRequests()
  const job = await addJob({key: 'custom:a', overlap: 'allow', parameters: [{name: 'TARGET', required: true}, {name: 'LEVEL', required: false, default: '3'}]})
  expect((await request({job, trigger: 'manual', parameters: {TARGET: 'x'}})).parameters).toEqual({TARGET: 'x', LEVEL: '3'})
  const refused = request({job, trigger: 'manual', parameters: {OTHER: 'x'}})
  await expect(refused).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    errors: [{path: '/parameters/OTHER', message: 'is not a parameter of this job'}, {path: '/parameters/TARGET', message: 'is required'}],
  })
})

it('leaves a run that says why when something other than a person starts a job without a required parameter', async () => {
  const {addJob, request, store} = await openRequests()
  const job = await addJob({key: 'custom:a', parameters: [{name: 'TARGET', required: true}]})
  const run = await request({job, trigger: 'event'})
  expect((await store.get(RunPlans, run.id))?.refusal).toMatchObject({endReason: 'dependency', error: expect.stringContaining('TARGET')})
})

it('runs on some of the servers of a job, and on no other', async () => {
  const {addJob, request} = await openRequests()
  const job = await addJob({key: 'custom:a', overlap: 'allow', serverIds: ['srv_a', 'srv_b']})
  expect((await request({job, trigger: 'manual', serverIds: ['srv_b', 'srv_b']})).serverIds).toEqual(['srv_b'])
  await expect(request({job, trigger: 'manual', serverIds: ['srv_c']})).rejects.toMatchObject({code: 'VALIDATION_ERROR', errors: [{path: '/serverIds'}]})
})

it('refuses a manual run that nobody pays for, naming workspace and server, and records nothing', async () => {
  const billing = createCloudBilling((_, serverId) => Promise.resolve({workspaceId: 'ws_1', powerState: 'running', workspace: {subscription: serverId === 'srv_b' ? 'canceled' : 'active', balanceCents: 100}}))
  const {addJob, request, store} = await openRequests({billing})
  const job = await addJob({key: 'custom:a', serverIds: ['srv_a', 'srv_b']})
  await expect(request({job, trigger: 'manual'})).rejects.toMatchObject({code: 'CLOUD_BILLING_BLOCKED', status: 402, details: {workspaceId: 'ws_1', serverId: 'srv_b'}})
  expect(await store.count(Runs, 'job', [job.key])).toBe(0)
})

it('starts one run for one cause that is reported twice', async () => {
  const {addJob, request, store} = await openRequests()
  const job = await addJob({key: 'custom:a', overlap: 'allow'})
  const first = await request({job, trigger: 'event', id: 'jrun_fixed'})
  expect(await request({job, trigger: 'event', id: 'jrun_fixed'})).toEqual(first)
  expect(await store.count(Runs, 'job', [job.key])).toBe(1)
})

it('queues a run of a system job without a plan, one at a time', async () => {
  const {addJob, request, store} = await openRequests()
  const job = await addJob({key: 'jobs:run-prune', kind: 'system', organizationId: null, serverIds: []})
  const run = await request({job, trigger: 'schedule'})
  expect(run).toMatchObject({kind: 'system', status: 'queued', serverIds: []})
  expect(await store.get(RunPlans, run.id)).toBeUndefined()
  await expect(request({job, trigger: 'manual'})).rejects.toMatchObject({code: 'OVERLAP'})
})
