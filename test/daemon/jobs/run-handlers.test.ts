import {writeFile} from 'node:fs/promises'
import {expect, it} from 'vitest'
import type {Principal} from '../../../daemon/access/principal.js'
import type {StreamFrame} from '../../../daemon/http/handlers.js'
import {createRunHandlers} from '../../../daemon/jobs/run-handlers.js'
import {Run, RunEvent} from '../../../src/contract/run.js'
import {RunLab} from './executor-fixture.js'
import type {ExecutorOptions} from './run-parts.js'
import {organizationId, person} from './run-records.js'

const owner: Principal = {
  kind: 'token', userId: 'usr_ada', organizationId, role: 'owner', memberRole: 'owner', credentialId: 'pat_1', credentialName: 'test',
  readOnly: false, scoped: false, grants: [], expiresAt: null, instanceAdmin: true,
}
const scoped = (...serverIds: string[]): Principal => ({
  ...owner,
  role: 'restricted',
  scoped: true,
  instanceAdmin: false,
  grants: [{resourceType: 'job', resourceId: '*', permissions: ['write']}, ...serverIds.map((id) => ({resourceType: 'server', resourceId: id, permissions: ['admin' as const]}))],
})

function as(principal: Principal, lastEventId?: string, signal = new AbortController().signal) {
  return {principal, actor: person, requestId: 'req_1', origin: 'http://127.0.0.1:4400', signal, lastEventId}
}

async function open(options: ExecutorOptions = {}) {
  const lab = await RunLab.open(options)
  const handlers = createRunHandlers({...lab, store: lab.store, outputs: lab.outputs, executor: lab.executor, requestRun: lab.requestRun, systemJobs: lab.systemJobs, feed: lab.feed, showsSystemJobs: true})
  return {lab, handlers}
}

async function collect(frames: AsyncIterable<StreamFrame>): Promise<{id: string | undefined; event: RunEvent}[]> {
  const all = []
  for await (const frame of frames) all.push({id: frame.id, event: RunEvent.parse(frame.data)})
  return all
}

const linesOf = (frames: readonly {event: RunEvent}[]) => frames.flatMap(({event}) => (event.type === 'log' ? [event.line] : []))

it('runs a job by hand, shows it with its output, and lists it without', async () => {
  const {lab, handlers} = await open()
  const job = await lab.addJob({key: 'custom:a', command: 'printf "a\\rb\\0c\\n"; exit 4'})
  const {data} = await handlers.run({params: {key: job.key}, body: undefined}, as(owner))
  expect(data).toMatchObject({key: job.key, runId: expect.stringMatching(/^jrun_/)})
  await lab.ended(data.runId ?? '')
  const shown = Run.parse((await handlers.showRun({params: {runId: data.runId ?? ''}}, as(owner))).data)
  expect(shown).toMatchObject({status: 'failed', serverId: 'srv_local', jobId: job.key, outputBytes: 6, summary: {exitCode: 4, attempts: 1, servers: [{exitCode: 4}]}})
  expect(shown.output).toContain('b')
  expect(shown.output).not.toContain('\0')
  const list = await handlers.runs({params: {key: job.key}, query: {limit: 50}}, as(owner))
  expect(list.data).toMatchObject([{id: shown.id, output: null, outputBytes: 6}])
})

it('gives parameters and servers of a manual run on', async () => {
  const {lab, handlers} = await open()
  const job = await lab.addJob({key: 'custom:a', command: 'echo "$X"', parameters: [{name: 'X', required: true}], serverIds: ['srv_local', 'srv_b']})
  const {data} = await handlers.run({params: {key: job.key}, body: {parameters: {X: '1'}, serverIds: ['srv_b']}}, as(owner))
  expect(await lab.ended(data.runId ?? '')).toMatchObject({serverIds: ['srv_b'], parameters: {X: '1'}, status: 'success'})
})

it('streams a run from before its start to its end, whole lines with places to resume from', async () => {
  const {lab, handlers} = await open()
  const job = await lab.addJob({key: 'custom:a', command: 'for i in 1 2 3 4 5; do echo "line $i"; sleep 0.1; done; echo bad >&2; exit 2', separateStderr: true})
  const run = await lab.request({job, trigger: 'manual'})
  const frames = await collect(await handlers.streamRun({params: {runId: run.id}, query: {}}, as(owner)))
  expect(frames[0]?.event).toMatchObject({type: 'snapshot', run: {id: run.id, output: null}})
  expect(linesOf(frames).filter((line) => line !== 'bad')).toEqual(['line 1', 'line 2', 'line 3', 'line 4', 'line 5'])
  expect(frames.find(({event}) => event.type === 'log' && event.line === 'bad')?.event).toMatchObject({level: 'warn', serverId: 'srv_local'})
  expect(frames.at(-1)?.event).toEqual({type: 'complete', status: 'failed', endReason: 'exit', error: 'exit status 2'})
  expect(frames.filter(({event}) => event.type === 'complete')).toHaveLength(1)
  const third = frames.find(({event}) => event.type === 'log' && event.line === 'line 3')
  const resumed = await collect(await handlers.streamRun({params: {runId: run.id}, query: {}}, as(owner, third?.id)))
  expect(linesOf(resumed).filter((line) => line !== 'bad')).toEqual(['line 4', 'line 5'])
})

