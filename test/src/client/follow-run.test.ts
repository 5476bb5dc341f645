import type {RequestListener} from 'node:http'
import {expect, test} from 'vitest'
import {createClient} from '../../../src/client/client.js'
import {followRun} from '../../../src/client/follow-run.js'
import {followStream} from '../../../src/client/follow-stream.js'
import type {RunEvent} from '../../../src/contract/run.js'
import {json, startTestServer} from './test-server.js'

type Frame = {id?: string; data: {type: string} & Record<string, unknown>}

const log = (id: string, line: string): Frame => ({id, data: {type: 'log', line, level: 'info', serverId: null, at: '2030-01-01T00:00:00.000Z'}})
const snapshot: Frame = {data: {type: 'snapshot', run: {id: 'jrun_1', status: 'running'}}}
const complete: Frame = {data: {type: 'complete', status: 'success', endReason: 'exit', error: null}}

/** One list of frames a connection; the connection is cut after them. */
function connections(run: unknown, ...lists: Frame[][]): RequestListener {
  let next = 0
  return (request, response) => {
    if (request.url?.includes('/stream') !== true) return void json(200, {data: run})(request, response)
    response.writeHead(200, {'content-type': 'text/event-stream'})
    const frames = lists[next] ?? []
    next += 1
    const text = frames.map(({id, data}) => `${id === undefined ? '' : `id: ${id}\n`}event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`).join('')
    response.write(`: ok\n\n${text}`, () => (frames.at(-1)?.data.type === 'complete' ? response.end() : response.destroy()))
  }
}

async function follow(answer: RequestListener) {
  const server = await startTestServer(answer)
  const client = createClient({connect: () => Promise.resolve({baseUrl: server.url, token: 't'}), userAgent: 'test', wait: () => Promise.resolve()})
  const events: RunEvent[] = []
  for await (const event of followRun(client, 'jrun_1', {signal: new AbortController().signal})) events.push(event)
  const lines = events.flatMap((event) => (event.type === 'log' ? [event.line] : []))
  return {events, lines, streams: server.requests.filter((request) => request.url.includes('/stream'))}
}

test('following a run gives every line to the end', async () => {
  const {events, lines} = await follow(connections({}, [snapshot, log('3', 'a'), log('6', 'b'), complete]))
  expect(lines).toEqual(['a', 'b'])
  expect(events.at(-1)).toMatchObject({type: 'complete', status: 'success'})
})

test('following a run goes on after a cut, from the last id', async () => {
  const {lines, streams} = await follow(connections({id: 'jrun_1', status: 'running'}, [snapshot, log('3', 'a')], [snapshot, log('6', 'b')], [snapshot, complete]))
  expect(lines).toEqual(['a', 'b'])
  expect(streams.map((request) => request.headers['last-event-id'])).toEqual([undefined, '3', '6'])
})

test('a stream that ends without its end lets the run itself have the last word', async () => {
  const run = {id: 'jrun_1', status: 'failed', endReason: 'timeout', error: 'took too long'}
  const {events} = await follow(connections(run, [snapshot, log('3', 'a')], [snapshot], [snapshot]))
  expect(events.at(-1)).toEqual({type: 'complete', status: 'failed', endReason: 'timeout', error: 'took too long'})
})

test('following a run that is not there fails at once', async () => {
  await expect(follow(json(404, {error: 'Not found', code: 'NOT_FOUND'}))).rejects.toMatchObject({code: 'NOT_FOUND'})
})

test('a silent connection counts as dead and is opened again', async () => {
  let opened = 0
  const events: string[] = []
  const stream = followStream<{type: string}>({
    open: ({signal}) => {
      opened += 1
      const silent = opened === 1
      return Promise.resolve(
        (async function* () {
          if (silent) await new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error)))
          yield {id: '', data: {type: 'end'}}
        })(),
      )
    },
    isLast: ({type}) => type === 'end',
    signal: new AbortController().signal,
    silenceMs: 20,
    wait: () => Promise.resolve(),
  })
  for await (const {type} of stream) events.push(type)
  expect(events).toEqual(['end'])
  expect(opened).toBe(2)
})

test('an aborted signal ends the following with its reason', async () => {
  const controller = new AbortController()
  const reason = new Error('enough')
  const server = await startTestServer((_request, response) => {
    response.writeHead(200, {'content-type': 'text/event-stream'}).write(': ok\n\n')
    controller.abort(reason)
  })
  const client = createClient({connect: () => Promise.resolve({baseUrl: server.url, token: 't'}), userAgent: 'test'})
  const reading = async () => {
    for await (const event of followRun(client, 'jrun_1', {signal: controller.signal})) void event
  }
  await expect(reading()).rejects.toBe(reason)
})

test('following goes on when the daemon was away for a while', async () => {
  let away = 3
  const stream = connections({id: 'jrun_1', status: 'running'}, [snapshot, log('3', 'a')], [snapshot, complete])
  let opened = false
  const {lines, events} = await follow((request, response) => {
    if (opened && away > 0) {
      away -= 1
      return void response.writeHead(503, {'content-type': 'application/json'}).end('{"error":"starting","code":"INTERNAL"}')
    }
    opened = true
    stream(request, response)
  })
  expect(lines).toEqual(['a'])
  expect(events.at(-1)?.type).toBe('complete')
})
