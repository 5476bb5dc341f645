import {execFileSync} from 'node:child_process'
import {chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {dirname, join} from 'node:path'
import {Readable} from 'node:stream'
import {buffer} from 'node:stream/consumers'
import {gunzipSync} from 'node:zlib'
import {describe, expect, onTestFinished, test} from 'vitest'
import {listFolder} from '../../../src/cli/list-folder.js'
import {packedSize, packFolder, sizeOfFiles, sizeOfTar} from '../../../src/cli/pack-folder.js'
import {entriesOf, idle} from '../../daemon/projects/sources/tar-entries.js'

async function makeFolder(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'moorage-pack-')))
  onTestFinished(() => rm(folder, {recursive: true, force: true}))
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), {recursive: true})
    await writeFile(join(folder, path), text)
  }
  return folder
}

const list = (folder: string, keep: readonly string[] = []) => listFolder({folder, keep, signal: idle})
const paths = async (folder: string, keep?: readonly string[]) => (await list(folder, keep)).entries.map(({path}) => path)

describe('what of a folder is sent', () => {
  test('is all of it but .git, with modes, links and empty folders', async () => {
    const folder = await makeFolder({'a.txt': 'a', 'sub/run.sh': 'r', '.git/config': 'secret', 'sub/.git': 'gitdir: x', '.gitignore': 'a.txt\n'})
    await chmod(join(folder, 'sub/run.sh'), 0o4755)
    await mkdir(join(folder, 'empty'))
    await symlink('a.txt', join(folder, 'link'))
    expect((await list(folder)).entries).toEqual([
      {path: '.gitignore', type: 'file', mode: 0o644, size: 6}, {path: 'a.txt', type: 'file', mode: 0o644, size: 1}, {path: 'empty', type: 'folder', mode: 0o755, size: 0},
      {path: 'link', type: 'link', mode: 0o777, size: 0, target: 'a.txt'}, {path: 'sub', type: 'folder', mode: 0o755, size: 0}, {path: 'sub/run.sh', type: 'file', mode: 0o755, size: 1},
    ])
  })

  test('is what .dockerignore leaves, which may take things back', async () => {
    const folder = await makeFolder({'.dockerignore': 'node_modules\n**/*.log\ndist\n!dist/keep\n!.git/HEAD\n', 'node_modules/a/b': '', 'src/a.js': '', 'src/a.log': '', 'dist/x': '', 'dist/keep/y': '', '.git/HEAD': '', '.git/config': ''})
    expect(await paths(folder)).toEqual(['.dockerignore', '.git/HEAD', 'dist/keep', 'dist/keep/y', 'src', 'src/a.js'])
  })

  test('holds what the deployment itself reads, whatever .dockerignore says', async () => {
    const files = {'.dockerignore': '**\n', 'Dockerfile': '', 'compose.yml': '', '.env': '', 'deploy/prod.yml': '', 'other': '', 'build/Dockerfile.dev': '', 'build/Dockerfile.dev.dockerignore': ''}
    expect(await paths(await makeFolder(files))).toEqual(['.dockerignore', '.env', 'Dockerfile', 'compose.yml'])
    expect(await paths(await makeFolder(files), ['./deploy/prod.yml', 'build/Dockerfile.dev'])).toEqual(['.dockerignore', '.env', 'Dockerfile', 'build/Dockerfile.dev', 'build/Dockerfile.dev.dockerignore', 'compose.yml', 'deploy/prod.yml'])
    expect(await paths(await makeFolder({'.dockerignore': '.env\n', '.env': 'SECRET=1', 'Dockerfile': ''}))).toEqual(['.dockerignore', 'Dockerfile'])
  })

  test('never follows a link out, and names those that lead there', async () => {
    const folder = await makeFolder({'a/b': 'x'})
    const links = {'abs': '/etc/passwd', 'up': '../x', 'a/deep': '../../y', 'good': 'a/b', 'dangling': 'none', 'loop': 'loop', 'through': 'up/z'}
    for (const [path, target] of Object.entries(links)) await symlink(target, join(folder, path))
    execFileSync('mkfifo', [join(folder, 'pipe')])
    const {entries, leftOut} = await list(folder)
    expect(entries.map(({path}) => path)).toEqual(['a', 'a/b', 'dangling', 'good', 'loop'])
    expect(leftOut.map(({path}) => path).sort()).toEqual(['a/deep', 'abs', 'pipe', 'through', 'up'])
    expect(leftOut).toContainEqual({path: 'abs', why: 'it is a link out of the folder, to /etc/passwd'})
  })

  test('can not be told of what is not there', async () => {
    await expect(list('/nonexistent/folder')).rejects.toMatchObject({code: 'USAGE', message: 'can not read /nonexistent/folder (ENOENT)'})
    await expect(listFolder({folder: await makeFolder({a: ''}), keep: [], signal: AbortSignal.abort(new Error('interrupted'))})).rejects.toThrow('interrupted')
  })
})

