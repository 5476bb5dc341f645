import {mkdir, writeFile} from 'node:fs/promises'
import path from 'node:path'
import {expect, onTestFinished, test} from 'vitest'
import {startTestDaemon, temporaryFolder} from '../daemon/start-test-daemon.js'
import {gitServersMissing, startGitServers} from '../lab/git-server.js'
import {runCommand, type RunOptions} from './run-command.js'

const document = async (argv: string[], options: RunOptions) => JSON.parse((await runCommand([...argv, '--json'], options)).stdout)

test('a project of a repository takes its default branch unless told, and show says what it is made of', async () => {
  const {home} = await startTestDaemon()
  const made = await runCommand(['projects', 'create', 'Shop', '--git', 'https://git.example.com/acme/shop.git', '--compose-file', 'deploy/compose.yml'], {home})
  expect(made).toMatchObject({exitCode: 0, stdout: expect.stringMatching(/^Shop is created: proj_/), stderr: 'deploy it with: moorage deploy shop\n'})
  expect(await document(['projects', 'show', 'shop'], {home})).toMatchObject({sourceKind: 'git', gitUrl: 'https://git.example.com/acme/shop.git', gitBranch: null, composePath: 'deploy/compose.yml'})
  expect((await runCommand(['projects', 'show', 'shop'], {home})).stdout).toMatch(/source\thttps:\/\/git\.example\.com\/acme\/shop\.git\n.*Compose file\tdeploy\/compose\.yml\n/s)
  expect((await runCommand(['projects', 'update', 'shop', '--branch', 'release'], {home})).exitCode).toBe(0)
  expect(await document(['projects', 'show', 'shop'], {home})).toMatchObject({gitBranch: 'release'})
})

test('a project is given another repository', async () => {
  const {home} = await startTestDaemon()
  await runCommand(['projects', 'create', 'Shop', '--image', 'redis:8'], {home})
  expect(await document(['projects', 'update', 'shop', '--git', 'git@git.example.com:acme/shop.git', '--branch', 'main'], {home})).toMatchObject({sourceKind: 'git', gitUrl: 'git@git.example.com:acme/shop.git', gitOwner: null, gitBranch: 'main'})
  expect((await document(['projects', 'update', 'shop', '--git', 'x', '--image', 'y'], {home})).error.code).toBe('USAGE')
})

test.skipIf(gitServersMissing() !== null)('the branches of a repository are listed, and a project without one says so', async () => {
  const servers = await startGitServers()
  onTestFinished(() => servers.stop())
  const repository = await servers.repository('shop', [{message: 'one', files: {a: '1'}}, {message: 'two', files: {a: '2'}, branch: 'release'}])
  const {home} = await startTestDaemon()
  await runCommand(['projects', 'create', 'Shop', '--git', servers.httpUrl('shop'), '--branch', 'release'], {home})
  const commits = {main: await repository.head(), release: await repository.head('release')}
  expect(await runCommand(['projects', 'branches', 'shop'], {home})).toEqual({exitCode: 0, stderr: '', stdout: `main\t${commits.main.slice(0, 12)}\t\nrelease\t${commits.release.slice(0, 12)}\tyes\n`})
  expect((await document(['projects', 'branches', 'shop'], {home})).items).toEqual([{name: 'main', sha: commits.main, protected: false}, {name: 'release', sha: commits.release, protected: false}])
  await runCommand(['projects', 'create', 'cache', '--image', 'redis:8'], {home})
  expect((await document(['projects', 'branches', 'cache'], {home})).error).toMatchObject({code: 'NO_REPOSITORY', suggestions: ['moorage projects show cache']})
})

test('a project of one image', async () => {
  const {home} = await startTestDaemon()
  expect(await document(['projects', 'create', 'cache', '--image', 'redis:8', '--port', '6379'], {home})).toMatchObject({sourceKind: 'image', image: 'redis:8', port: 6379})
  expect((await runCommand(['projects', 'show', 'cache'], {home})).stdout).toContain('source\timage redis:8\n')
})

