import type {RequestListener} from 'node:http'
import {writeFile} from 'node:fs/promises'
import path from 'node:path'
import {describe, expect, test} from 'vitest'
import {startTestDaemon, temporaryFolder} from '../daemon/start-test-daemon.js'
import {json, startTestServer, type TestServer} from '../src/client/test-server.js'
import {runCommand, type RunOptions} from './run-command.js'

// Conversations with a daemon that reaches SSH servers are held at the protocol; the lab has the real ones.

const key = `SHA256:${'k'.repeat(43)}`
const changedKey = `SHA256:${'c'.repeat(43)}`
const server = {
  id: 'srv_web1', name: 'web-1', isLocal: false, sshHost: '203.0.113.7', sshPort: 22, sshUser: 'deploy', sshAuthMethod: 'agent', sshKeyPath: null, sshJumpHost: null, sshArgs: null,
  hasStoredPassword: false, hasStoredKeyMaterial: false, hostKeyFingerprint: key, hostKeyStatus: 'verified', jumpHostKeys: [], workspaceId: null, powerState: 'running', projectCount: 0,
  hostChannel: null, country: null, createdAt: '2030-01-01T00:00:00.000Z',
}
const reached = {ok: true, code: 'reachable', message: 'reached', hint: null, hostKeyFingerprint: key, jumpHostKeys: []}

function answers(routes: Readonly<Record<string, RequestListener>>): RequestListener {
  return (request, response) => {
    const route = routes[`${request.method} ${(request.url ?? '').split('?')[0]}`]
    if (route === undefined) json(404, {error: 'Not found', code: 'NOT_FOUND'})(request, response)
    else route(request, response)
  }
}

async function withServer(routes: Readonly<Record<string, RequestListener>>): Promise<{api: TestServer; options: RunOptions}> {
  const api = await startTestServer(answers({'GET /api/system/servers': json(200, [server]), ...routes}))
  return {api, options: {home: await temporaryFolder(), variables: {MOORAGE_URL: api.url, MOORAGE_TOKEN: 't'}}}
}

const sent = (api: TestServer, method: string) => api.requests.filter((request) => request.method === method).map((request) => (request.body === '' ? {} : JSON.parse(request.body)))

