import {mkdir, readdir, readFile, stat, writeFile} from 'node:fs/promises'
import path from 'node:path'
import {describe, expect, test} from 'vitest'
import {parse} from 'yaml'
import {startTestDaemon, temporaryFolder} from '../daemon/start-test-daemon.js'
import {json, startTestServer} from '../src/client/test-server.js'
import {loadCommand, runCommand, type RunOptions} from './run-command.js'

const shop = {
  id: 'shop', name: 'My Shop', description: 'A shop.', kind: 'template', logo: 'shop', category: 'other', available: true,
  services: [
    {name: 'web', image: 'web:1.0', exposed: true, exposedPort: 80, ports: ['8080:80'], dependsOn: ['db'], environment: {ORIGIN: '{{publicUrl:web}}', DSN: 'db://u:{{config:PW}}@db', TITLE: 'Shop'}},
    {name: 'db', image: 'db:2.0', volumes: ['data:/data']},
  ],
  configFields: [
    {key: 'PW', service: 'db', label: 'Password', generate: 'secret', generateGroup: 'pw', secret: true},
    {key: 'DB_PW', service: 'web', label: 'Password', generate: 'secret', generateGroup: 'pw', secret: true},
    {key: 'REGION', service: 'web', label: 'Region', default: 'eu'},
  ],
  settings: [{id: 'g', label: 'General', fields: [
    {key: 'TITLE', service: 'web', label: 'Title', type: 'text', pattern: '^[A-Z]'},
    {key: 'SMTP_PASSWORD', service: 'web', label: 'Mail password', type: 'password', secret: true},
    {key: 'LEVEL', service: 'web', label: 'Level', type: 'number'}, {key: 'LEVEL', service: 'db', label: 'Level', type: 'number'},
  ]}],
  connection: {
    title: 'Connect', guide: {intro: {en: 'Hello', de: 'Hallo'}},
    outputs: [{id: 'url', label: 'Shop', source: 'publicUrl:web'}, {id: 'pw', label: 'Password', source: 'env:db:PW', secret: true}],
  },
}
const withFile = {...shop, files: [{service: 'web', path: '/etc/shop.conf', content: 'pw={{config:PW}}\n'}]}

async function start(definition: object | string = shop) {
  const home = await temporaryFolder()
  const file = path.join(home, 'shop.json')
  await writeFile(file, typeof definition === 'string' ? definition : JSON.stringify(definition, null, 2))
  const render = (args: readonly string[] = [], options: Partial<RunOptions> = {}) =>
    runCommand(['apps', 'render', file, ...args, '--no-start'], {home, variables: {MOORAGE_URL: 'http://127.0.0.1:9'}, ...options})
  const refused = async (...args: string[]) => {
    const run = await render([...args, '--json'])
    return {exitCode: run.exitCode, ...JSON.parse(run.stdout).error}
  }
  return {home, file, render, refused, out: path.join(home, 'out')}
}

const secret = /[0-9a-f]{64}/

