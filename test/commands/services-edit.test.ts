import {mkdir, writeFile} from 'node:fs/promises'
import path from 'node:path'
import {describe, expect, test} from 'vitest'
import {startTestDaemon, temporaryFolder} from '../daemon/start-test-daemon.js'
import {runCommand, type RunOptions} from './run-command.js'

async function shop(wish: object = {}): Promise<RunOptions & {readonly services: () => Promise<Record<string, unknown>[]>}> {
  const {home, call} = await startTestDaemon()
  const {id} = (await call('POST', '/api/projects', {name: 'Shop', projectType: 'services', ...wish})).body.data
  return {home, services: async () => (await call('GET', `/api/projects/${id}/services`)).body.services}
}

const document = async (argv: string[], options: RunOptions) => JSON.parse((await runCommand([...argv, '--json'], options)).stdout)

describe('services create and update', () => {
  test('describe a service and change it field by field', async () => {
    const {services, ...options} = await shop()
    await runCommand(['services', 'create', 'shop/db', '--image', 'postgres:17'], options)
    const made = await runCommand(['services', 'create', 'shop/web', '--image', 'lab/web:1', '--port', '8080:80', '--port', '8443:443', '--depends-on', 'db', '--env', 'A=1', '--env', 'B=x=y', '--command', 'serve -p 80', '--restart', 'always', '--volume', 'data:/data', '--expose', '--exposed-port', '80'], options)
    expect(made).toMatchObject({exitCode: 0, stdout: expect.stringMatching(/^shop\/web is created: svc_/), stderr: 'run it with: moorage deploy shop\n'})
    expect((await services())[1]).toMatchObject({name: 'web', image: 'lab/web:1', ports: ['8080:80', '8443:443'], dependsOn: ['db'], environment: {A: '••••••••', B: '••••••••'}, command: 'serve -p 80', restart: 'always', volumes: ['data:/data'], exposed: true, exposedPort: '80'})
    expect(await document(['services', 'update', 'shop/web', '--port', '', '--image', '', '--build', './web', '--env', 'C=2', '--unset-env', 'A', '--command', '', '--no-expose', '--no-enabled', '--name', 'site'], options)).toMatchObject({
      name: 'site', image: null, build: './web', ports: [], dependsOn: ['db'], environment: {B: '••••••••', C: '••••••••'}, command: null, exposed: false, enabled: false,
    })
  })

  test.each([
    [['create', 'web', '--image', 'a'], 'USAGE', /is not PROJECT\/SERVICE/],
    [['create', 'nowhere/web', '--image', 'a'], 'NOT_FOUND', /no project nowhere/],
    [['create', 'shop/--', '--image', 'a'], 'SERVICE_INVALID', /host name/],
    [['create', 'shop/web', '--restart', 'often'], 'USAGE', /--restart/],
    [['create', 'shop/web', '--env', 'novalue'], 'USAGE', /--env takes NAME=value/],
    [['update', 'shop/none', '--image', 'a'], 'NOT_FOUND', /has no service none/],
    [['update', 'shop'], 'USAGE', /nothing to change/],
  ])('services %j is refused: %s', async (argv, code, message) => {
    const {services, ...options} = await shop()
    expect((await document(['services', ...argv], options)).error).toMatchObject({code, message: expect.stringMatching(message)})
    expect(await services()).toEqual([])
  })
})

describe('services delete', () => {
  test('says what goes and what stays, asks, and says that no container was there', async () => {
    const {services, ...options} = await shop()
    await runCommand(['services', 'create', 'shop/db', '--image', 'postgres:17', '--volume', 'data:/var/lib/postgresql', '--volume', './conf:/etc/conf'], options)
    expect(await runCommand(['services', 'delete', 'shop/db', '--dry-run'], options)).toEqual({exitCode: 0, stdout: 'shop/db would be deleted\n', stderr: 'volume data stays\n'})
    expect(await runCommand(['services', 'delete', 'shop/db'], options)).toMatchObject({exitCode: 2, stdout: '', stderr: expect.stringContaining('--yes')})
    const declined = await runCommand(['services', 'delete', 'shop/db', '--volumes'], {...options, terminal: true, answers: {'Delete the service shop/db with its data? [y/N]': 'n'}})
    expect(declined).toMatchObject({exitCode: 2, stderr: expect.stringContaining('nothing was changed')})
    expect(await services()).toHaveLength(1)
    expect(await runCommand(['services', 'delete', 'shop/db', '--yes'], options)).toMatchObject({exitCode: 0, stdout: 'shop/db is deleted; no container of it was there\n'})
    expect(await services()).toEqual([])
    expect((await document(['services', 'delete', 'shop/db', '--yes'], options)).error.code).toBe('NOT_FOUND')
  })
})

