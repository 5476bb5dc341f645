import {beforeEach, expect, test} from 'vitest'
import {toSample} from '../../../daemon/servers/load-samples.js'
import {startTestDaemon, type TestDaemon} from '../start-test-daemon.js'

let daemon: TestDaemon
let local: string

beforeEach(async () => {
  daemon = await startTestDaemon()
  const {body} = await daemon.call('GET', '/api/system/servers')
  local = body.find((server: {isLocal: boolean}) => server.isLocal).id
})

const exec = (body: object, id = local) => daemon.call('POST', `/api/system/servers/${id}/exec`, body)

test('exec answers with exit code and both streams of a shell text', async () => {
  const {status, body} = await exec({command: "echo out; echo \"it's\" >&2; exit 4"})
  expect(status).toBe(200)
  expect(body.data).toMatchObject({exitCode: 4, signal: null, timedOut: false, stdout: 'out\n', stderr: "it's\n", truncated: false})
})

test('exec keeps what came before the time limit, and cuts what is too long', async () => {
  const late = await exec({command: 'echo early; sleep 60', timeoutMs: 1000})
  expect(late.body.data).toMatchObject({exitCode: null, timedOut: true, stdout: 'early\n'})
  const long = await exec({command: 'yes | head -c 5000', maxOutputBytes: 100})
  expect(long.body.data).toMatchObject({exitCode: 0, truncated: true})
  expect(long.body.data.stdout).toHaveLength(100)
})

test('exec runs in the folder that was asked for, with nothing of the environment of the daemon', async () => {
  process.env['PLANTED_SECRET'] = 'planted'
  const {body} = await exec({command: 'pwd; env', cwd: '/usr/bin'})
  delete process.env['PLANTED_SECRET']
  expect(body.data.stdout.split('\n')[0]).toBe('/usr/bin')
  expect(body.data.stdout).not.toMatch(/PLANTED|MOORAGE/)
})

test('exec leaves a row in the audit trail, without the text of the command', async () => {
  await exec({command: 'echo planted-secret'})
  await expect.poll(async () => JSON.stringify((await daemon.call('GET', '/api/audit')).body)).toContain('server.exec')
  expect(JSON.stringify((await daemon.call('GET', '/api/audit')).body)).not.toContain('planted-secret')
})

test('a server that is not there is NOT_FOUND on every route that runs something', async () => {
  const answers = [
    await exec({command: 'true'}, 'srv_none'),
    await daemon.call('POST', '/api/system/check', {serverId: 'srv_none'}),
    await daemon.call('GET', '/api/system/monitor/stream?serverId=srv_none'),
  ]
  for (const {status, body} of answers) expect([status, body.code]).toEqual([404, 'NOT_FOUND'])
})

test('check tells which components are there', async () => {
  const {body} = await daemon.call('POST', '/api/system/check', {serverId: local, components: ['git', 'rsync']})
  const git = body.components.find((component: {name: string}) => component.name === 'git')
  expect(git).toMatchObject({installed: true, healthy: true, optional: false, version: /^\d+\.\d+/})
  expect(body.ready).toBe(true)
  expect(body.missing).toEqual(body.components.filter((component: {installed: boolean}) => !component.installed).map((component: {name: string}) => component.name))
})

test('monitor streams samples of the load and ends with the caller', async () => {
  const stop = new AbortController()
  const response = await fetch(`${daemon.daemon.url}/api/system/monitor/stream?serverId=${local}`, {headers: {authorization: `Bearer ${daemon.token}`}, signal: stop.signal})
  let text = ''
  for await (const piece of response.body ?? []) {
    text += Buffer.from(piece).toString()
    if (text.includes('"stats"')) break
  }
  stop.abort()
  const data = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? '{}')
  expect(data.type).toBe('stats')
  expect(data.memTotal).toBeGreaterThan(data.memUsed)
  expect(data.diskTotal).toBeGreaterThan(0)
})

test('the processor load is what happened since the sample before', () => {
  const block = (busy: number, idle: number) => [`cpu ${busy} 0 0 ${idle} 0 0 0 0 0 0`, 'MemTotal: 1000', 'MemAvailable: 250', 'uptime 93784.12 1.0', 'load 0.1 0.2 0.3 1/2 3', 'df /dev/vda 100 40 60 40% /']
  const first = toSample(block(100, 100), null)
  const {sample} = toSample(block(130, 170), first.times)
  expect(sample).toEqual({
    type: 'stats', cpu: 30, memTotal: 1_024_000, memUsed: 768_000, diskTotal: 102_400, diskUsed: 40_960, uptime: '1d 2h 3m', load1: '0.1', load5: '0.2', load15: '0.3',
  })
})
