import {describe, expect, test} from 'vitest'
import {app, startAppDaemon} from '../daemon/apps/app-fixture.js'
import {runCommand, type RunOptions} from './run-command.js'

const paste = app('paste-box', {
  name: 'Paste Box',
  minResources: {memoryMb: 9_000_000},
  services: [{name: 'web', image: 'paste:1', exposed: true, exposedPort: 80, ports: ['8090:80']}],
  configFields: [
    {key: 'TITLE', service: 'web', label: 'Title', required: true},
    {key: 'SMTP', service: 'web', label: 'Mail password', required: true, type: 'password', secret: true},
    {key: 'SECRET', service: 'web', label: 'Secret', generate: 'secret', secret: true},
  ],
  settings: [{id: 'main', label: 'Main', fields: [
    {key: 'MODE', service: 'web', label: 'Mode', type: 'select', options: [{value: 'a', label: 'Open'}, {value: 'b', label: 'Closed'}], default: 'a', installStep: true},
    {key: 'LIMIT', service: 'web', label: 'Limit', type: 'number', min: 1, max: 9, default: '5', installStep: true, showIf: {field: 'MODE', equals: 'b'}},
    {key: 'LATER', service: 'web', label: 'Later', type: 'text', requiresRedeploy: true},
    {key: 'TOKEN', service: 'web', label: 'Token', type: 'password', secret: true},
  ]}],
})
const store = app('store', {
  category: 'database', services: [{name: 'db', image: 'db:1', ports: ['5432:5432']}],
  configFields: [{key: 'PASSWORD', service: 'db', label: 'Password', generate: 'secret', secret: true}],
  endpoints: [{service: 'db', port: 5432, label: 'db', kind: 'tcp', scope: 'internal'}],
  connection: {title: 'Store', outputs: [{id: 'password', label: 'Password', source: 'env:db:PASSWORD', secret: true, envKey: 'DB_PASSWORD'}, {id: 'url', label: 'URL', source: 'template:db://{{host}}:5432', service: 'db'}]},
  provides: [{id: 'sql', outputRefs: ['url', 'password']}],
})
const shop = app('shop', {
  services: [{name: 'web', image: 'shop:1'}],
  requires: [{id: 'database', label: 'Database', envKey: 'DATABASE_URL', category: 'database', mode: 'internal'}, {id: 'cache', label: 'Cache', envKey: 'CACHE_URL', optional: true}],
})
const flow = app('mail', {kind: 'flow', flowHref: '/mail/new', services: undefined})

const all = [paste, store, shop, flow]
const given = ['--set', 'TITLE=Mine', '--set', 'SMTP=pw']

async function open() {
  const daemon = await startAppDaemon(all)
  const run = (argv: string[], options: Partial<RunOptions> = {}) => runCommand(argv, {home: daemon.home, ...options})
  const projects = async () => (await daemon.call('GET', '/api/projects')).body.data as {id: string; slug: string; name: string}[]
  return {daemon, run, projects}
}

