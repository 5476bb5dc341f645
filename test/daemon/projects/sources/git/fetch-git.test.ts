import {execFileSync} from 'node:child_process'
import {readdir, rm, utimes, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {beforeAll, describe, expect, it} from 'vitest'
import {gitServersMissing, startGitServers} from '../../../../lab/git-server.js'
import type {GitRepository} from '../../../../lab/git-repository.js'
import {sharedPart} from '../../../../lab/shared-part.js'
import {idle} from '../tar-entries.js'
import {filesOf, gitFixture} from './git-fixture.js'

describe.skipIf(gitServersMissing() !== null)('a tree out of a repository', () => {
  const git = sharedPart(startGitServers)
  const shop = sharedPart(() => git.repository('shop', [
    {message: 'Open the shop', files: {'Dockerfile': 'FROM lab/base:1\n', 'run.sh': '#!/bin/sh\necho shop\n', 'docs/ä "b".txt': 'text', 'api/.dockerignore': '*.md\n', 'api/a.md': 'm', 'api/a.js': 'j'}},
    {message: 'Add a page\n\nWith a body: ünïcödé', files: {'index.html': 'second\n'}},
    {message: 'On the side', files: {'side.txt': 'side'}, branch: 'feature/side'},
  ]))
  let ids: string[]
  beforeAll(async () => {
    await shop.tag('v1', 'main~1')
    ids = (await shop.git('log', '--format=%H', 'main')).trim().split('\n')
  })

  it.each(['daemon', 'http', 'private'] as const)('is the end of the default branch, over the %s address', async (way) => {
    const {fetch, lines} = await gitFixture()
    const url = {daemon: git.daemonUrl('shop'), http: git.httpUrl('shop'), private: git.privateUrl('shop')}[way]
    const tree = await fetch({url, ...(way === 'private' && {username: git.credentials.user, password: git.credentials.password})})
    expect(tree).toMatchObject({kind: 'git', branch: 'main', commitSha: ids[0], commitMessage: 'Add a page\n\nWith a body: ünïcödé'})
    expect(await tree.readText('docs/ä "b".txt', 100)).toBe('text')
    expect(await tree.list('api')).toEqual(['api/.dockerignore', 'api/a.js', 'api/a.md'])
    expect(await filesOf(tree)).toEqual({
      'Dockerfile': 'FROM lab/base:1\n', 'api': '/', 'api/.dockerignore': '*.md\n', 'api/a.js': 'j', 'api/a.md': 'm', 'docs': '/', 'docs/ä "b".txt': 'text', 'index.html': 'second\n', 'run.sh': '#!/bin/sh\necho shop\n',
    })
    expect(await filesOf(tree, 'api')).toEqual({'.dockerignore': '*.md\n', 'a.js': 'j'})
    expect(lines).toEqual([`fetching ${url}`])
    await tree.dispose()
  })

  it('is that of a branch, of a full commit or of a short one', async () => {
    const {fetch, lines} = await gitFixture()
    const url = git.httpUrl('shop')
    expect(await fetch({url, branch: 'feature/side'})).toMatchObject({branch: 'feature/side', commitSha: await shop.head('feature/side')})
    expect(await fetch({url, commitSha: ids[1] ?? null})).toMatchObject({branch: 'main', commitSha: ids[1], commitMessage: 'Open the shop'})
    expect(await fetch({url, commitSha: ids[1]?.toUpperCase() ?? null})).toMatchObject({commitSha: ids[1]})
    expect(await fetch({url, branch: 'main', commitSha: ids[0]?.slice(0, 7) ?? null})).toMatchObject({branch: 'main', commitSha: ids[0]})
    expect(await fetch({url, commitSha: ids[1]?.slice(0, 8) ?? null})).toMatchObject({commitSha: ids[1]})
    expect(lines.filter((line) => line.includes('looking for'))).toHaveLength(1)
  })

  it('follows the branch, keeps what it has, and has the same identity for the same files', async () => {
    const {fetch, folder} = await gitFixture()
    const moving = await git.repository('moving', [{message: 'one', files: {a: '1'}}])
    const first = await fetch({url: git.daemonUrl('moving')})
    const id = await moving.commit({message: 'two', files: {a: '2', b: 'b'}})
    const second = await fetch({url: git.daemonUrl('moving')})
    expect(second.commitSha).toBe(id)
    expect(second.treeId).not.toBe(first.treeId)
    await moving.commit({message: 'back', files: {a: '1', b: null}})
    const third = await fetch({url: git.daemonUrl('moving')})
    expect(third.treeId).toBe(first.treeId)
    expect(third.commitSha).not.toBe(first.commitSha)
    expect([await first.readText('a', 10), await second.readText('a', 10), await third.readText('a', 10)]).toEqual(['1', '2', '1'])
    expect(await readdir(join(folder, 'mirrors', 'proj_1'))).toHaveLength(1)
    expect(await readdir(join(folder, 'temporary'))).toEqual([])
  })

  it('needs one question and nothing more where the commit is there already', async () => {
    const {fetch, folder} = await gitFixture()
    await fetch({url: git.httpUrl('shop')})
    const [mirror = ''] = await readdir(join(folder, 'mirrors', 'proj_1'))
    const packs = () => readdir(join(folder, 'mirrors', 'proj_1', mirror, 'objects', 'pack'))
    const before = await packs()
    await fetch({url: git.httpUrl('shop')})
    expect(await packs()).toEqual(before)
  })

  it('tells what differs from an earlier commit, with both names of what was renamed', async () => {
    const {fetch} = await gitFixture()
    const text = 'a text that is long enough to be found again under another name\n'.repeat(5)
    const changing = await git.repository('changing', [{message: 'one', files: {'keep': 'k', 'old name': text, 'edit': '1', 'gone': 'g'}}])
    const before = await changing.head()
    await changing.commit({message: 'two', files: {'old name': null, 'new/näme': text, 'edit': '2', 'gone': null, 'added': 'a'}})
    const tree = await fetch({url: git.httpUrl('changing')})
    expect(await tree.changedSince(before, idle)).toEqual(['added', 'edit', 'gone', 'new/näme', 'old name'])
    expect(await tree.changedSince(tree.commitSha ?? '', idle)).toEqual([])
    expect(await tree.changedSince('0'.repeat(40), idle)).toBeNull()
    expect(await tree.changedSince('main', idle)).toBeNull()
    await expect(tree.changedSince('1'.repeat(40), AbortSignal.abort(new Error('cancelled')))).rejects.toThrow('cancelled')
  })

  it('keeps a commit as long as it is in use, and no more than a few others', async () => {
    const {fetch, folder} = await gitFixture({keptCommits: 2, mostPacks: 3})
    const busy = await git.repository('busy', [{message: 'one', files: {a: '1'}}])
    const first = await fetch({url: git.httpUrl('busy')})
    for (const text of ['2', '3', '4', '5', '6', '7', '8', '9']) {
      await busy.commit({message: text, files: {a: text}})
      await (await fetch({url: git.httpUrl('busy')})).dispose()
    }
    expect(await first.readText('a', 10)).toBe('1')
    const [mirror = ''] = await readdir(join(folder, 'mirrors', 'proj_1'))
    const packs = (await readdir(join(folder, 'mirrors', 'proj_1', mirror, 'objects', 'pack'))).filter((name) => name.endsWith('.pack'))
    expect(packs.length).toBeLessThanOrEqual(5)
    await first.dispose()
  })

  it('comes at once for many who ask for it', async () => {
    const {fetch} = await gitFixture()
    const trees = await Promise.all(Array.from({length: 6}, () => fetch({url: git.httpUrl('shop')})))
    expect(new Set(trees.map(({commitSha}) => commitSha))).toEqual(new Set([await shop.head()]))
    expect(await Promise.all(trees.map((tree) => tree.readText('index.html', 100)))).toEqual(Array.from({length: 6}, () => 'second\n'))
  })

  it('is fetched anew where what is kept of it is damaged', async () => {
    const {fetch, folder} = await gitFixture()
    await fetch({url: git.httpUrl('shop')})
    const [mirror = ''] = await readdir(join(folder, 'mirrors', 'proj_1'))
    const packs = join(folder, 'mirrors', 'proj_1', mirror, 'objects', 'pack')
    for (const name of await readdir(packs)) if (name.endsWith('.pack')) await rm(join(packs, name))
    expect(await (await fetch({url: git.httpUrl('shop')})).readText('index.html', 100)).toBe('second\n')
    await writeFile(join(folder, 'mirrors', 'proj_1', mirror, 'shallow.lock'), '')
    await shop.commit({message: 'a lock left behind', files: {lock: ''}})
    expect(await (await fetch({url: git.httpUrl('shop')})).has('lock')).toBe('file')
    await writeFile(join(folder, 'mirrors', 'proj_1', mirror, 'HEAD'), 'rubbish')
    expect(await (await fetch({url: git.httpUrl('shop')})).has('lock')).toBe('file')
  })

  it('is gone with its project', async () => {
    const {fetch, folder, source} = await gitFixture()
    await fetch({url: git.httpUrl('shop')})
    const firstTree = await fetch({url: git.httpUrl('shop'), projectId: 'proj_12'})
    await source.forget('proj_1')
    expect(await readdir(join(folder, 'mirrors'))).toEqual(['proj_12'])
    await source.forget('proj_1')
    await source.prune(async () => true)
    expect(await readdir(join(folder, 'mirrors', 'proj_12'))).toHaveLength(1)
    const [mirror = ''] = await readdir(join(folder, 'mirrors', 'proj_12'))
    const tree = await fetch({url: git.httpUrl('shop'), projectId: 'proj_12'})
    await utimes(join(folder, 'mirrors', 'proj_12', mirror, 'refs', 'moorage', 'used'), 1, 1)
    await source.prune(async () => true)
    expect(await readdir(join(folder, 'mirrors', 'proj_12'))).toEqual([mirror])
    await tree.dispose()
    await firstTree.dispose()
    await source.prune(async () => true)
    expect(await readdir(join(folder, 'mirrors', 'proj_12'))).toEqual([])
    await source.prune(async () => false)
    expect(await readdir(join(folder, 'mirrors'))).toEqual([])
    await expect(source.forget('../home')).rejects.toThrow()
    expect((await fetch({url: git.httpUrl('shop')})).kind).toBe('git')
  })

  it('warns of files that are only pointers, and of submodules that stay out', async () => {
    const {fetch, lines} = await gitFixture()
    const pointer = (text: string) => `version https://git-lfs.github.com/spec/v1\noid sha256:${text.repeat(64)}\nsize 12345\n`
    await git.repository('large', [{message: 'one', files: {'.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n', 'a.bin': pointer('a'), 'b/b.bin': pointer('b'), 'small': 'x'.repeat(100)}}])
    await fetch({url: git.httpUrl('large')})
    expect(lines.at(-1)).toBe('warning: 2 files are Git LFS pointers without their contents: a.bin, b/b.bin')
  })

  it('holds links as links, and follows none out of the tree', async () => {
    const {fetch} = await gitFixture()
    const linked = await git.repository('linked', [{message: 'one', files: {'real/compose.yml': 'x'}}])
    await addLinks(linked, {'compose.yml': 'real/compose.yml', 'out': '../../etc/passwd', 'abs': '/etc/passwd'})
    const tree = await fetch({url: git.httpUrl('linked')})
    expect(await tree.readText('compose.yml', 10)).toBe('x')
    expect([await tree.readText('out', 10), await tree.readText('abs', 10), await tree.has('out')]).toEqual([undefined, undefined, undefined])
    expect(await filesOf(tree)).toEqual({'abs': '-> /etc/passwd', 'compose.yml': '-> real/compose.yml', 'out': '-> ../../etc/passwd', 'real': '/', 'real/compose.yml': 'x'})
  })
})

/** A commit with links, which only plumbing can make in a bare repository. */
async function addLinks(repository: GitRepository, links: Readonly<Record<string, string>>): Promise<void> {
  const stream = [
    `commit refs/heads/main\ncommitter Lab <lab@example.test> 1800000000 +0000\ndata 5\nlinks\nfrom ${await repository.head()}\n`,
    ...Object.entries(links).map(([path, target]) => `M 120000 inline ${path}\ndata ${target.length}\n${target}\n`), 'done\n',
  ]
  execFileSync('git', ['-C', repository.path, 'fast-import', '--quiet', '--done'], {input: stream.join(''), env: {PATH: '/usr/bin:/bin', HOME: '/nonexistent'}})
}