describe('apps render of a file', () => {
  test('needs no daemon and shows services, environment, routes and the card, with secrets masked', async () => {
    const {render} = await start()
    const {stdout, stderr, exitCode} = await render(['--url', 'web=https://shop.example.com'])
    expect(exitCode, stderr).toBe(0)
    expect(stdout).toContain('My Shop (shop), as project my-shop\n')
    expect(stdout.indexOf('db  db:2.0')).toBeLessThan(stdout.indexOf('web  web:1.0'))
    for (const line of ['ORIGIN=https://shop.example.com', 'DSN=db://u:••••••••@db', 'PW=••••••••', 'REGION=eu', 'ports: 127.0.0.1:8080:80', 'volumes: moorage-my-shop-data:/data']) {
      expect(stdout).toContain(`    ${line}\n`)
    }
    expect(stdout).toContain('web:80 → https://shop.example.com')
    expect(stdout).toContain('Shop: https://shop.example.com')
    expect(stdout).toContain('Password: ••••••••')
    expect(stdout).not.toMatch(secret)
  })

  test('says what has no address yet, and how to give one', async () => {
    const {stdout, stderr} = await (await start()).render()
    expect(stdout).not.toContain('ORIGIN')
    expect(stdout).toContain('web:80 → no address yet (label my-shop)')
    expect(stderr).toContain('warning: web: ORIGIN is left unset: {{publicUrl:web}} names no address')
    expect(stderr).toContain('--url SERVICE=URL')
  })

  test('--host gives published ports an address, and a loopback one is none', async () => {
    const {render} = await start()
    expect((await render(['--host', 'box.example.com'])).stdout).toContain('ORIGIN=http://box.example.com:8080')
    expect((await render(['--host', 'localhost'])).stdout).not.toContain('ORIGIN')
  })

  test('--reveal shows secrets, one for the group', async () => {
    const {stdout} = await (await start()).render(['--reveal'])
    const [, value] = /DSN=db:\/\/u:([0-9a-f]{64})@db/.exec(stdout) ?? []
    expect(value).toMatch(secret)
    expect(stdout).toContain(`    PW=${value}\n`)
    expect(stdout).toContain(`    DB_PW=${value}\n`)
  })

  test('--json is the structure, masked unless revealed', async () => {
    const {render} = await start(withFile)
    const masked = await render(['--json'])
    expect(masked.stdout).not.toMatch(secret)
    expect(JSON.parse(masked.stdout)).toMatchObject({
      id: 'shop', slug: 'my-shop', files: [{path: '/etc/shop.conf', content: 'pw=••••••••\n', isSecret: true}],
      warnings: [{rule: 'url-unresolved', service: 'web'}], connection: {outputs: [{value: ''}, {value: '••••••••'}]},
    })
    expect((await render(['--json', '--reveal'])).stdout).toMatch(secret)
  })

  test('--name and --locale', async () => {
    const {stdout} = await (await start()).render(['--name', 'Other Name', '--locale', 'de-AT'])
    expect(stdout).toContain('as project other-name')
    expect(stdout).toContain('moorage-other-name-data')
    expect(stdout).toContain('Hallo')
  })

  test('reads stdin for -', async () => {
    const home = await temporaryFolder()
    const run = await runCommand(['apps', 'render', '-', '--no-start'], {home, stdin: JSON.stringify(shop)})
    expect(run.stdout).toContain('My Shop (shop)')
  })

  test('names keys that are not read, and what would keep it from being installed', async () => {
    const {stderr, exitCode} = await (await start({...shop, available: false, minEngine: '99.0.0', depends: 1})).render()
    expect(exitCode).toBe(0)
    expect(stderr).toContain('not known and not read: /depends')
    expect(stderr).toContain('as long as available is not true')
    expect(stderr).toMatch(/needs release 99\.0\.0 or newer; this is \d/)
  })

  test('draws nothing on the terminal, whatever the definition holds', async () => {
    const evil = '\u001B[2J\u001B]0;x\u0007'
    const {render} = await start({
      ...shop, name: evil, [evil]: 1, configFields: [], settings: [],
      services: [{name: evil, image: `a${evil}:1`, environment: {[evil]: `${evil}{{publicUrl:x}}`}, volumes: [evil], exposed: true, exposedPort: 1}],
      files: [{service: evil, path: `/${evil}`, content: ''}], prepare: [{service: evil, command: evil, capture: evil}],
      connection: {title: evil, description: evil, outputs: [{id: 'o', label: evil, source: `template:${evil}`}], firstLogin: {note: evil}},
    })
    for (const args of [[], ['--output', path.join(await temporaryFolder(), 'out')]]) {
      const {stdout, stderr, exitCode} = await render(args)
      expect(exitCode, stderr).toBe(0)
      expect((stdout + stderr).replaceAll(/\u001B\[\d+m/g, '')).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F]/)
    }
  })

  test('shows a flow as what it is', async () => {
    const {stdout, exitCode} = await (await start({...shop, kind: 'flow', flowHref: '/new', services: undefined, configFields: [], settings: [], connection: undefined})).render()
    expect([exitCode, stdout]).toEqual([0, 'My Shop (shop), as project my-shop\n'])
  })
})