describe('servers add', () => {
  const routes = (test: object) => ({'POST /api/system/test-connection': json(200, test), 'POST /api/system/servers': json(201, server)})

  test('shows the host key first, and sends it once it is confirmed', async () => {
    const {api, options} = await withServer(routes(reached))
    const {stdout, stderr, exitCode} = await runCommand(['servers', 'add', 'deploy@203.0.113.7', '--name', 'web-1', '--agent'], {...options, terminal: true, answers: {'right key?': 'y'}})
    expect({exitCode, said: stderr.includes(`host key of web-1: ${key}`)}).toEqual({exitCode: 0, said: true})
    expect(stdout).toContain('web-1 is added: srv_web1')
    const [tried, added] = sent(api, 'POST')
    expect(tried).toEqual({sshHost: '203.0.113.7', sshUser: 'deploy', name: 'web-1', sshAuthMethod: 'agent'})
    expect(added).toEqual({...tried, hostKeyFingerprint: key, jumpHostKeyFingerprints: []})
  })

  test.each([['no', {terminal: true, answers: {'right key?': 'n'}}], ['nobody to ask', {}]])('adds nothing after %s', async (_, extra) => {
    const {api, options} = await withServer(routes(reached))
    const {stderr, exitCode} = await runCommand(['servers', 'add', 'deploy@203.0.113.7', '--agent'], {...options, ...extra})
    expect(exitCode).toBe(2)
    expect(stderr).toContain(key)
    expect(sent(api, 'POST')).toHaveLength(1)
  })

  test('off a terminal names the flag with the key that was shown', async () => {
    const {options} = await withServer(routes(reached))
    const {stdout} = await runCommand(['servers', 'add', 'deploy@203.0.113.7', '--agent', '--json'], options)
    expect(JSON.parse(stdout).error).toMatchObject({code: 'CONFIRMATION_REQUIRED', details: {hostKeyFingerprint: key}})
    expect(JSON.parse(stdout).error.message).toContain(`--host-key ${key}`)
  })

  test('takes the key from the flag and a password from stdin, and shows neither password nor prompt', async () => {
    const {api, options} = await withServer(routes(reached))
    const argv = ['servers', 'add', 'root@203.0.113.7', '--password-stdin', '--host-key', key, '--jump-host', 'a@b', '--jump-host', 'srv_2']
    const {stdout, stderr, exitCode} = await runCommand(argv, {...options, stdin: 'planted password\n'})
    expect(exitCode).toBe(0)
    expect(stdout + stderr).not.toContain('planted')
    expect(sent(api, 'POST')[1]).toMatchObject({sshAuthMethod: 'password', sshPassword: 'planted password', hostKeyFingerprint: key, sshJumpHost: 'a@b,srv_2'})
  })

  test('says what stands in the way, and adds nothing', async () => {
    const {api, options} = await withServer(routes({...reached, ok: false, code: 'auth_failed', message: 'the key was not accepted', hint: 'add it to authorized_keys'}))
    const {stderr, exitCode} = await runCommand(['servers', 'add', 'root@203.0.113.7', '--agent', '--yes'], options)
    expect(exitCode).toBe(1)
    expect(stderr).toContain('203.0.113.7: the key was not accepted (add it to authorized_keys)')
    expect(sent(api, 'POST')).toHaveLength(1)
  })

  test('sends a private key, and refuses a public one', async () => {
    const {api, options} = await withServer(routes(reached))
    const file = path.join(options.home, 'id')
    await writeFile(file, '-----BEGIN OPENSSH PRIVATE KEY-----\nx\n-----END OPENSSH PRIVATE KEY-----\n')
    await runCommand(['servers', 'add', 'root@203.0.113.7', '--key-file', file, '--yes'], options)
    expect(sent(api, 'POST')[1]).toMatchObject({sshAuthMethod: 'key', sshPrivateKey: expect.stringContaining('OPENSSH PRIVATE KEY')})
    await writeFile(file, 'ssh-ed25519 AAAA kim')
    expect(await runCommand(['servers', 'add', 'root@203.0.113.7', '--key-file', file], options)).toMatchObject({exitCode: 2, stderr: expect.stringContaining('public one')})
  })

  test('needs a way to sign in', async () => {
    const {options} = await withServer({})
    expect(await runCommand(['servers', 'add', 'root@203.0.113.7'], options)).toMatchObject({exitCode: 2, stderr: expect.stringContaining('--key-file')})
  })
})

describe('servers confirm-key', () => {
  test('shows both keys of a changed one and pins the new one after a yes', async () => {
    const {api, options} = await withServer({
      'POST /api/system/test-connection': json(200, {...reached, ok: false, code: 'host_key_changed', hostKeyFingerprint: changedKey}),
      'PATCH /api/system/servers/srv_web1': json(200, {...server, hostKeyFingerprint: changedKey}),
    })
    const {stderr, stdout, exitCode} = await runCommand(['servers', 'confirm-key', 'web-1'], {...options, terminal: true, answers: {'right key?': 'y'}})
    expect(exitCode).toBe(0)
    expect(stderr).toContain(`pinned: ${key}`)
    expect(stderr).toContain(`now:    ${changedKey}`)
    expect(stdout).toContain(changedKey)
    expect(sent(api, 'PATCH')).toEqual([{hostKeyFingerprint: changedKey}])
  })

  test('in a script pins what it is told without connecting', async () => {
    const {api, options} = await withServer({'PATCH /api/system/servers/srv_web1': json(200, server)})
    expect((await runCommand(['servers', 'confirm-key', 'web-1', '--host-key', key], options)).exitCode).toBe(0)
    expect(sent(api, 'POST')).toEqual([])
  })
})