describe('apps install', () => {
  test('off a terminal tells all that is missing at once, by its flags, and creates nothing', async () => {
    const {run, projects} = await open()
    const failed = await run(['apps', 'install', 'paste-box', '--no-deploy'])
    expect(failed).toMatchObject({exitCode: 2, stdout: '', stderr: expect.stringContaining('nobody can be asked here: give --set TITLE=VALUE --set SMTP=VALUE')})
    const needs = await run(['apps', 'install', 'shop', '--no-deploy', '--json'])
    expect(JSON.parse(needs.stdout).error).toMatchObject({code: 'USAGE', message: expect.stringContaining('--connect database=PROJECT')})
    expect(await projects()).toEqual([])
  })

  test('takes values and settings by flags, warns of a host that is short, and answers the project', async () => {
    const {run, projects, daemon} = await open()
    const {stdout, stderr, exitCode} = await run(['apps', 'install', 'paste-box', '--name', 'My Paste', ...given, '--set', 'MODE=Closed', '--set', 'web.LIMIT=7', '--domain', 'web=paste.example.com', '--no-deploy'])
    expect([stderr, stdout, exitCode]).toEqual([expect.stringContaining('has less than Paste Box recommends'), 'my-paste\n', 0])
    expect(stderr).toContain('deploy my-paste')
    const [project] = await projects()
    const {values} = (await daemon.call('GET', `/api/projects/${project?.id}/app-settings`)).body.data
    expect(values).toMatchObject([{key: 'MODE', value: 'b'}, {key: 'LIMIT', value: '7'}, {key: 'LATER', set: false}, {key: 'TOKEN', set: false}])
    const [service] = (await daemon.call('GET', `/api/projects/${project?.id}/services`)).body.services
    expect(service).toMatchObject({customDomain: 'paste.example.com', exposed: true})
    const again = await run(['apps', 'install', 'paste-box', '--name', 'My Paste', '--no-deploy', '--json'])
    expect([JSON.parse(again.stdout), (await projects()).length]).toEqual([{project: project?.id, slug: 'my-paste', deployment: null}, 1])
  })

  test.each([
    [['--set', 'NOTHING=1'], 'has nothing to set that is called NOTHING; it has TITLE, SMTP, web.MODE'],
    [['--set', 'LIMIT=70'], '--set LIMIT: Limit must be at most 9'],
    [['--domain', 'db=x.example.com'], '--domain: there is no service db; there is web'],
    [['--domain', 'web=not a host'], '--domain'],
    [['--connect', 'x=y'], 'needs nothing that is called x'],
  ])('refuses %j with the reason', async (flags, reason) => {
    const {run, projects} = await open()
    expect(await run(['apps', 'install', 'paste-box', ...given, ...flags, '--no-deploy'])).toMatchObject({exitCode: 2, stdout: '', stderr: expect.stringContaining(reason)})
    expect(await projects()).toEqual([])
  })

  test('asks on a terminal, again where an answer is wrong, and only what earlier answers call for', async () => {
    const {run, projects, daemon} = await open()
    const answers = {'Title: ': 'Mine', 'Mail password: ': 'hush', 'Mode: a, b (a): ': 'b', 'Limit (5): ': '70', 'must be at most 9': '3'}
    const {stderr, exitCode} = await run(['apps', 'install', 'paste-box', '--no-deploy'], {terminal: true, answers})
    expect([exitCode, stderr]).toEqual([0, expect.not.stringContaining('hush')])
    const [project] = await projects()
    expect((await daemon.call('GET', `/api/projects/${project?.id}/app-settings`)).body.data.values).toMatchObject([{value: 'b'}, {value: '3'}, {}, {}])
    const {environment} = (await daemon.call('POST', `/api/projects/${project?.id}/services/web/env-reveal`, {keys: ['TITLE', 'SMTP', 'SECRET'], environment: 'production'})).body
    expect(environment).toEqual({TITLE: 'Mine', SMTP: 'hush', SECRET: expect.stringMatching(/^[0-9a-f]{64}$/)})
  })

  test('connects what the app needs: by flags, and by asking which project it comes from', async () => {
    const {run, daemon, projects} = await open()
    await run(['apps', 'install', 'store', '--no-deploy'])
    const first = await run(['apps', 'install', 'shop', '--connect', 'database=app-store', '--no-deploy'])
    expect(first).toMatchObject({exitCode: 0, stdout: 'app-shop\n', stderr: expect.stringContaining('DATABASE_URL comes from App store, internal')})
    const asked = await run(['apps', 'install', 'shop', '--name', 'Second', '--no-deploy'], {terminal: true, answers: {'Database: the project that it comes from': '', 'Cache: the project that it comes from': ''}})
    expect(asked).toMatchObject({exitCode: 0, stderr: expect.stringContaining('DATABASE_URL comes from App store')})
    const second = (await projects()).find(({slug}) => slug === 'second')
    const {environment} = (await daemon.call('POST', `/api/projects/${second?.id}/env-reveal`, {keys: ['DATABASE_URL'], environment: 'production'})).body.data
    expect(environment).toEqual({DATABASE_URL: 'db://db:5432'})
  })

  test('of a flow answers where it goes on and creates nothing', async () => {
    const {run, projects} = await open()
    expect(await run(['apps', 'install', 'mail'])).toMatchObject({exitCode: 0, stdout: '/mail/new\n'})
    expect(JSON.parse((await run(['apps', 'install', 'mail', '--json'])).stdout)).toEqual({app: 'mail', flowHref: '/mail/new'})
    expect(await projects()).toEqual([])
  })

  test('says which app or server is not there', async () => {
    const {run} = await open()
    expect(await run(['apps', 'install', 'nothing'])).toMatchObject({exitCode: 1, stderr: expect.stringContaining('no app nothing')})
    expect(await run(['apps', 'install', 'store', '--server', 'nowhere'])).toMatchObject({exitCode: 1, stderr: expect.stringContaining('no server nowhere')})
  })
})