describe('a definition that is refused', () => {
  test('is told with its lines, and the exit code is 1', async () => {
    const text = JSON.stringify({...shop, category: 'games', files: [{service: 'wbe', path: '/x', content: ''}]}, null, 2)
    const {render, refused, file} = await start(text)
    const lineOf = (part: string) => text.slice(0, text.indexOf(part)).split('\n').length
    const {exitCode, stderr, stdout} = await render()
    expect([exitCode, stdout]).toEqual([1, ''])
    expect(stderr).toContain(`${file}:${lineOf('"games"')}:`)
    expect(await refused()).toMatchObject({code: 'DEFINITION_INVALID', details: {findings: [{line: lineOf('"games"'), path: '/category', rule: 'bad-value'}]}})
  })

  test.each([
    ['{"id": "shop",}', 'comma'],
    ['// a\n{}', 'comment'],
    ['', ''],
    ['[]', 'object'],
    [`{"a":${'['.repeat(2000)}`, 'nest'],
  ])('as JSON: %j', async (text, message) => {
    const error = await (await start(text)).refused()
    expect(error).toMatchObject({exitCode: 1, code: 'DEFINITION_INVALID'})
    expect(error.message).toContain(message)
  })

  test('as something that can not be deployed', async () => {
    expect(await (await start({...shop, services: [...shop.services, {name: 'WEB', image: 'x:1'}]})).refused()).toMatchObject({exitCode: 1, code: 'DEFINITION_INVALID'})
  })

  test('a file that is not there, and a folder, are wrong usage', async () => {
    const home = await temporaryFolder()
    await mkdir(path.join(home, 'folder.json'))
    for (const file of ['./none.json', path.join(home, 'folder.json')]) {
      expect(await runCommand(['apps', 'render', file], {home})).toMatchObject({exitCode: 2, stderr: expect.stringContaining(`can not read ${file}`)})
    }
  })
})

describe('--set', () => {
  test.each([
    [['REGION=us'], 'REGION=us'],
    [['web.REGION=us=1'], 'REGION=us=1'],
    [['TITLE=Mine'], 'TITLE=Mine'],
    [['web.TITLE=Mine'], 'TITLE=Mine'],
    [['db.LEVEL=3'], 'LEVEL=3'],
  ])('%j', async (sets, line) => {
    expect((await (await start()).render(sets.flatMap((set) => ['--set', set]))).stdout).toContain(`    ${line}\n`)
  })

  test('of a generated value is taken as one that is stored, for all of its group', async () => {
    const {stdout} = await (await start()).render(['--set', 'PW=given', '--reveal'])
    for (const line of ['PW=given', 'DB_PW=given', 'DSN=db://u:given@db']) expect(stdout).toContain(`    ${line}\n`)
  })

  test('of a secret setting is masked', async () => {
    const {stdout} = await (await start()).render(['--set', 'SMTP_PASSWORD=hush'])
    expect(stdout).toContain('SMTP_PASSWORD=••••••••')
    expect(stdout).not.toContain('hush')
  })

  test.each([
    [['--set', 'REGON=us'], 'did you mean REGION?'],
    [['--set', 'db.TITLE=x'], 'no such value; did you mean web.TITLE?'],
    [['--set', 'zzz=x'], 'there are PW'],
    [['--set', 'REGION'], 'takes NAME=value'],
    [['--set', 'LEVEL=1'], 'give web.LEVEL or db.LEVEL'],
    [['--set', 'TITLE=mine'], 'Title has an invalid format'],
    [['--set', 'web.LEVEL=x'], 'Level must be a number'],
    [['--set', 'PW=a', '--set', 'DB_PW=b'], 'share one value'],
    [['--url', 'webb=https://x.example.com'], 'did you mean web?'],
    [['--url', 'web:81=https://x.example.com'], 'serves only 80'],
    [['--url', 'db:81=https://x.example.com'], 'serves no port'],
    [['--url', 'web=x.example.com'], 'is no address'],
    [['--url', 'web=ftp://x.example.com'], 'is no address'],
    [['--url', 'web'], 'SERVICE[:PORT]=URL'],
    [['--force'], '--output'],
    [['--output', 'x', '--reveal'], '--reveal'],
  ])('%j is refused as wrong usage', async (args, message) => {
    const error = await (await start()).refused(...args)
    expect(error).toMatchObject({exitCode: 2, code: 'USAGE'})
    expect(error.message).toContain(message)
  })

  test('has to give what is required and has no value', async () => {
    const {render, refused} = await start({...shop, configFields: [{key: 'PW', service: 'db', label: 'Password', required: true}]})
    expect(await refused()).toMatchObject({exitCode: 2, message: 'PW (Password) is needed: give --set PW=…', details: {missing: ['PW']}})
    expect((await render(['--set', 'PW=x'])).exitCode).toBe(0)
  })
})