test.each([
  [['--branch', 'main'], 'USAGE', /--branch is of a repository/],
  [['--git', 'https://x.example/a.git', '--image', 'redis:8'], 'USAGE', /--git/],
  [['--server', 'nowhere'], 'NOT_FOUND', /no server nowhere/],
  [['--root-directory', '../up'], 'USAGE', /--root-directory/],
  [['--compose', '/nowhere/compose.yml'], 'USAGE', /there is no file \/nowhere\/compose\.yml/],
])('projects create %j is refused: %s', async (argv, code, message) => {
  const {home} = await startTestDaemon()
  const {error} = await document(['projects', 'create', 'shop', ...argv], {home})
  expect(error).toMatchObject({code, message: expect.stringMatching(message)})
  expect((await document(['projects', 'list'], {home})).items).toEqual([])
})

test('two of one name are refused, and so is a change of nothing', async () => {
  const {home} = await startTestDaemon()
  await runCommand(['projects', 'create', 'shop'], {home})
  expect((await document(['projects', 'create', 'shop'], {home})).error.code).toBe('PROJECT_EXISTS')
  expect((await document(['projects', 'update', 'shop'], {home})).error.code).toBe('USAGE')
  expect((await document(['projects', 'update', 'none', '--port', '80'], {home})).error.code).toBe('NOT_FOUND')
})

test('a Compose file of this machine is sent with its folder, whatever .dockerignore says of the file', async () => {
  const {home} = await startTestDaemon()
  const folder = await temporaryFolder()
  await mkdir(path.join(folder, 'api'))
  await writeFile(path.join(folder, 'stack.yml'), 'services: {web: {image: "lab/web:1", env_file: web.env}}\n')
  await writeFile(path.join(folder, 'web.env'), 'A=1\n')
  await writeFile(path.join(folder, 'api', 'notes.md'), 'x')
  await writeFile(path.join(folder, '.dockerignore'), 'stack.yml\n*.md\n**/*.md\n')
  const file = path.join(folder, 'stack.yml')
  const made = await runCommand(['projects', 'create', 'shop', '--compose', file], {home})
  expect(made).toMatchObject({exitCode: 0, stderr: expect.stringContaining('sent 3 files')})
  expect(await document(['projects', 'show', 'shop'], {home})).toMatchObject({sourceKind: 'upload', composePath: 'stack.yml'})
  const {error} = await document(['projects', 'create', 'shop', '--compose', file], {home})
  expect(error).toMatchObject({code: 'PROJECT_EXISTS', suggestions: [`moorage deploy ${folder} --project shop`]})
})

test('a key is made and shown, and a project that is not there has none', async () => {
  const {home} = await startTestDaemon()
  await runCommand(['projects', 'create', 'shop', '--git', 'git@git.example.com:acme/shop.git'], {home})
  expect((await runCommand(['projects', 'key', 'shop'], {home})).stdout).toMatch(/^ssh-ed25519 \S+/)
  expect((await document(['projects', 'key', 'shop'], {home})).publicKey).toMatch(/^ssh-ed25519 /)
  expect((await runCommand(['projects', 'key', 'none'], {home})).exitCode).toBe(1)
})

test('a folder is linked and unlinked by the id alone', async () => {
  const {home} = await startTestDaemon()
  const folder = await temporaryFolder()
  const {id} = await document(['projects', 'create', 'shop'], {home})
  expect((await runCommand(['projects', 'link', 'shop', '--directory', folder], {home})).stdout).toBe(`${folder} is linked to shop\n`)
  expect(await document(['projects', 'link', 'shop', '--directory', folder], {home})).toEqual({folder, projectId: id})
  expect((await runCommand(['projects', 'link', 'none', '--directory', folder], {home})).exitCode).toBe(1)
  expect(await document(['projects', 'unlink', folder], {home})).toEqual({folder, unlinked: true})
  expect(await runCommand(['projects', 'unlink', folder], {home})).toMatchObject({exitCode: 0, stdout: '', stderr: `${folder} was not linked\n`})
})