it('begins with the last lines where a tail is asked for, and with none but new ones for a tail of 0', async () => {
  const {lab, handlers} = await open()
  const job = await lab.addJob({key: 'custom:a', command: 'seq 1 9; while [ ! -e "$GO" ]; do sleep 0.05; done; echo new', env: {GO: `${lab.home}/go`}})
  const run = await lab.request({job, trigger: 'manual'})
  await lab.hasOutput(run.id, '9\n')
  const abort = new AbortController()
  const live = await handlers.streamRun({params: {runId: run.id}, query: {tail: 0}}, as(owner, undefined, abort.signal))
  const iterator = live[Symbol.asyncIterator]()
  expect((await iterator.next()).value.data).toMatchObject({type: 'snapshot'})
  const next = iterator.next()

  await new Promise((resolve) => setImmediate(resolve))
  await writeFile(`${lab.home}/go`, '')
  expect((await next).value.data).toMatchObject({type: 'log', line: 'new'})
  expect((await iterator.next()).value.data).toMatchObject({type: 'complete'})
  expect(linesOf(await collect(await handlers.streamRun({params: {runId: run.id}, query: {tail: 3}}, as(owner))))).toEqual(['8', '9', 'new'])
})

it('follows many readers, the slow among them, and lets go of those who leave', async () => {
  const {lab, handlers} = await open()
  const job = await lab.addJob({key: 'custom:a', command: 'seq 1 500; sleep 0.5; seq 501 1000'})
  const run = await lab.request({job, trigger: 'manual'})
  const leaving = new AbortController()
  const left = handlers.streamRun({params: {runId: run.id}, query: {}}, as(owner, undefined, leaving.signal)).then(collect)
  const slow = (async () => {
    const seen: string[] = []
    for await (const frame of await handlers.streamRun({params: {runId: run.id}, query: {}}, as(owner))) {
      const event = RunEvent.parse(frame.data)
      if (event.type !== 'log') continue
      seen.push(event.line)
      if (seen.length % 50 === 0) await new Promise((resolve) => setTimeout(resolve, 20))
    }
    return seen
  })()
  const readers = Array.from({length: 20}, async () => linesOf(await collect(await handlers.streamRun({params: {runId: run.id}, query: {}}, as(owner)))))
  await lab.hasOutput(run.id, '500\n')
  leaving.abort(new Error('gone'))
  await expect(left).rejects.toThrow('gone')
  const expected = Array.from({length: 1000}, (_, index) => String(index + 1))
  for (const lines of await Promise.all([...readers, slow])) expect(lines).toEqual(expected)
})

it('downloads what is stored, of all servers or of one', async () => {
  const {lab, handlers} = await open()
  const job = await lab.addJob({key: 'custom:a', command: 'printf "\\377\\000raw\\n"', serverIds: ['srv_local', 'srv_b']})
  const run = await lab.run(job)
  const read = async (serverId?: string) => {
    const {bytes, filename} = await handlers.runOutput({params: {runId: run.id}, query: {serverId}}, as(owner))
    const pieces = []
    for await (const piece of bytes) pieces.push(piece)
    return {filename, bytes: Buffer.concat(pieces)}
  }
  const raw = Buffer.from([0xff, 0x00, ...Buffer.from('raw\n')])
  expect(await read('srv_b')).toEqual({filename: `${run.id}-srv_b.log`, bytes: raw})
  expect((await read()).bytes).toEqual(Buffer.concat([raw, raw]))
  await expect(read('srv_c')).rejects.toMatchObject({code: 'VALIDATION_ERROR'})
})

it('cancels with 202 and refuses what has ended', async () => {
  const {lab, handlers} = await open()
  const run = await lab.request({job: await lab.addJob({key: 'custom:a', command: 'sleep 60'}), trigger: 'manual'})
  await lab.reached(run.id, 'running')
  expect((await handlers.cancelRun({params: {runId: run.id}}, as(owner))).data).toMatchObject({id: run.id, status: 'running'})
  await lab.ended(run.id)
  await expect(handlers.cancelRun({params: {runId: run.id}}, as(owner))).rejects.toMatchObject({code: 'RUN_FINISHED'})
})