describe('--format compose', () => {
  test('takes secrets from the environment, and says which', async () => {
    const {stdout, stderr, exitCode} = await (await start()).render(['--format', 'compose', '--host', 'box.example.com'])
    expect(exitCode).toBe(0)
    expect(parse(stdout).services.web).toMatchObject({environment: {DSN: 'db://u:${PW}@db', DB_PW: '${PW}'}, depends_on: {db: {condition: 'service_started'}}})
    expect(parse(stdout).volumes).toEqual({data: {name: 'moorage-my-shop-data'}})
    expect(stderr).toContain('set PW before you start it')
    expect(stdout).not.toMatch(secret)
  })

  test('holds the values with --reveal', async () => {
    const {stdout, stderr} = await (await start()).render(['--format', 'compose', '--reveal'])
    expect(parse(stdout).services.db.environment['PW']).toMatch(secret)
    expect(stderr).not.toContain('before you start it')
  })

  test('with --json is in one document', async () => {
    const {stdout} = await (await start()).render(['--format', 'compose', '--json'])
    expect(JSON.parse(stdout)).toMatchObject({variables: ['PW'], warnings: [{rule: 'url-unresolved'}], compose: expect.stringContaining('services:')})
  })

  test('says that files and builds need a folder', async () => {
    const error = await (await start(withFile)).refused('--format', 'compose')
    expect(error).toMatchObject({exitCode: 2, code: 'USAGE', message: expect.stringContaining('give --output DIR')})
    expect(error.suggestions[0]).toContain('--output ./my-shop')
  })

  test('of an app without services is refused', async () => {
    expect(await (await start({...shop, services: [], configFields: [], settings: [], connection: undefined})).refused('--format', 'compose')).toMatchObject({exitCode: 2})
  })
})

describe('--output', () => {
  const modeOf = async (file: string): Promise<string> => ((await stat(file)).mode & 0o777).toString(8)
  const readEnv = (folder: string) => readFile(path.join(folder, '.env'), 'utf8')

  test('writes the Compose file, its values, and what is mounted and built, closed to others where a secret is inside', async () => {
    const build = {name: 'api', build: {dockerfile: 'FROM x:1\nCOPY api/main.js /', files: [{path: 'main.js', content: 'run()'}]}}
    const {render, out} = await start({...withFile, services: [...shop.services, build]})
    const {stdout, stderr, exitCode} = await render(['--output', out])
    expect(exitCode, stderr).toBe(0)
    const files = ['.env', 'docker-compose.yml', 'files/web/etc/shop.conf', 'build/api/Dockerfile', 'build/api/main.js'].map((file) => path.join(out, file))
    expect(stdout).toBe(files.map((file) => `${file}\n`).join(''))
    expect(await Promise.all([...files, path.join(out, 'files'), path.join(out, 'build')].map(modeOf))).toEqual(['600', '600', '644', '644', '644', '700', '755'])
    const [, value] = /^PW=([0-9a-f]{64})\n$/.exec(await readEnv(out)) ?? []
    expect(await readFile(path.join(out, 'files/web/etc/shop.conf'), 'utf8')).toBe(`pw=${value}\n`)
    expect(await readFile(path.join(out, 'docker-compose.yml'), 'utf8')).not.toMatch(secret)
    expect(stdout + stderr).not.toMatch(secret)
  })

  test('replaces nothing without --force, and with it keeps every value that was there', async () => {
    const {render, out} = await start(withFile)
    await render(['--output', out])
    const before = await readEnv(out)
    await writeFile(path.join(out, '.env'), `${before}# mine\nOTHER=1`)
    const again = await render(['--output', out])
    expect(again).toMatchObject({exitCode: 1, stdout: '', stderr: expect.stringContaining('--force replaces them')})
    expect(await readEnv(out)).toBe(`${before}# mine\nOTHER=1`)
    expect((await render(['--output', out, '--force', '--set', 'SMTP_PASSWORD=hush'])).exitCode).toBe(0)
    expect(await readEnv(out)).toBe(`${before}# mine\nOTHER=1\nSMTP_PASSWORD=hush\n`)
    expect((await render(['--output', out, '--force'])).exitCode).toBe(0)
    expect(parse(await readFile(path.join(out, 'docker-compose.yml'), 'utf8')).services.web.environment['SMTP_PASSWORD']).toBe('${SMTP_PASSWORD}')
    expect(await readFile(path.join(out, 'files/web/etc/shop.conf'), 'utf8')).toBe(before.replace('PW=', 'pw='))
  })

  test('refuses another value for one that was there', async () => {
    const {render, refused, out} = await start()
    await render(['--output', out])
    expect(await refused('--output', out, '--force', '--set', 'DB_PW=other')).toMatchObject({exitCode: 1, code: 'CONFLICT', message: expect.stringContaining('.env')})
  })

  test('refuses a secret that a file of variables can not hold, before anything is written', async () => {
    const {refused, home, out} = await start()
    expect(await refused('--output', out, '--set', "PW=it's")).toMatchObject({exitCode: 2, message: expect.stringContaining('choose another')})
    expect(await readdir(home)).not.toContain('out')
  })

  test('answers with --json where everything is', async () => {
    const {render, out} = await start()
    const {stdout} = await render(['--output', out, '--json'])
    expect(JSON.parse(stdout)).toMatchObject({folder: out, files: [path.join(out, '.env'), path.join(out, 'docker-compose.yml')], app: {id: 'shop'}})
    expect(stdout).not.toMatch(secret)
  })
})

