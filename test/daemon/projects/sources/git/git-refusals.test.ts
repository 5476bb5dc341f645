import {createServer, type Server} from 'node:net'
import {createServer as createHttpServer} from 'node:http'
import {createServer as createTlsServer} from 'node:https'
import {execFileSync} from 'node:child_process'
import {createCipheriv} from 'node:crypto'
import {readdir, readFile, rm, symlink} from 'node:fs/promises'
import {join} from 'node:path'
import {beforeAll, describe, expect, it, onTestFinished} from 'vitest'
import {gitServersMissing, startGitServers} from '../../../../lab/git-server.js'
import {childrenOf, untilTrue} from '../../../../lab/lab-processes.js'
import {sharedPart} from '../../../../lab/shared-part.js'
import {withSmallDisk, smallDiskMissing} from '../../../../faults/small-disk.js'
import {gitFixture} from './git-fixture.js'
import {selfSigned} from './self-signed.js'

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())))
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** Takes connections and never says a word. */
async function silentServer(): Promise<number> {
  return listen(createServer((socket) => onTestFinished(() => void socket.on('error', () => undefined).destroy())))
}

/** Every process of this machine that has a text among its arguments. */
async function processesWith(text: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')))
  return lines.filter((line) => line.includes(text))
}

/** Bytes that no program makes smaller, the same for the same seed. */
function noise(length: number, seed: number): Buffer {
  const key = Buffer.alloc(32, seed)
  return createCipheriv('aes-256-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(length))
}

describe.skipIf(gitServersMissing() !== null)('a repository that can not be fetched', () => {
  const git = sharedPart(startGitServers)
  beforeAll(async () => {
    await git.repository('shop', [{message: 'one', files: {a: '1'}}])
    await git.repository('empty')
  })
  const refused = (reason: string, message: RegExp) => ({code: 'SOURCE_UNAVAILABLE', details: expect.objectContaining({reason}), message: expect.stringMatching(message)})

  it('says that the branch is not there, and which is the default one', async () => {
    const {fetch} = await gitFixture()
    const vanishing = await git.repository('vanishing', [{message: 'one', files: {a: '1'}}, {message: 'two', files: {a: '2'}, branch: 'next'}])
    const id = await vanishing.head('next')
    await fetch({url: git.httpUrl('vanishing'), branch: 'next'})
    await vanishing.git('branch', '-D', 'next')
    await expect(fetch({url: git.httpUrl('vanishing'), branch: 'next'})).rejects.toMatchObject(refused('branch', /has no branch next; its default branch is main$/))
    await expect(fetch({url: git.httpUrl('vanishing'), branch: 'a..b'})).rejects.toMatchObject(refused('branch', /can not be the name of a branch/))
    const again = await fetch({url: git.httpUrl('vanishing'), branch: 'next', commitSha: id})
    expect(again).toMatchObject({branch: 'next', commitSha: id})
  })

  it('says that the name is that of a tag, and its commit', async () => {
    const {fetch} = await gitFixture()
    const tagged = await git.repository('tagged', [{message: 'one', files: {a: '1'}}])
    await tagged.tag('v1')
    await tagged.git('-c', 'user.name=Lab', '-c', 'user.email=lab@example.test', 'tag', '-a', '-m', 'two', 'v2')
    const id = await tagged.head()
    for (const branch of ['v1', 'v2']) {
      await expect(fetch({url: git.httpUrl('tagged'), branch})).rejects.toMatchObject({...refused('tag', /is a tag of .*, not a branch; give its commit/), details: {reason: 'tag', commitSha: id, branch}})
    }
  })

  it('says that there is no such commit, that an id is short of digits, and what is no id', async () => {
    const {fetch} = await gitFixture()
    const url = git.httpUrl('shop')
    await expect(fetch({url, commitSha: '1234567890'.repeat(4)})).rejects.toMatchObject(refused('commit', /is on no branch of the repository/))
    await expect(fetch({url, commitSha: '1234567'})).rejects.toMatchObject(refused('commit', /1234567 is on no branch/))
    for (const commitSha of ['main', '--all', '', 'abc', 'g'.repeat(40), 'a'.repeat(41), 'HEAD~1']) await expect(fetch({url, commitSha})).rejects.toMatchObject(refused('commit', /is no commit id/))
    const many = await git.repository('many')
    const commits = Array.from({length: 1000}, (_, index) => `commit refs/heads/main\ncommitter Lab <lab@example.test> ${1_800_000_000 + index} +0000\ndata 1\nx\n`)
    execFileSync('git', ['-C', many.path, 'fast-import', '--quiet', '--done'], {input: `${commits.join('')}done\n`, env: {PATH: '/usr/bin:/bin', HOME: '/nonexistent'}})
    const starts = (await many.git('log', '--format=%H')).trim().split('\n').map((id) => id.slice(0, 4))
    const twice = starts.find((start, index) => starts.indexOf(start) !== index) ?? ''
    await expect(fetch({url: git.httpUrl('many'), commitSha: twice})).rejects.toMatchObject(refused('commit', /stands for \d commits; give more of it/))
  })

  it('says that there is no such repository, or nothing in it', async () => {
    const {fetch} = await gitFixture()
    await expect(fetch({url: git.httpUrl('nothing')})).rejects.toMatchObject({...refused('repository', /has no such repository, or hides it/), suggestions: ['projects show proj_1']})
    await expect(fetch({url: git.daemonUrl('nothing')})).rejects.toMatchObject(refused('repository', /no such repository/))
    await expect(fetch({url: git.httpUrl('empty')})).rejects.toMatchObject(refused('empty', /holds no commit yet/))
  })

  it('says that a login is missing, or wrong', async () => {
    const {fetch} = await gitFixture()
    const url = git.privateUrl('shop')
    await expect(fetch({url})).rejects.toMatchObject({...refused('login', /asks for a login, and the project has none/), suggestions: ['api POST /api/projects/proj_1/deploy-key']})
    await expect(fetch({url, username: git.credentials.user, password: 'wrong'})).rejects.toMatchObject(refused('login', /does not accept the user name and password/))
    const withLogin = url.replace('://', `://${git.credentials.user}:${encodeURIComponent(git.credentials.password)}@`)
    expect((await fetch({url: withLogin})).kind).toBe('git')
  })

  it('says that the host has no address, or nobody answers there', async () => {
    const {fetch} = await gitFixture()
    await expect(fetch({url: 'http://nobody.invalid/a.git'})).rejects.toMatchObject(refused('host', /nobody\.invalid has no address/))
    await expect(fetch({url: 'git://nobody.invalid/a.git'})).rejects.toMatchObject(refused('host', /has no address/))
    await expect(fetch({url: 'ssh://git@nobody.invalid/a.git'})).rejects.toMatchObject(refused('host', /has no address/))
    for (const scheme of ['http', 'git', 'ssh']) await expect(fetch({url: `${scheme}://127.0.0.1:1/a.git`})).rejects.toMatchObject(refused('unreachable', /127\.0\.0\.1 can not be reached/))
    const plain = createHttpServer((_request, response) => response.writeHead(503).end())
    await expect(fetch({url: `http://127.0.0.1:${await listen(plain)}/a.git`})).rejects.toMatchObject(refused('unreachable', /503/))
  })

  it('says that a certificate is not trusted', async () => {
    const {fetch} = await gitFixture()
    const port = await listen(createTlsServer(await selfSigned(), (_request, response) => response.end()))
    await expect(fetch({url: `https://127.0.0.1:${port}/a.git`})).rejects.toMatchObject(refused('certificate', /certificate of 127\.0\.0\.1 is not trusted/))
  })

  it.each(['http', 'git', 'ssh'])('gives up on a host that is silent over %s, and leaves no process behind', async (scheme) => {
    const {fetch} = await gitFixture({listMs: 300})
    const port = await silentServer()
    await expect(fetch({url: `${scheme}://127.0.0.1:${port}/silent-${port}.git`})).rejects.toMatchObject({...refused('timeout', /no whole answer within/), details: expect.objectContaining({limitMs: 300})})
    expect(await processesWith(`silent-${port}`)).toEqual([])
  })

  it('ends with the reason of who cancels it, when every process is gone', async () => {
    const {fetch, folder} = await gitFixture()
    const port = await silentServer()
    const stopping = new AbortController()
    const fetching = fetch({url: `http://127.0.0.1:${port}/cancel-${port}.git`, signal: stopping.signal})
    fetching.catch(() => undefined)
    await untilTrue(async () => (await processesWith(`cancel-${port}`)).length >= 2, {what: 'git and its helper'})
    stopping.abort(new Error('the deployment was cancelled'))
    await expect(fetching).rejects.toThrow('the deployment was cancelled')
    expect(await processesWith(`cancel-${port}`)).toEqual([])
    expect((await childrenOf([process.pid])).filter(({name}) => name === 'git')).toEqual([])
    expect(await readdir(join(folder, 'temporary'))).toEqual([])
    await expect(fetch({url: git.httpUrl('shop'), signal: stopping.signal})).rejects.toThrow('the deployment was cancelled')
  })

  it('shows a password to nobody: not among arguments, in what is kept, in messages or on the way to another host', async () => {
    const secret = 'hunter2-very-secret'
    const heard: string[] = []
    const other = createHttpServer((request, response) => {
      heard.push(request.headers.authorization ?? '')
      response.writeHead(401, {'www-authenticate': 'Basic realm="other"'}).end()
    })
    const otherPort = await listen(other)
    const seen: string[] = []
    const redirecting = createHttpServer((request, response) => {
      void processesWith(secret).then((lines) => {
        seen.push(...lines)
        response.writeHead(302, {location: `http://127.0.0.1:${otherPort}${request.url ?? ''}`}).end()
      })
    })
    const {fetch, folder, lines} = await gitFixture()
    const failing = fetch({url: `http://127.0.0.1:${await listen(redirecting)}/a.git`, username: 'me', password: secret})
    await expect(failing).rejects.toMatchObject({details: expect.objectContaining({reason: 'login'}), message: expect.not.stringContaining(secret)})
    expect(heard.length).toBeGreaterThan(0)
    expect(heard.filter((header) => header !== '')).toEqual([])
    expect(seen).toEqual([])
    expect(lines.join('\n')).not.toContain(secret)
    const ok = await fetch({url: git.privateUrl('shop').replace('://', `://${git.credentials.user}:${encodeURIComponent(git.credentials.password)}@`)})
    await ok.dispose()
    const [mirror = ''] = await readdir(join(folder, 'mirrors', 'proj_1'))
    for (const name of ['config', 'FETCH_HEAD']) expect(await readFile(join(folder, 'mirrors', 'proj_1', mirror, name), 'utf8').catch(() => '')).not.toContain('p%40ss')
  })

  it('is refused where it has more files or bytes than are taken', async () => {
    const {fetch} = await gitFixture({mostEntries: 3})
    await git.repository('wide', [{message: 'one', files: {a: '', b: '', c: '', d: ''}}])
    await expect(fetch({url: git.httpUrl('wide')})).rejects.toMatchObject(refused('too-large', /more than 3 files/))
    const {fetch: fetchLittle, folder} = await gitFixture({mostBytes: 20_000})
    const growing = await git.repository('growing', [{message: 'one', files: {a: noise(9000, 1)}}])
    await fetchLittle({url: git.httpUrl('growing')})
    for (const seed of [2, 3, 4]) {
      await growing.commit({message: 'more', files: {a: noise(9000, seed)}})
      expect((await fetchLittle({url: git.httpUrl('growing')})).kind).toBe('git')
    }
    await growing.commit({message: 'too much', files: {b: noise(30_000, 5)}})
    await expect(fetchLittle({url: git.httpUrl('growing')})).rejects.toMatchObject(refused('too-large', /larger than 0 MB/))
    expect(await readdir(join(folder, 'mirrors', 'proj_1'))).toEqual([])
  })

  it('says that git is not installed', async () => {
    const {fetch} = await gitFixture({}, 'git-that-is-not-there')
    await expect(fetch({url: git.httpUrl('shop')})).rejects.toMatchObject({...refused('program', /git is not installed/), suggestions: ['doctor']})
    const {fetch: withoutSsh} = await gitFixture({}, '/usr/bin/git', {PATH: '/nonexistent'})
    await expect(withoutSsh({url: 'ssh://git@127.0.0.1:1/a.git'})).rejects.toMatchObject(refused('program', /has no ssh/))
  })

  it.skipIf(smallDiskMissing() !== undefined)('says that the disk is full, and goes on when there is room', async () => {
    await withSmallDisk('6m', async (disk) => {
      await git.repository('heavy', [{message: 'one', files: {large: noise(9_000_000, 1)}}])
      const fixture = await gitFixture()
      await rm(join(fixture.folder, 'mirrors'), {recursive: true})
      await symlink(disk.folder, join(fixture.folder, 'mirrors'))
      await expect(fixture.fetch({url: git.httpUrl('heavy')})).rejects.toMatchObject({code: 'STORE_FULL', message: expect.stringContaining('disk of the daemon is full')})
      expect((await fixture.fetch({url: git.httpUrl('shop')})).kind).toBe('git')
    })
  })
})