it('retries a run, or only the servers that failed, as a new run with the same parameters', async () => {
  const {lab, handlers} = await open()
  const command = '[ "$X" = 1 ] && mkdir "$MARK" 2>/dev/null'
  const job = await lab.addJob({key: 'custom:a', command, env: {MARK: `${lab.home}/mark`}, parameters: [{name: 'X', required: true}], serverIds: ['srv_local', 'srv_b']})
  const run = await lab.request({job, trigger: 'manual', parameters: {X: '1'}})
  const failed = (await lab.ended(run.id)).servers.filter((server) => server.status === 'failed').map((server) => server.serverId)
  expect(failed).toHaveLength(1)
  const again = await handlers.retryRun({params: {runId: run.id}, body: {onlyFailed: true}}, as(owner))
  const retried = await lab.ended(again.data.runId)
  expect(retried).toMatchObject({retryOf: run.id, serverIds: failed, parameters: {X: '1'}, trigger: 'manual', startedBy: 'usr_ada'})
  const all = await handlers.retryRun({params: {runId: run.id}, body: undefined}, as(owner))
  expect((await lab.ended(all.data.runId)).serverIds).toEqual(['srv_local', 'srv_b'])
})

it('refuses to retry a run that is still going on', async () => {
  const {lab, handlers} = await open()
  const run = await lab.request({job: await lab.addJob({key: 'custom:a', command: 'sleep 60'}), trigger: 'manual'})
  await expect(handlers.retryRun({params: {runId: run.id}, body: undefined}, as(owner))).rejects.toMatchObject({code: 'RUN_NOT_FINISHED'})
})

it('answers the same for a run that is not there, not covered, or of another organization', async () => {
  const {lab, handlers} = await open()
  const run = await lab.run(await lab.addJob({key: 'custom:a', serverIds: ['srv_local', 'srv_b'], command: 'true'}))
  const message = 'no such job or run, or it is not yours to see'
  const stranger = {...owner, organizationId: 'org_other'}
  for (const [principal, runId] of [[owner, 'jrun_none'], [stranger, run.id], [scoped('srv_local'), run.id], [scoped(), run.id]] as const) {
    const input = {params: {runId}, query: {}, body: undefined}
    for (const handler of [handlers.showRun, handlers.cancelRun, handlers.retryRun, handlers.streamRun, handlers.runOutput]) {
      await expect(handler(input, as(principal))).rejects.toMatchObject({code: 'NOT_FOUND', message, details: {}})
    }
    const key = principal === owner ? 'custom:none' : 'custom:a'
    await expect(handlers.run({params: {key}, body: undefined}, as(principal))).rejects.toMatchObject({code: 'NOT_FOUND', message})
    await expect(handlers.runs({params: {key}, query: {limit: 1}}, as(principal))).rejects.toMatchObject({code: 'NOT_FOUND', message})
  }
  expect((await handlers.showRun({params: {runId: run.id}}, as(scoped('srv_local', 'srv_b')))).data.id).toBe(run.id)
})

it('filters lists by access, status and job before a page is cut, and walks every page', async () => {
  const {lab, handlers} = await open({work: {'jobs:run-prune': () => Promise.resolve({deleted: 1})}})
  const seen = await lab.addJob({key: 'custom:seen', command: 'true'})
  const hidden = await lab.addJob({key: 'custom:hidden', command: 'exit 1', serverIds: ['srv_b']})
  const prune = await lab.addJob({key: 'jobs:run-prune', kind: 'system', organizationId: null, serverIds: []})
  for (let index = 0; index < 3; index += 1) {
    await lab.run(seen)
    await lab.run(hidden)
    await lab.run(prune)
  }
  const walk = async (principal: Principal, query: object) => {
    const ids: string[] = []
    let cursor: string | undefined
    do {
      const page = await handlers.allRuns({query: {limit: 2, cursor, ...query}}, as(principal))
      ids.push(...page.data.map((run) => `${run.jobKey} ${run.status}`))
      expect(page.data.length).toBeGreaterThan(0)
      cursor = page.pageInfo.endCursor ?? undefined
      expect(page.pageInfo.hasNextPage).toBe(cursor !== undefined)
    } while (cursor !== undefined)
    return ids
  }
  expect((await walk(owner, {})).sort()).toEqual([...Array(3).fill('custom:hidden failed'), ...Array(3).fill('custom:seen success'), ...Array(3).fill('jobs:run-prune success')])
  expect(await walk(scoped('srv_local'), {})).toHaveLength(6)
  expect(await walk(owner, {status: 'failed'})).toEqual(Array(3).fill('custom:hidden failed'))
  expect(await walk(owner, {jobKey: 'custom:seen'})).toHaveLength(3)
})

it('lets administrators of the instance run system jobs, and answers with the summary', async () => {
  const {lab, handlers} = await open({work: {'jobs:run-prune': () => Promise.resolve({deleted: 0})}})
  await lab.addJob({key: 'jobs:run-prune', kind: 'system', organizationId: null, serverIds: []})
  const input = {params: {key: 'jobs:run-prune'}, body: undefined}
  expect(await handlers.run(input, as(owner))).toEqual({data: {key: 'jobs:run-prune', summary: {deleted: 0}}})
  await expect(handlers.run(input, as(scoped()))).rejects.toMatchObject({code: 'INSTANCE_ADMIN_REQUIRED'})
})
