import {execFileSync} from 'node:child_process'
import {chmod, mkdir, realpath, rename, rm, symlink, utimes, writeFile} from 'node:fs/promises'
import {createServer} from 'node:net'
import {join} from 'node:path'
import {buffer} from 'node:stream/consumers'
import {describe, expect, it, onTestFinished} from 'vitest'
import {openFolder, type FolderRules} from '../../../../daemon/projects/sources/open-folder.js'
import {temporaryFolder} from '../../start-test-daemon.js'
import {entriesOf, idle, packedText} from './tar-entries.js'

async function makeFolder(files: Readonly<Record<string, string>>): Promise<{folder: string; rules: FolderRules}> {
  const top = await realpath(await temporaryFolder())
  const [folder, home] = [join(top, 'site'), join(top, 'home')]
  await mkdir(home)
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(folder, path, '..'), {recursive: true})
    await writeFile(join(folder, path), text)
  }
  return {folder, rules: {home, isAllowed: true, mostEntries: 1000}}
}

describe('a folder of the machine', () => {
  it('is a tree of what is in it, packed with its modes', async () => {
    const {folder, rules} = await makeFolder({'a.txt': 'a', 'sub/run.sh': 'r', '.dockerignore': 'skip\n', 'skip/x': 'x'})
    await chmod(join(folder, 'sub/run.sh'), 0o4750)
    await mkdir(join(folder, 'empty'))
    const tree = await openFolder(folder, rules, idle)
    expect(tree).toMatchObject({kind: 'folder', commitSha: null, branch: null})
    expect(await tree.readText('sub/run.sh', 10)).toBe('r')
    const packed = await entriesOf(tree.pack('.', {dockerfile: 'Dockerfile', signal: idle}))
    expect([...packed.keys()]).toEqual(['.dockerignore', 'a.txt', 'empty', 'sub', 'sub/run.sh'])
    expect(packed.get('sub/run.sh')?.mode).toBe(0o750)
  })

  it('keeps its identity when times change, and not when contents, modes or names do', async () => {
    const {folder, rules} = await makeFolder({'a': '1', 'b': '2'})
    const idNow = async () => (await openFolder(folder, rules, idle)).treeId
    const ids = [await idNow()]
    await utimes(join(folder, 'a'), 1, 1)
    expect(await idNow()).toBe(ids[0])
    await chmod(join(folder, 'a'), 0o755)
    ids.push(await idNow())
    await writeFile(join(folder, 'b'), '3')
    ids.push(await idNow())
    await rename(join(folder, 'b'), join(folder, 'c'))
    ids.push(await idNow())
    expect(new Set(ids).size).toBe(4)
  })

  it('never follows a link out, and follows those within', async () => {
    const {folder, rules} = await makeFolder({'real/compose.yml': 'services: {}\n'})
    await writeFile(join(rules.home, 'secret'), 'secret')
    const links = {'out': rules.home, 'up': '../home', 'passwd': '/etc/passwd', 'compose.yml': 'real/compose.yml', 'again': 'real', 'loop': 'loop', 'real/top': '..'}
    for (const [path, target] of Object.entries(links)) await symlink(target, join(folder, path))
    const tree = await openFolder(folder, rules, idle)
    expect(await tree.readText('compose.yml', 100)).toBe('services: {}\n')
    expect(await tree.readText('again/top/again/compose.yml', 100)).toBe('services: {}\n')
    for (const path of ['out/secret', 'up/secret', 'passwd', 'loop', 'out', 'up']) expect([path, await tree.readText(path, 100), await tree.has(path)]).toEqual([path, undefined, undefined])
    const packed = await packedText(tree.pack('.', {dockerfile: 'x', signal: idle}))
    expect(packed).toMatchObject({out: `-> ${rules.home}`, up: '-> ../home', passwd: '-> /etc/passwd'})
    expect(JSON.stringify(packed)).not.toContain('secret"')
    expect(Object.keys(await packedText(tree.pack('again', {dockerfile: 'x', signal: idle})))).toEqual(['compose.yml', 'top'])
  })

  it('leaves out what no image can be built from', async () => {
    const {folder, rules} = await makeFolder({a: 'a'})
    execFileSync('mkfifo', [join(folder, 'pipe')])
    const server = createServer().listen(join(folder, 'socket'))
    onTestFinished(() => void server.close())
    await writeFile(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0xff, 0x41])]), 'x')
    expect(await (await openFolder(folder, rules, idle)).list('.')).toEqual(['a'])
  })

  it('is not read through a folder that has become a link, and a file that grew ends the stream', async () => {
    const {folder, rules} = await makeFolder({'sub/secret': 'mine!!', 'file': 'x'})
    await writeFile(join(rules.home, 'secret'), 'theirs')
    const tree = await openFolder(folder, rules, idle)
    await writeFile(join(folder, 'file'), 'longer')
    await expect(buffer(tree.pack('.', {dockerfile: 'x', signal: idle}))).rejects.toMatchObject({details: {reason: 'changed', path: 'file'}})
    await rename(join(folder, 'sub'), join(folder, 'was'))
    await symlink(rules.home, join(folder, 'sub'))
    await expect(tree.readText('sub/secret', 100)).rejects.toMatchObject({details: {reason: 'changed'}})
    await rm(join(folder, 'sub'))
    await expect(tree.readText('sub/secret', 100)).rejects.toMatchObject({code: 'SOURCE_UNAVAILABLE', details: {reason: 'changed'}})
  })

  it('is refused where it is none, not absolute, of the daemon, or too large', async () => {
    const {folder, rules} = await makeFolder({'a': '', 'b': ''})
    const refused = (path: string, changes: Partial<FolderRules> = {}) => expect(openFolder(path, {...rules, ...changes}, idle)).rejects
    await refused('site').toMatchObject({code: 'SOURCE_UNAVAILABLE', details: {reason: 'folder'}, message: 'site is not an absolute path'})
    await refused(join(folder, 'none')).toMatchObject({details: {reason: 'folder'}, message: expect.stringContaining('can not be read')})
    await refused(join(folder, 'a')).toMatchObject({message: `${join(folder, 'a')} is no folder`})
    await symlink(rules.home, join(folder, 'home-link'))
    await mkdir(join(rules.home, 'inner'))
    for (const path of [rules.home, join(rules.home, 'inner'), join(folder, '..'), '/', join(folder, 'home-link')]) await refused(path).toMatchObject({message: expect.stringContaining('belongs to the daemon')})
    await refused(folder, {isAllowed: false}).toMatchObject({message: expect.stringContaining('on this instance')})
    await refused(folder, {mostEntries: 2}).toMatchObject({details: {reason: 'too-large', mostEntries: 2}})
  })

  it('stops to be read when it is told to', async () => {
    const {folder, rules} = await makeFolder({a: 'a'})
    await expect(openFolder(folder, rules, AbortSignal.abort(new Error('cancelled')))).rejects.toThrow('cancelled')
  })
})
