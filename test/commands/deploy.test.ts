import {existsSync} from 'node:fs'
import {mkdir, readFile, writeFile} from 'node:fs/promises'
import path from 'node:path'
import {describe, expect, onTestFinished, test} from 'vitest'
import {addServer} from '../daemon/projects/deployments/deploy-lab.js'
import {startTestDaemon, temporaryFolder, type TestDaemon} from '../daemon/start-test-daemon.js'
import {dockerHostsMissing, startDockerHosts} from '../lab/docker-hosts.js'
import {sharedPart} from '../lab/shared-part.js'
import {runCommand, type RunOptions} from './run-command.js'

const document = async (argv: string[], options: RunOptions) => JSON.parse((await runCommand([...argv, '--json'], options)).stdout)
const compose = (version: string) => JSON.stringify({services: {web: {image: 'lab/web:1', environment: {VERSION: version}}}})
const linkOf = (folder: string) => path.join(folder, '.moorage', 'project.json')

/** A folder with a Compose file, called `shop`. */
async function shopFolder(text = compose('1')): Promise<string> {
  const folder = path.join(await temporaryFolder(), 'shop')
  await mkdir(folder)
  await writeFile(path.join(folder, 'compose.yml'), text)
  return folder
}

async function link(folder: string, text: string): Promise<void> {
  await mkdir(path.dirname(linkOf(folder)), {recursive: true})
  await writeFile(linkOf(folder), text)
}

const projects = async ({call}: TestDaemon) => (await call('GET', '/api/projects')).body.data

describe('deploy FOLDER', () => {
  test('names the flag where nobody can be asked, and sends nothing', async () => {
    const daemon = await startTestDaemon()
    const folder = await shopFolder()
    expect(await runCommand(['deploy', folder], daemon)).toMatchObject({exitCode: 2, stdout: '', stderr: expect.stringContaining('give --project')})
    expect((await document(['deploy', folder], daemon)).error).toMatchObject({code: 'USAGE', details: {flag: '--project'}})
    const unknown = await document(['deploy', folder, '--project', 'shop'], daemon)
    expect(unknown.error).toMatchObject({code: 'NOT_FOUND', suggestions: ['moorage projects list', `moorage deploy ${folder} --project shop --create`]})
    expect(await projects(daemon)).toEqual([])
  })

  test.each([
    [['deploy', '/nowhere/at/all', '--project', 'shop'], /there is no folder \/nowhere\/at\/all/],
    [['deploy', './', '--branch', 'main'], /--branch is not of folders/],
    [['deploy', 'shop', '--old-volumes', 'wipe'], /--yes/],
    [['deploy', 'shop', '--create'], /--create is of folders.* as \.\/shop/],
  ])('refuses %j', async (argv, message) => {
    expect(await runCommand(argv, await startTestDaemon())).toMatchObject({exitCode: 2, stderr: expect.stringMatching(message)})
  })

  test('a link that is damaged or leads nowhere is said, never taken for none', async () => {
    const daemon = await startTestDaemon()
    const folder = await shopFolder()
    await link(folder, '{"projectId": "proj_gone000000000000"}')
    expect((await document(['deploy', folder], daemon)).error).toMatchObject({code: 'NOT_FOUND', message: expect.stringContaining('proj_gone000000000000, which is not here'), suggestions: [`moorage projects unlink ${folder}`, expect.any(String)]})
    await link(folder, '{"projectId": 7')
    expect((await document(['deploy', folder, '--create'], daemon)).error).toMatchObject({code: 'CONFIGURATION', message: expect.stringContaining('names no project')})
    expect(await projects(daemon)).toEqual([])
  })

  test('a deployment that fails has made the project and links nothing', async () => {
    const daemon = await startTestDaemon()
    const folder = await shopFolder('services: {web: {image: "lab/web:1", pid: host, network_mode: "container:x"}}')
    const {exitCode, stderr} = await runCommand(['deploy', folder, '--create', '--wait'], daemon)
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/sending .*sent 1 files.*the project shop is created: proj_.*dep_[\w-]+ deploys shop.*failed/s)])
    expect(existsSync(linkOf(folder))).toBe(false)
    expect(await projects(daemon)).toMatchObject([{name: 'shop', sourceKind: 'upload'}])
  })

  test('an installed app is not replaced, and a repository stays the source of its project', async () => {
    const daemon = await startTestDaemon()
    const folder = await shopFolder('services: {}')
    await daemon.call('POST', '/api/projects', {name: 'App', sourceKind: 'app'})
    expect((await document(['deploy', folder, '--project', 'app'], daemon)).error).toMatchObject({code: 'USAGE', message: expect.stringContaining('installed app')})
    await daemon.call('POST', '/api/projects', {name: 'Git', gitUrl: 'https://git.example.com/a.git'})
    expect(await runCommand(['deploy', folder, '--project', 'git', '--no-wait'], daemon)).toMatchObject({exitCode: 0, stdout: expect.stringMatching(/^dep_[\w-]{16}\n$/), stderr: expect.stringContaining('only this deployment takes')})
    expect((await projects(daemon)).find(({name}: {name: string}) => name === 'Git')).toMatchObject({sourceKind: 'git'})
  })
})

describe.skipIf(dockerHostsMissing() !== null)('deploy FOLDER on a Docker host', {timeout: 180_000}, () => {
  const hosts = sharedPart(() => startDockerHosts(1))

  async function daemonWithHost(): Promise<TestDaemon> {
    const daemon = await startTestDaemon()
    await addServer(daemon, hosts, hosts.host(1))
    onTestFinished(async () => {
      await runCommand(['projects', 'delete', 'shop', '--volumes', '--yes'], daemon)
    })
    return daemon
  }

  test('asks on a terminal, links what is live, and takes the link from then on', async () => {
    const daemon = await daemonWithHost()
    const folder = await shopFolder()
    const answers = {'the project to deploy': '', 'Create it?': 'y'}
    const first = await runCommand(['deploy', folder, '--server', hosts.host(1).name, '--plain'], {...daemon, terminal: true, answers})
    expect(first).toMatchObject({exitCode: 0, stdout: expect.stringMatching(/^shop is live: release 1/)})
    const {id} = await document(['projects', 'show', 'shop'], daemon)
    expect(JSON.parse(await readFile(linkOf(folder), 'utf8'))).toEqual({projectId: id})
    expect(await document(['deploy', folder], daemon)).toMatchObject({projectId: id, status: 'no_changes'})
    await writeFile(path.join(folder, 'compose.yml'), compose('2'))
    expect(await document(['deploy', folder], daemon)).toMatchObject({status: 'ready', version: 2})
    expect((await document(['deploy', 'shop'], daemon)).status).toBe('no_changes')
  })

  test('in a pipeline makes the project once and deploys to it ever after', async () => {
    const daemon = await daemonWithHost()
    const argv = ['deploy', await shopFolder(), '--project', 'shop', '--create', '--server', hosts.host(1).name]
    const first = await document(argv, daemon)
    expect(first).toMatchObject({status: 'ready', version: 1})
    argv[1] = await shopFolder(compose('2'))
    expect(await document(argv, daemon)).toMatchObject({projectId: first.projectId, status: 'ready', version: 2})
  })
})
