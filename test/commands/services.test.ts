import type {RequestListener} from 'node:http'
import {writeFile} from 'node:fs/promises'
import path from 'node:path'
import fc from 'fast-check'
import {execFileSync} from 'node:child_process'
import {describe, expect, test} from 'vitest'
import {toShellText} from '../../src/cli/shell-quote.js'
import {startTestDaemon, temporaryFolder} from '../daemon/start-test-daemon.js'
import {json, startTestServer, type TestServer} from '../src/client/test-server.js'
import {runCommand, type RunOptions} from './run-command.js'

// What runs on a server is held at the protocol; the lab has the real ones.

async function shopWith(routes: Readonly<Record<string, RequestListener>>): Promise<{api: TestServer; options: RunOptions}> {
  const daemon = await startTestDaemon()
  const project = (await daemon.call('POST', '/api/projects', {name: 'Shop', slug: 'shop'})).body.data
  const service = {
    id: 'svc_web', projectId: project.id, kind: 'compose', name: 'web', image: 'lab/web:1', build: null, dockerfile: null, ports: [], volumes: [], dependsOn: [], environment: {}, command: null,
    commandArgv: null, restart: 'always', advanced: {}, exposed: false, exposedPort: null, domain: null, customDomain: null, domainType: 'free', publicEndpoints: [], rootDirectory: null, enabled: true,
    sortOrder: 0, drift: null, createdAt: project.createdAt, updatedAt: project.createdAt,
  }
  const base = `/api/projects/${project.id}`
  const all: Readonly<Record<string, RequestListener>> = {
    'GET /api/projects': json(200, {data: [project]}),
    [`GET ${base}/services`]: json(200, {success: true, services: [service]}),
    ...Object.fromEntries(Object.entries(routes).map(([route, listener]) => [route.replace('BASE', base), listener])),
  }
  const api = await startTestServer((request, response) => {
    const route = all[`${request.method} ${(request.url ?? '').split('?')[0]}`] ?? json(404, {error: 'Not found', code: 'NOT_FOUND'})
    route(request, response)
  })
  return {api, options: {home: await temporaryFolder(), variables: {MOORAGE_URL: api.url, MOORAGE_TOKEN: 't'}}}
}

const sent = (api: TestServer, method: string) => api.requests.filter((request) => request.method === method).map((request) => (request.body === '' ? {} : JSON.parse(request.body)))
const changedVars = json(200, {upserted: 1, deleted: 0})

describe('services', () => {
  test('exec sends words so that the shell reads them as they are, and ends as the command did', async () => {
    const answer = {exitCode: 3, output: 'said\n', timedOut: false, truncated: false, durationMs: 1}
    const {api, options} = await shopWith({'POST BASE/services/svc_web/exec': json(200, {data: answer})})
    const ran = await runCommand(['services', 'exec', 'shop/web', '--json', '--directory', '/tmp', '--', 'echo', 'a b', '--json'], options)
    expect(ran.exitCode).toBe(3)
    expect(JSON.parse(ran.stdout)).toMatchObject({error: {code: 'RUN_FAILED', message: expect.stringContaining('exit code 3'), details: {output: 'said\n'}}})
    expect(sent(api, 'POST')).toEqual([{command: `echo 'a b' --json`, cwd: '/tmp'}])
    expect((await runCommand(['services', 'exec', 'shop/web'], options)).exitCode).toBe(2)
  })

  test('words reach a shell unchanged', () => {
    fc.assert(fc.property(fc.array(fc.string({unit: 'grapheme-ascii', minLength: 1}), {minLength: 1, maxLength: 4}), (words) => {
      const text = toShellText(['printf', '%s\\n', ...words])
      expect(execFileSync('sh', ['-c', text], {encoding: 'utf8'})).toBe(words.map((word) => `${word}\n`).join(''))
    }), {numRuns: 30})
  })

  test('logs are printed line by line, with times where asked', async () => {
    const line = {timestamp: '2030-01-01T00:00:00.000Z', message: 'hello', level: 'info', serviceName: 'web'}
    const {api, options} = await shopWith({'GET BASE/services/svc_web/logs': json(200, {data: [line]})})
    expect(await runCommand(['services', 'logs', 'shop', '--since', '10m', '--timestamps'], options)).toMatchObject({stdout: '2030-01-01T00:00:00.000Z hello\n', exitCode: 0})
    expect(api.requests.at(-1)?.url).toContain('since=10m')
  })

  test('list, start, stop and restart say what there is and what became of it', async () => {
    const container = {serviceId: 'svc_web', serviceName: 'web', containerId: 'abcdef0123456789', status: 'running', health: 'healthy', ip: null, hostPort: 80, imageRef: 'lab/web:1', matchedBy: 'label', duplicates: ['x'], startedAt: null, exitCode: null, restartCount: 0, unhealthyReason: null}
    const ok = json(200, {success: true})
    const stale = json(409, {error: 'A changed', code: 'SERVICE_CONFIG_STALE', staleEnvKeys: ['A'], serviceName: 'web'})
    const {options} = await shopWith({
      'GET BASE/services/containers': json(200, {success: true, containers: [container]}), 'POST BASE/services/svc_web/start': ok, 'POST BASE/services/svc_web/stop': ok, 'POST BASE/services/svc_web/restart': stale,
    })
    expect(await runCommand(['services', 'list', 'shop'], options)).toMatchObject({stdout: expect.stringContaining('web\trunning\thealthy\tlab/web:1\t80'), stderr: expect.stringContaining('1 more containers')})
    expect((await runCommand(['services', 'show', 'shop/web', '--json'], options)).stdout).toContain('svc_web')
    expect((await runCommand(['services', 'start', 'shop/web'], options)).stdout).toBe('web is started\n')
    expect((await runCommand(['services', 'stop', 'shop/web'], options)).stdout).toBe('web is stopped\n')
    expect(JSON.parse((await runCommand(['services', 'restart', 'shop/web', '--json'], options)).stdout).error).toMatchObject({code: 'SERVICE_CONFIG_STALE'})
    expect((await runCommand(['services', 'start', 'shop/none'], options)).exitCode).toBe(1)
  })
})