describe('apps settings', () => {
  test('shows what is set and what is a default, secrets masked', async () => {
    const {run} = await open()
    await run(['apps', 'install', 'paste-box', ...given, '--set', 'TOKEN=hush', '--no-deploy'])
    const {stdout, exitCode} = await run(['apps', 'settings', 'paste-box'])
    expect([exitCode, stdout.split('\n').slice(0, 4)]).toEqual([0, ['web.MODE\ta\tdefault\tMode', 'web.LIMIT\t5\tdefault\tLimit', expect.stringMatching(/^web\.LATER\t.*default\tLater$/), 'web.TOKEN\t••••••••\tyes\tToken']])
    expect(JSON.parse((await run(['apps', 'settings', 'paste-box', '--json'])).stdout).items[0]).toEqual({service: 'web', key: 'MODE', label: 'Mode', value: 'a', set: false, secret: false})
  })

  test('changes them together or not at all, and says how the change is applied', async () => {
    const {run} = await open()
    await run(['apps', 'install', 'paste-box', ...given, '--no-deploy'])
    expect(await run(['apps', 'settings', 'paste-box', '--set', 'MODE=b'])).toMatchObject({exitCode: 0, stdout: '1 setting of Paste Box changed\n', stderr: expect.stringContaining('deploy paste-box --refresh')})
    const two = await run(['apps', 'settings', 'paste-box', '--set', 'web.LIMIT=2', '--set', 'LATER=x', '--json'])
    expect(JSON.parse(two.stdout)).toMatchObject({count: 2, requiresRedeploy: true})
    const failed = await run(['apps', 'settings', 'paste-box', '--set', 'LATER=y', '--set', 'LIMIT=99'])
    expect(failed).toMatchObject({exitCode: 2, stdout: '', stderr: expect.stringContaining('--set: Limit must be at most 9')})
    expect((await run(['apps', 'settings', 'paste-box'])).stdout).toContain('web.LATER\tx\tyes')
  })

  test('of a project that is no app are not there', async () => {
    const {run, daemon} = await open()
    await daemon.call('POST', '/api/projects', {name: 'Plain'})
    for (const verb of ['settings', 'update', 'uninstall']) expect(await run(['apps', verb, 'plain'])).toMatchObject({exitCode: 1, stdout: '', stderr: expect.stringContaining('Plain was not installed from an app')})
  })
})

describe('apps connection', () => {
  test('masks secrets unless they are to be shown', async () => {
    const {run} = await open()
    await run(['apps', 'install', 'store', '--no-deploy'])
    const masked = await run(['apps', 'connection', 'app-store'])
    expect(masked).toMatchObject({exitCode: 0, stdout: 'Password\t••••••••\nURL\tdb://127.0.0.1:5432\n', stderr: expect.stringContaining('--reveal shows the secrets')})
    expect(masked.stderr).toContain('127.0.0.1: this address answers on the host itself')
    expect((await run(['apps', 'connection', 'app-store', '--reveal'])).stdout).toMatch(/^Password\t[0-9a-f]{64}\n/)
    const [secret] = JSON.parse((await run(['apps', 'connection', 'app-store', '--json'])).stdout).outputs
    expect(secret).toMatchObject({id: 'password', value: '••••••••'})
    expect(JSON.parse((await run(['apps', 'connection', 'app-store', '--json', '--reveal'])).stdout).outputs[0].value).toMatch(/^[0-9a-f]{64}$/)
    expect(await run(['apps', 'connection', 'nothing'])).toMatchObject({exitCode: 1, stderr: expect.stringContaining('no project nothing')})
  })
})

describe('apps uninstall', () => {
  test('asks first, warns of who uses it, and takes it away', async () => {
    const {run, daemon, projects} = await open()
    await run(['apps', 'install', 'store', '--no-deploy'])
    await daemon.call('POST', '/api/projects', {name: 'Plain'})
    await run(['projects', 'connect', 'plain', '--from', 'app-store', '--output', 'password=PW', '--yes'])
    expect(await run(['apps', 'uninstall', 'app-store'])).toMatchObject({exitCode: 2, stderr: expect.stringContaining('--yes')})
    const dry = await run(['apps', 'uninstall', 'app-store', '--dry-run', '--json'])
    expect(JSON.parse(dry.stdout)).toMatchObject({deleted: false, preview: {consumers: [{slug: 'plain', envKey: 'PW'}]}})
    const done = await run(['apps', 'uninstall', 'app-store', '--yes'])
    expect(done).toMatchObject({exitCode: 0, stdout: 'App store is uninstalled; its volumes are kept\n', stderr: expect.stringContaining('Plain uses it: PW is taken away there')})
    expect((await projects()).map(({slug}) => slug)).toEqual(['plain'])
  })
})