describe('apps render of an id', () => {
  test('asks the instance, and takes an address alone for that of the instance', async () => {
    const home = await temporaryFolder()
    const data = {...shop, custom: false, verified: false, unlisted: false}
    const server = await startTestServer(json(200, {data, draft: null}))
    const run = await runCommand(['apps', 'render', 'shop', '--url', server.url, '--url', 'web=https://shop.example.com', '--no-start'], {home, variables: {MOORAGE_TOKEN: 'moor_pat_test'}})
    expect(run, run.stderr).toMatchObject({exitCode: 0, stdout: expect.stringContaining('ORIGIN=https://shop.example.com')})
    expect(server.requests.map(({url}) => url)).toEqual(['/api/apps/catalog/shop'])
  })

  test('of the bundled catalog, from a real daemon', async () => {
    const {home} = await startTestDaemon()
    const run = await runCommand(['apps', 'render', 'umami', '--host', 'box.example.com'], {home})
    expect(run, run.stderr).toMatchObject({exitCode: 0, stdout: expect.stringContaining('(umami), as project umami')})
    expect(run.stdout).not.toMatch(secret)
  })

  test('as each example without a file shows it', async () => {
    const {home} = await startTestDaemon()
    const examples = ((await loadCommand('apps render')).examples ?? []).map((example) => (typeof example === 'string' ? example : example.command))
    const shown = examples.map((line) => line.replaceAll(/<%=[^%]*%> ?/g, '').split(' ')).filter(([app = '']) => !app.includes('/'))
    expect(shown).not.toEqual([])
    for (const args of shown) expect(await runCommand(['apps', 'render', ...args], {home})).toMatchObject({exitCode: 0})
  })

  test('passes on that there is none', async () => {
    const home = await temporaryFolder()
    const server = await startTestServer(json(404, {error: 'Unknown app', code: 'NOT_FOUND'}))
    const run = await runCommand(['apps', 'render', 'none', '--json'], {home, variables: {MOORAGE_TOKEN: 'moor_pat_test', MOORAGE_URL: server.url}})
    expect([run.exitCode, JSON.parse(run.stdout).error]).toMatchObject([1, {code: 'NOT_FOUND', suggestions: ['moorage apps search none']}])
  })

  test('that only a newer release runs says which, and renders nothing', async () => {
    const home = await temporaryFolder()
    const {id, name, description, kind, logo, category} = shop
    const data = {id, name, description, kind, logo, category, available: false, custom: false, verified: false, unlisted: false, requiresUpdate: {minVersion: '9.0.0'}}
    const server = await startTestServer(json(200, {data, draft: null}))
    const run = await runCommand(['apps', 'render', 'shop'], {home, variables: {MOORAGE_TOKEN: 'moor_pat_test', MOORAGE_URL: server.url}})
    expect(run).toMatchObject({exitCode: 1, stdout: '', stderr: 'error: shop needs release 9.0.0 or newer of the instance (APP_REQUIRES_UPDATE)\ntry: moorage apps show shop\n'})
  })
})
