import {existsSync} from 'node:fs'
import {mkdtemp, readFile, rm, stat} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {gitEnvironment} from './git-repository.js'
import {gitServersMissing, startGitServers} from './git-server.js'
import {answers} from './lab-ports.js'
import {childrenOf, runCommand} from './lab-processes.js'
import {openSshMissing, startOpenSsh} from './openssh.js'
import {sharedPart} from './shared-part.js'

describe.skipIf(gitServersMissing() !== null)('git servers', () => {
  const git = sharedPart(startGitServers)
  const shop = sharedPart(() => git.repository('shop', [
    {message: 'Open the shop', files: {'Dockerfile': 'FROM lab/base:1\n', 'run.sh': '#!/bin/sh\necho shop\n', 'docs/ä "b".txt': 'text', 'logo': Buffer.from([0, 255, 10, 13])}},
    {message: 'Add a page\n\nWith a body: ünïcödé', files: {'index.html': 'second\n', 'docs/ä "b".txt': null}},
  ]))
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'moorage-clones-'))
  })
  afterAll(async () => {
    await rm(folder, {recursive: true, force: true})
  })

  /** Clones into a folder of its own; answers with the folder. */
  async function clone(url: string, {words = [], environment = {}}: {words?: readonly string[]; environment?: Readonly<Record<string, string>>} = {}): Promise<string> {
    const target = await mkdtemp(join(folder, 'clone-'))
    await runCommand('git', ['clone', '--quiet', ...words, url, target], {...gitEnvironment, ...environment})
    return target
  }
  const headOf = async (target: string) => (await runCommand('git', ['-C', target, 'rev-parse', 'HEAD'], gitEnvironment)).trim()
  const withPassword = (url: string, password: string) => url.replace('://', `://${git.credentials.user}:${encodeURIComponent(password)}@`)

  it('have repositories with exactly the commits that were asked for', async () => {
    const target = await clone(shop.path)
    expect(await runCommand('git', ['-C', target, 'log', '--format=%s|%an|%at'], gitEnvironment)).toBe('Add a page|Lab|1767225601\nOpen the shop|Lab|1767225600\n')
    expect(await shop.git('log', '-1', '--format=%b')).toBe('With a body: ünïcödé\n\n')
    expect(await shop.git('ls-tree', '-r', '--name-only', '-z', 'main~1')).toBe('Dockerfile\0docs/ä "b".txt\0logo\0run.sh\0')
    expect(await shop.git('ls-tree', '-r', '--name-only', 'main')).toBe('Dockerfile\nindex.html\nlogo\nrun.sh\n')
    expect((await stat(join(target, 'run.sh'))).mode & 0o111).not.toBe(0)
    expect((await stat(join(target, 'Dockerfile'))).mode & 0o111).toBe(0)
    expect(await readFile(join(target, 'logo'))).toEqual(Buffer.from([0, 255, 10, 13]))
  })

  it('give the same content the same ids, and take commits on branches and tags at any time', async () => {
    const [first, second] = [await git.repository('first', [{message: 'a', files: {a: 'a'}}]), await git.repository('second', [{message: 'a', files: {a: 'a'}}])]
    expect(await first.head()).toBe(await second.head())
    const id = await first.commit({message: 'b', files: {b: 'b'}, branch: 'next/one'})
    expect(await first.head('next/one')).toBe(id)
    expect(await first.head()).toBe(await second.head())
    expect(await first.git('rev-parse', 'next/one~1')).toBe(`${await first.head()}\n`)
    await first.tag('v1', 'next/one')
    expect(await runCommand('git', ['ls-remote', git.daemonUrl('first'), 'v1'], gitEnvironment)).toBe(`${id}\trefs/tags/v1\n`)
    await expect(first.head('never')).rejects.toThrow(/never/)
    const empty = await git.repository('empty')
    expect(await runCommand('git', ['ls-remote', git.httpUrl('empty')], gitEnvironment)).toBe('')
    await expect(empty.head()).rejects.toThrow()
  })

  it.each(['git daemon', 'HTTP', 'HTTP with a password'])('serve clones and later commits over %s', async (way) => {
    const urls: Record<string, string> = {'git daemon': git.daemonUrl('shop'), 'HTTP': git.httpUrl('shop'), 'HTTP with a password': withPassword(git.privateUrl('shop'), git.credentials.password)}
    const target = await clone(urls[way] ?? '')
    expect(await headOf(target)).toBe(await shop.head())
    const id = await shop.commit({message: `Change after ${way}`, files: {'index.html': `${way}\n`}})
    await runCommand('git', ['-C', target, 'pull', '--quiet'], gitEnvironment)
    expect(await headOf(target)).toBe(id)
    expect(await readFile(join(target, 'index.html'), 'utf8')).toBe(`${way}\n`)
  })

  it('serve one commit alone, and large files, over HTTP', async () => {
    const large = Buffer.from(Array.from({length: 3_000_000}, (_, index) => (index * index) % 251))
    const repository = await git.repository('large', [{message: 'one', files: {one: '1'}}, {message: 'large', files: {large}}])
    const shallow = await clone(git.httpUrl('large'), {words: ['--depth', '1']})
    expect((await readFile(join(shallow, 'large'))).equals(large)).toBe(true)
    expect(await runCommand('git', ['-C', shallow, 'log', '--format=%H'], gitEnvironment)).toBe(`${await repository.head()}\n`)
  })

  it('refuse a clone without the password, with a wrong one, and of what is not there', async () => {
    await expect(clone(git.privateUrl('shop'))).rejects.toThrow(/terminal prompts disabled/)
    await expect(clone(withPassword(git.privateUrl('shop'), 'wrong'))).rejects.toThrow(/Authentication failed/)
    const {status, headers} = await fetch(`${git.privateUrl('shop')}/info/refs?service=git-upload-pack`)
    expect([status, headers.get('www-authenticate')]).toEqual([401, 'Basic realm="lab"'])
    await expect(clone(git.httpUrl('nothing'))).rejects.toThrow(/not found/)
    await expect(clone(git.daemonUrl('nothing'))).rejects.toThrow(/no such repository/)
  })

  it.skipIf(openSshMissing() !== null)('serve clones over SSH to who has a key, and to nobody else', async () => {
    const lab = await startOpenSsh()
    try {
      const ssh = await git.overSsh(lab)
      const command = (...words: readonly string[]) => ({environment: {GIT_SSH_COMMAND: ['ssh', '-F', 'none', '-o', 'BatchMode=yes', '-o', 'StrictHostKeyChecking=no', '-o', 'UserKnownHostsFile=/dev/null', '-o', 'IdentitiesOnly=yes', ...words].join(' ')}})
      expect(await headOf(await clone(ssh.url('shop'), command('-i', lab.keyFile)))).toBe(await shop.head())
      expect(await headOf(await clone(ssh.scpUrl('shop'), command('-i', lab.keyFile, '-p', String(ssh.server.port))))).toBe(await shop.head())
      await expect(clone(ssh.url('shop'), command('-i', '/dev/null'))).rejects.toThrow(/Permission denied/)
      await expect(clone(ssh.url('nothing'), command('-i', lab.keyFile))).rejects.toThrow(/does not appear to be a git repository/)
    } finally {
      await lab.stop()
    }
  })

  it('leave nothing behind', async () => {
    const other = await startGitServers({address: '127.0.0.77'})
    await other.repository('thing', [{message: 'a', files: {a: 'a'}}])
    const ports = [other.daemonUrl('thing'), other.httpUrl('thing'), other.privateUrl('thing')].map((url) => Number(/:(\d+)\//.exec(url)?.[1]))
    const listening = () => Promise.all(ports.map((port) => answers('127.0.0.77', port)))
    expect(await listening()).toEqual([true, true, true])
    await other.stop()
    expect(await listening()).toEqual([false, false, false])
    expect(existsSync(other.folder)).toBe(false)
    expect((await childrenOf([process.pid])).filter(({name}) => name.startsWith('git'))).toHaveLength(1)
  })
})