describe('env', () => {
  test('a secret comes from stdin or a file and is not shown', async () => {
    const {api, options} = await shopWith({'PATCH BASE/env': changedVars})
    const file = path.join(options.home, 'value')
    await writeFile(file, 'from a file\n')
    const {stdout, stderr, exitCode} = await runCommand(['env', 'set', 'shop', 'A=1', '--secret', '--from-file', `B=${file}`, '--value-stdin', 'C'], {...options, stdin: 'planted\n'})
    expect([exitCode, (stdout + stderr).includes('planted')]).toEqual([0, false])
    expect(sent(api, 'PATCH')).toEqual([{environment: 'production', deletes: [], upserts: [{key: 'A', value: '1', isSecret: true}, {key: 'B', value: 'from a file', isSecret: true}, {key: 'C', value: 'planted', isSecret: true}]}])
    expect((await runCommand(['env', 'set', 'shop'], options)).exitCode).toBe(2)
  })

  test('one of a service changes and the others are sent back as they were shown', async () => {
    const row = {id: 'env_1', key: 'KEPT', value: '••••••••', environment: 'production', serviceId: 'svc_web', isSecret: true, createdAt: '2030-01-01T00:00:00.000Z', updatedAt: '2030-01-01T00:00:00.000Z'}
    const {api, options} = await shopWith({'GET BASE/services/svc_web/env': json(200, {success: true, vars: [row, {...row, id: 'env_2', key: 'GONE'}]}), 'PUT BASE/services/svc_web/env': json(200, {success: true, count: 1})})
    expect((await runCommand(['env', 'unset', 'shop', 'GONE', '--service', 'web'], options)).exitCode).toBe(0)
    expect(sent(api, 'PUT')).toEqual([{environment: 'production', vars: [{key: 'KEPT', value: '••••••••', isSecret: true}]}])
    expect((await runCommand(['env', 'list', 'shop', '--service', 'web'], options)).stdout).toContain('KEPT\t••••••••\tyes')
  })

  test('import takes a file of variables, and reveal prints what was asked for', async () => {
    const {api, options} = await shopWith({'PATCH BASE/env': changedVars, 'POST BASE/env-reveal': json(200, {data: {environment: {A: 'x y'}}})})
    expect((await runCommand(['env', 'import', 'shop', '--file', '-'], {...options, stdin: 'A=1\n# no\nexport B="two"\n'})).exitCode).toBe(0)
    expect(sent(api, 'PATCH')[0].upserts).toEqual([{key: 'A', value: '1'}, {key: 'B', value: 'two'}])
    expect((await runCommand(['env', 'reveal', 'shop', 'A'], options)).stdout).toBe(`A='x y'\n`)
    expect((await runCommand(['env', 'reveal', 'shop', 'MISSING'], options)).exitCode).toBe(1)
  })
})

describe('projects delete', () => {
  test('shows what goes and what stays, and asks', async () => {
    const preview = {reachable: true, removed: [{kind: 'container', name: 'shop_web_1', service: 'web'}], kept: [{kind: 'volume', name: 'moorage-shop-data', service: null}], consumers: [], activeDeploymentIds: []}
    const {api, options} = await shopWith({'GET BASE/deletion-preview': json(200, {data: preview})})
    expect(await runCommand(['projects', 'delete', 'shop', '--dry-run'], options)).toMatchObject({exitCode: 0, stderr: expect.stringMatching(/container shop_web_1 goes[\s\S]*volume moorage-shop-data stays/)})
    expect((await runCommand(['projects', 'delete', 'shop'], options)).exitCode).toBe(2)
    expect(sent(api, 'DELETE')).toEqual([])
  })
})