describe('projects connect', () => {
  test('gives a project what another one usually hands over', async () => {
    const {run, daemon} = await open()
    await run(['apps', 'install', 'store', '--no-deploy'])
    await daemon.call('POST', '/api/projects', {name: 'Plain'})
    expect(await run(['projects', 'connect', 'plain', '--from', 'app-store'])).toMatchObject({exitCode: 2, stdout: '', stderr: expect.stringContaining('--yes')})
    const asked = await run(['projects', 'connect', 'plain', '--from', 'app-store'], {terminal: true, answers: {'Connect Plain to App store?': 'y'}})
    expect(asked).toMatchObject({exitCode: 0, stdout: 'URL of Plain comes from App store, internal\nDB_PASSWORD of Plain comes from App store, internal\n', stderr: expect.stringContaining('deploy plain')})
    expect((await run(['projects', 'connections', 'plain'])).stdout).toMatch(/^DB_PASSWORD\tApp store\tpassword\tinternal\tlnk_[\w-]{16}\nURL\tApp store\turl\tinternal\tlnk_/)
    expect((await run(['projects', 'connections', 'app-store', '--consumers'])).stdout).toBe('plain\tDB_PASSWORD\tpassword\tinternal\nplain\tURL\turl\tinternal\n')
    expect(JSON.parse((await run(['projects', 'connections', 'app-store', '--json'])).stdout)).toEqual({items: []})
  })

  test('by single values and a mode; what is refused changes nothing', async () => {
    const {run, daemon} = await open()
    await run(['apps', 'install', 'store', '--no-deploy'])
    await daemon.call('POST', '/api/projects', {name: 'Plain'})
    const refused = await run(['projects', 'connect', 'plain', '--from', 'plain', '--yes', '--output', 'x=Y', '--json'])
    expect([refused.exitCode, JSON.parse(refused.stdout).error]).toMatchObject([2, {code: 'CONNECTION_REFUSED'}])
    expect(await run(['projects', 'connect', 'plain', '--from', 'app-store', '--yes', '--output', 'url=not-a-key'])).toMatchObject({exitCode: 2, stderr: expect.stringContaining('--output')})
    const done = await run(['projects', 'connect', 'plain', '--from', 'app-store', '--output', 'url=STORE', '--mode', 'internal', '--yes', '--json'])
    expect(JSON.parse(done.stdout)).toMatchObject({connections: [{envKey: 'STORE', mode: 'internal'}], requiresRedeploy: true})
  })

  test('and is undone by the variable or the id', async () => {
    const {run, daemon} = await open()
    await run(['apps', 'install', 'store', '--no-deploy'])
    await daemon.call('POST', '/api/projects', {name: 'Plain'})
    await run(['projects', 'connect', 'plain', '--from', 'app-store', '--yes'])
    expect(await run(['projects', 'disconnect', 'plain', 'NOTHING', '--yes'])).toMatchObject({exitCode: 1, stderr: expect.stringContaining('has no link NOTHING')})
    expect(await run(['projects', 'disconnect', 'plain', '--yes'])).toMatchObject({exitCode: 2, stderr: expect.stringContaining('say which link of Plain is meant: DB_PASSWORD, URL')})
    expect(await run(['projects', 'disconnect', 'plain', 'URL'])).toMatchObject({exitCode: 2, stderr: expect.stringContaining('--yes')})
    expect(await run(['projects', 'disconnect', 'plain', 'URL', '--yes'])).toMatchObject({exitCode: 0, stdout: 'URL of Plain is gone\n'})
    const [link] = JSON.parse((await run(['projects', 'connections', 'plain', '--json'])).stdout).items
    expect(link.envKey).toBe('DB_PASSWORD')
    expect(JSON.parse((await run(['projects', 'disconnect', 'plain', link.id, '--yes', '--json'])).stdout)).toMatchObject({envKey: 'DB_PASSWORD'})
    expect(await run(['projects', 'connections', 'plain'])).toMatchObject({exitCode: 0, stdout: '', stderr: 'Plain uses no other project\n'})
  })
})
