import {expect, it} from 'vitest'
import {startTestDaemon, type TestDaemon} from '../start-test-daemon.js'

interface Frame {
  readonly id: string | undefined
  readonly event: string | undefined
  // A test reads what came and fails where it is not as it says.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- frames are of many shapes
  readonly data: any
}

function parseFrames(text: string): Frame[] {
  return text.split('\n\n').filter((frame) => frame !== '' && !frame.startsWith(':')).map((frame) => {
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(frame)?.[1]
    return {id: field('id'), event: field('event'), data: JSON.parse(field('data') ?? 'null')}
  })
}

async function startRun(daemon: TestDaemon, command: string): Promise<string> {
  const [local] = (await daemon.call('GET', '/api/system/servers')).body
  const job = await daemon.call('POST', '/api/jobs', {label: 'Stream', command, serverId: local.id, scheduleType: 'manual'})
  expect(job.status, JSON.stringify(job.body)).toBe(201)
  return (await daemon.call('POST', `/api/jobs/${job.body.data.key}/run`)).body.data.runId
}

function openStream(daemon: TestDaemon, runId: string, options: {token?: string; headers?: Record<string, string>; query?: string} = {}) {
  const authorization = `Bearer ${options.token ?? daemon.token}`
  return fetch(`${daemon.daemon.url}/api/jobs/runs/${runId}/stream${options.query ?? ''}`, {headers: {authorization, ...options.headers}})
}

it('sends a comment at once, a snapshot, whole lines with ids, and the end as the last frame', async () => {
  const daemon = await startTestDaemon()
  const response = await openStream(daemon, await startRun(daemon, 'printf "one\\ntwo\\nunended"'))
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  expect(response.headers.get('x-accel-buffering')).toBe('no')
  const text = await response.text()
  expect(text.startsWith(': ok\n\n')).toBe(true)
  const frames = parseFrames(text)
  expect(frames.every((frame) => frame.data.type === frame.event)).toBe(true)
  expect(frames[0]).toMatchObject({event: 'snapshot', data: {run: {output: null}}})
  expect(frames.filter((frame) => frame.event === 'log').map((frame) => frame.data.line)).toEqual(['one', 'two', 'unended'])
  expect(frames.at(-1)).toMatchObject({event: 'complete', data: {status: 'success', error: null}})
})

it('goes on after the id a client names, and begins with the last lines where it asks for them', async () => {
  const daemon = await startTestDaemon()
  const runId = await startRun(daemon, 'seq 1 50')
  const all = parseFrames(await (await openStream(daemon, runId)).text())
  const logs = all.filter((frame) => frame.event === 'log')
  expect(logs.map((frame) => frame.data.line)).toEqual(Array.from({length: 50}, (_, i) => String(i + 1)))
  const resumed = parseFrames(await (await openStream(daemon, runId, {headers: {'last-event-id': logs[19]?.id ?? ''}})).text())
  expect(resumed.filter((frame) => frame.event === 'log').map((frame) => frame.data.line)).toEqual(Array.from({length: 30}, (_, i) => String(i + 21)))
  const tail = parseFrames(await (await openStream(daemon, runId, {query: '?tail=3'})).text())
  expect(tail.filter((frame) => frame.event === 'log').map((frame) => frame.data.line)).toEqual(['48', '49', '50'])
})

it('refuses an id that is none, before the stream begins', async () => {
  const daemon = await startTestDaemon()
  const response = await openStream(daemon, await startRun(daemon, 'true'), {headers: {'last-event-id': 'nonsense'}})
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({code: 'VALIDATION_ERROR'})
})

it('answers 404 as JSON for a run that is not there', async () => {
  const daemon = await startTestDaemon()
  const response = await openStream(daemon, 'jrun_missing')
  expect([response.status, await response.json()]).toEqual([404, {error: 'Not found', code: 'NOT_FOUND'}])
})

it('ends an open stream at once when its token is revoked', async () => {
  const daemon = await startTestDaemon()
  const created = (await daemon.call('POST', '/api/tokens', {name: 'watcher', fullAccess: true})).body.data
  const runId = await startRun(daemon, 'echo begun; sleep 30')
  const response = await openStream(daemon, runId, {token: created.token})
  let text = ''
  let revoked = false
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString('utf8')
    if (revoked || !text.includes('begun')) continue
    revoked = true
    await daemon.call('DELETE', `/api/tokens/${created.id}`)
  }
  expect(parseFrames(text).some((frame) => frame.event === 'complete')).toBe(false)
  expect((await daemon.call('POST', `/api/jobs/runs/${runId}/cancel`)).status).toBe(202)
})

it('ends all streams when the daemon stops', async () => {
  const daemon = await startTestDaemon()
  const runId = await startRun(daemon, 'echo begun; sleep 2')
  const response = await openStream(daemon, runId)
  let stopping: Promise<void> | undefined
  for await (const chunk of response.body ?? []) {
    if (Buffer.from(chunk).toString('utf8').includes('begun')) stopping ??= daemon.daemon.stop()
  }
  await stopping
  expect(stopping).toBeDefined()
})

it('leaves the run alone when a reader hangs up', async () => {
  const daemon = await startTestDaemon()
  const runId = await startRun(daemon, 'echo begun; sleep 0.5; echo over')
  const abort = new AbortController()
  const response = await fetch(`${daemon.daemon.url}/api/jobs/runs/${runId}/stream`, {headers: {authorization: `Bearer ${daemon.token}`}, signal: abort.signal})
  await response.body?.getReader().read()
  abort.abort()
  const frames = parseFrames(await (await openStream(daemon, runId)).text())
  expect(frames.at(-1)?.data).toMatchObject({type: 'complete', status: 'success'})
})