describe('servers', () => {
  test('the local one is listed and shown', async () => {
    const {home} = await startTestDaemon()
    expect((await runCommand(['servers', 'list'], {home})).stdout).toContain('\tthis machine\t')
    expect(JSON.parse((await runCommand(['servers', 'show', 'local', '--json'], {home})).stdout)).toMatchObject({isLocal: true})
  })

  test('update sends only what was given', async () => {
    const {api, options} = await withServer({'PATCH /api/system/servers/srv_web1': json(200, server)})
    expect((await runCommand(['servers', 'update', 'web-1', '--host', '203.0.113.8', '--port', '2222'], options)).exitCode).toBe(0)
    expect(sent(api, 'PATCH')).toEqual([{sshHost: '203.0.113.8', sshPort: 2222}])
    expect((await runCommand(['servers', 'update', 'web-1'], options)).exitCode).toBe(2)
  })

  test('delete shows what would be left behind, and stops there with --dry-run', async () => {
    const preview = {workloads: [{type: 'app', id: 'a', name: 'shop'}], projectCount: 1, appCount: 1, jobs: [{key: 'custom:nightly-backup', label: 'Backup'}], activeRuns: ['jrun_1'], alsoRemoved: [], alsoUnbound: [], reachable: true}
    const {api, options} = await withServer({
      'GET /api/system/servers/srv_web1/deletion-preview': json(200, {ok: true, preview}),
      'DELETE /api/system/servers/srv_web1': json(200, {ok: true, serverRemoved: true, destroyOnSource: false, workloads: [], removed: []}),
    })
    const {stderr} = await runCommand(['servers', 'delete', 'web-1', '--dry-run'], options)
    expect(stderr).toContain('custom:nightly-backup')
    expect(stderr).toContain('jrun_1')
    expect(sent(api, 'DELETE')).toEqual([])
    expect((await runCommand(['servers', 'delete', '203.0.113.7', '--yes', '--force'], options)).exitCode).toBe(0)
    expect(api.requests.at(-1)?.url).toBe('/api/system/servers/srv_web1?force=true')
  })

  test('test ends with 1 and the cause when a server can not be reached', async () => {
    const result = {reachable: false, code: 'filtered', target: '203.0.113.7', port: 22, message: 'no answer', hint: 'a firewall drops it', rule: 'ufw allow 22', channel: 'ssh', latencyMs: null}
    const {options} = await withServer({'GET /api/system/servers/srv_web1/reachability': json(200, result)})
    const {stdout, exitCode} = await runCommand(['servers', 'test', 'web-1', '--json'], options)
    expect(exitCode).toBe(1)
    expect(JSON.parse(stdout).error).toMatchObject({code: 'SERVER_UNREACHABLE', details: {code: 'filtered', rule: 'ufw allow 22'}})
  })

  test('check ends with 1 and names what is missing', async () => {
    const row = (name: string, installed: boolean) => ({name, installed, healthy: installed, version: null, optional: false, message: null})
    const {options} = await withServer({'POST /api/system/check': json(200, {components: [row('git', true), row('docker', false)], ready: false, missing: ['docker']})})
    expect(await runCommand(['servers', 'check', 'web-1'], options)).toMatchObject({exitCode: 1, stderr: expect.stringContaining('web-1 lacks docker'), stdout: expect.stringContaining('git\ttrue')})
  })

  test('exec passes output through and ends with 1 when the command failed', async () => {
    const data = {exitCode: 3, signal: null, timedOut: false, stdout: 'out\n', stderr: 'err\n', truncated: false, durationMs: 5}
    const {api, options} = await withServer({'POST /api/system/servers/srv_web1/exec': json(200, {data})})
    const {stdout, stderr, exitCode} = await runCommand(['servers', 'exec', 'web-1', 'ls /x', '--sudo', '--run-timeout', '5s'], options)
    expect({stdout, exitCode}).toEqual({stdout: 'out\n', exitCode: 1})
    expect(stderr).toMatch(/^err\nerror: the command on web-1 ended with exit code 3/)
    expect(sent(api, 'POST')).toEqual([{command: 'ls /x', sudo: true, timeoutMs: 5000}])
  })

  test('monitor gives a line a reading and ends after as many as were asked for', async () => {
    const stats = {type: 'stats', cpu: 12.4, memTotal: 2 ** 30, memUsed: 2 ** 29, diskTotal: 2 ** 34, diskUsed: 2 ** 33, uptime: '5', load1: '0.10', load5: '0.20', load15: '0.30'}
    const stream: RequestListener = (_, response) => void response.writeHead(200, {'content-type': 'text/event-stream'}).write(`event: stats\ndata: ${JSON.stringify(stats)}\n\n`.repeat(3))
    const {options} = await withServer({'GET /api/system/monitor/stream': stream})
    expect((await runCommand(['servers', 'monitor', 'web-1', '--samples', '2'], options)).stdout).toBe('cpu  12 %  memory 512 MiB of 1.0 GiB  disk 8.0 GiB of 16.0 GiB  load 0.10 0.20 0.30\n'.repeat(2))
    const {stdout} = await runCommand(['servers', 'monitor', 'web-1', '--samples', '1', '--json'], options)
    expect(stdout.trimEnd().split('\n').map((line) => JSON.parse(line).type)).toEqual(['stats', 'result'])
  })
})
