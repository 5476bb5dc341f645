import {execFileSync} from 'node:child_process'
import {mkdir, symlink, writeFile} from 'node:fs/promises'
import path from 'node:path'
import {describe, expect, test} from 'vitest'
import {folderLimits} from '../../../src/catalog/compose-import/project-folder.js'
import {openComposeFolder} from '../../../src/cli/compose-folder.js'
import {temporaryFolder} from '../../daemon/start-test-daemon.js'

async function folder() {
  const home = await temporaryFolder()
  const root = path.join(home, 'project')
  await mkdir(path.join(root, 'sub', 'deep'), {recursive: true})
  await writeFile(path.join(root, 'a.txt'), 'A')
  await writeFile(path.join(root, 'sub', 'b.txt'), 'B')
  await writeFile(path.join(root, 'sub', 'deep', 'c.txt'), 'C')
  return {home, root, read: (inside: string) => openComposeFolder(root).read(inside)}
}

describe('a folder on disk', () => {
  test('gives texts, and lists of all files below a folder', async () => {
    const {read} = await folder()
    expect(read('a.txt')).toEqual({kind: 'text', text: 'A'})
    expect(read('sub/deep/c.txt')).toEqual({kind: 'text', text: 'C'})
    expect(read('')).toEqual({kind: 'folder', files: ['a.txt', 'sub/b.txt', 'sub/deep/c.txt'], isCut: false})
    expect(read('sub')).toEqual({kind: 'folder', files: ['b.txt', 'deep/c.txt'], isCut: false})
  })

  test.each(['none', 'a.txt/none', 'sub/none.txt'])('has nothing at %s', async (inside) => {
    expect((await folder()).read(inside)).toEqual({kind: 'missing'})
  })

  test('leaves out what is no source', async () => {
    const {root, read} = await folder()
    for (const name of ['.git', 'node_modules']) {
      await mkdir(path.join(root, name))
      await writeFile(path.join(root, name, 'x'), 'x')
    }
    expect(read('')).toMatchObject({files: ['a.txt', 'sub/b.txt', 'sub/deep/c.txt']})
  })

  test('follows links inside, and refuses those that lead out, however they do it', async () => {
    const {home, root, read} = await folder()
    await writeFile(path.join(home, 'secret.txt'), 'secret')
    await mkdir(path.join(home, 'project-other'))
    await writeFile(path.join(home, 'project-other', 'x.txt'), 'x')
    await symlink('a.txt', path.join(root, 'inside'))
    await symlink(path.join(home, 'secret.txt'), path.join(root, 'file'))
    await symlink('..', path.join(root, 'up'))
    await symlink(path.join(home, 'project-other'), path.join(root, 'sibling'))
    await symlink('loop', path.join(root, 'loop'))
    expect(read('inside')).toEqual({kind: 'text', text: 'A'})
    for (const inside of ['file', 'up', 'up/secret.txt', 'sibling', 'sibling/x.txt']) expect(read(inside), inside).toMatchObject({kind: 'refused', why: expect.stringContaining('leads out')})
    expect(read('loop')).toMatchObject({kind: 'refused'})
  })

  test.each([
    ['NUL', Buffer.from('a\0b'), 'no text'],
    ['bytes that are not UTF-8', Buffer.from([0xff, 0xfe, 0x41]), 'no text'],
    ['too much', Buffer.alloc(folderLimits.fileBytes + 1, 'x'), 'larger than 100,000 bytes'],
  ])('refuses a file with %s', async (_, bytes, why) => {
    const {root, read} = await folder()
    await writeFile(path.join(root, 'x'), bytes)
    expect(read('x')).toMatchObject({kind: 'refused', why: expect.stringContaining(why)})
  })

  test('never waits for a pipe', async () => {
    const {root, read} = await folder()
    execFileSync('mkfifo', [path.join(root, 'pipe')])
    expect(read('pipe')).toEqual({kind: 'refused', why: 'it is no regular file'})
  })

  test('says when it holds more files than it lists', async () => {
    const {root, read} = await folder()
    for (let number = 0; number <= folderLimits.files; number += 1) await writeFile(path.join(root, `${number}.txt`), '')
    const entry = read('')
    expect(entry).toMatchObject({kind: 'folder', isCut: true})
    expect(entry.kind === 'folder' ? entry.files.length : 0).toBe(folderLimits.files)
  })
})