describe('a packed folder', () => {
  test('is a gzipped tar archive of exactly that, the same each time', async () => {
    const folder = await makeFolder({'b/run.sh': 'r', 'a.txt': 'text', 'ü': 'u'})
    const {entries} = await list(folder)
    const read: number[] = []
    const archive = await buffer(packFolder({folder, entries, signal: idle, onRead: (bytes) => read.push(bytes)}))
    const found = await entriesOf(Readable.from([gunzipSync(archive)]))
    expect([...found].map(([path, {holds}]) => [path, holds])).toEqual([['a.txt', 'text'], ['b', '/'], ['b/run.sh', 'r'], ['ü', 'u']])
    expect(read.at(-1)).toBe(sizeOfFiles(entries))
    expect((await buffer(packFolder({folder, entries, signal: idle}))).equals(archive)).toBe(true)
    expect(await packedSize({folder, entries, signal: idle}, 1_000_000)).toBe(archive.length)
    expect(gunzipSync(archive).length).toBeLessThanOrEqual(sizeOfTar(entries))
  })

  test('has a size that is not told too small, whatever its names', async () => {
    const folder = await makeFolder(Object.fromEntries([['n'.repeat(200), 'x'], [`${'ä'.repeat(100)}/${'ö'.repeat(100)}`, 'y'.repeat(513)], ['z', '']]))
    await symlink('ß'.repeat(200), join(folder, 'link'))
    const {entries} = await list(folder)
    expect(gunzipSync(await buffer(packFolder({folder, entries, signal: idle}))).length).toBeLessThanOrEqual(sizeOfTar(entries))
  })

  test('is not finished where a file changed, went away, or became a link meanwhile', async () => {
    const folder = await makeFolder({a: 'aaaa', b: 'b'})
    const {entries} = await list(folder)
    const pack = () => buffer(packFolder({folder, entries, signal: idle}))
    await writeFile(join(folder, 'a'), 'longer text')
    await expect(pack()).rejects.toMatchObject({code: 'CONFLICT', message: 'a changed while it was sent; try again'})
    await rm(join(folder, 'a'))
    await expect(pack()).rejects.toMatchObject({code: 'CONFLICT'})
    await symlink('/etc/hostname', join(folder, 'a'))
    await expect(pack()).rejects.toMatchObject({code: 'CONFLICT'})
  })

  test('stops when it is told to, and is read no further than it is taken', async () => {
    const folder = await makeFolder({})
    await writeFile(join(folder, 'large'), Buffer.alloc(30_000_000, 'x'))
    const {entries} = await list(folder)
    let read = 0
    const stopping = new AbortController()
    const pieces = packFolder({folder, entries, signal: stopping.signal, onRead: (bytes) => (read = bytes)})
    await pieces.next()
    expect(read).toBeLessThan(20_000_000)
    stopping.abort(new Error('interrupted'))
    await expect(pieces.next()).rejects.toThrow('interrupted')
    expect(await packedSize({folder, entries, signal: idle}, 100)).toBeGreaterThan(100)
  })
})