describe('services sync', () => {
  const compose = 'services:\n  web: {image: "lab/web:${RELEASE}", ports: ["8080:80"], depends_on: [db], environment: {PASSWORD: planted}}\n  db: {image: "lab/base:1", volumes: ["data:/data"], healthcheck: {test: ["CMD", "true"]}}\nvolumes: {data: {}}\n'

  async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
    const folder = await temporaryFolder()
    for (const [name, text] of Object.entries(files)) {
      await mkdir(path.dirname(path.join(folder, name)), {recursive: true})
      await writeFile(path.join(folder, name), text)
    }
    return folder
  }

  test('shows what is added, changed and removed, asks, and takes the file over as a whole', async () => {
    const {services, ...options} = await shop()
    await runCommand(['services', 'create', 'shop/old', '--image', 'a'], options)
    await runCommand(['services', 'create', 'shop/db', '--image', 'lab/base:0', '--env', 'GONE=1'], options)
    const folder = await folderWith({'compose.yml': compose, '.env': 'RELEASE=2\n'})
    const sync = ['services', 'sync', folder, '--project', 'shop']
    const dry = await runCommand([...sync, '--dry-run'], options)
    expect(dry).toMatchObject({exitCode: 0, stderr: expect.stringContaining('1 to create, 1 to change, 1 to delete, 0 as they are')})
    expect(dry.stdout).toMatch(/^~ db\n {4}image: "lab\/base:0" → "lab\/base:1"\n[\s\S]*environment\.GONE: "•+" → none\n[\s\S]*- old\n\+ web\n/)
    expect(await runCommand(sync, options)).toMatchObject({exitCode: 2, stderr: expect.stringContaining('--yes')})
    expect((await services()).map(({name}) => name)).toEqual(['old', 'db'])
    const done = await runCommand([...sync, '--yes'], options)
    expect(done).toMatchObject({exitCode: 0, stderr: expect.stringContaining('containers follow with: moorage deploy shop')})
    expect(done.stdout + done.stderr).not.toContain('planted')
    expect(await services()).toMatchObject([{name: 'web', image: 'lab/web:2', dependsOn: ['db'], restart: 'no'}, {name: 'db', image: 'lab/base:1', environment: {}, volumes: ['data:/data'], advanced: {healthcheck: {test: ['CMD', 'true']}}}])
    await writeFile(path.join(folder, 'compose.yml'), compose.replace(', healthcheck: {test: ["CMD", "true"]}', ''))
    expect((await document([...sync, '--yes'], options)).changes).toMatchObject([{service: 'db', change: 'changed'}])
    expect((await services())[1]).toMatchObject({advanced: {}})
    expect(await runCommand(sync, options)).toMatchObject({exitCode: 0, stdout: '', stderr: '0 to create, 0 to change, 0 to delete, 2 as they are\n'})
  })

  test('comes over stdin, and with profiles', async () => {
    const {services, ...options} = await shop()
    const text = 'services:\n  web: {image: a}\n  debug: {image: b, profiles: [debug]}\n'
    expect((await document(['services', 'sync', '-', '--project', 'shop', '--profile', 'debug', '--yes'], {...options, stdin: text})).synced).toBe(true)
    expect((await services()).map(({name}) => name)).toEqual(['web', 'debug'])
  })

  test.each([
    ['services: {web: {image: a, volumes: ["./conf:/conf"]}}', /mounts \.\/conf, and the project has no files/],
    ['services: {web: {build: .}}', /web builds \., and the project has no files/],
    ['services: {web: {image: a, volumes: ["data:/d"]}}\nvolumes: {data: {external: true}}', /volume data has settings of its own/],
    ['services: {web: {image: a, networks: [shared]}}\nnetworks: {shared: {external: true}}', /network shared has settings of its own/],
    ['services: {web: {image: a, container_name: x}}', /compose\.yml:1:\d+: container_name can not be honoured/],
  ])('refuses what services alone can not keep: %s', async (text, message) => {
    const {services, ...options} = await shop()
    const file = path.join(await folderWith({'compose.yml': text}), 'compose.yml')
    expect((await document(['services', 'sync', file, '--project', 'shop', '--yes'], options)).error).toMatchObject({code: 'COMPOSE_INVALID', message: expect.stringMatching(message)})
    expect(await services()).toEqual([])
  })

  test('says of a project with files that the file of its source is read again', async () => {
    const {services, ...options} = await shop({gitUrl: 'https://git.example.com/acme/shop.git'})
    const file = path.join(await folderWith({'compose.yml': 'services: {web: {build: .}}'}), 'compose.yml')
    expect(await runCommand(['services', 'sync', file, '-p', 'shop', '--yes'], options)).toMatchObject({exitCode: 0, stderr: expect.stringContaining('reads the Compose file of its source again')})
    expect(await services()).toMatchObject([{name: 'web', build: '.'}])
  })
})

test('projects enable and disable, services containers and deployments restart, reject, info and usage say what is not there', async () => {
  const {services: _services, ...options} = await shop()
  for (const verb of ['enable', 'disable']) {
    expect((await document(['projects', verb, 'shop'], options)).error).toMatchObject({code: 'NOTHING_DEPLOYED', suggestions: ['moorage deploy shop']})
    expect((await document(['projects', verb, 'none'], options)).error.code).toBe('NOT_FOUND')
  }
  for (const verb of ['restart', 'reject', 'info', 'usage']) expect((await document(['deployments', verb, 'dep_nowhere'], options)).error).toMatchObject({code: 'NOT_FOUND', message: 'no deployment dep_nowhere'})
  expect(await runCommand(['services', 'containers', 'shop'], options)).toEqual({exitCode: 0, stdout: '', stderr: 'no containers\n'})
  for (const verb of ['accept', 'keep']) expect((await document(['services', 'drift', verb, 'shop/none'], options)).error.code).toBe('NOT_FOUND')
})
