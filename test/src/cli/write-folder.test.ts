import {chmod, lstat, mkdir, readdir, readFile, stat, symlink, writeFile} from 'node:fs/promises'
import path from 'node:path'
import {describe, expect, test} from 'vitest'
import {writeFolder, type FolderPlan} from '../../../src/cli/write-folder.js'
import {temporaryFolder} from '../../daemon/start-test-daemon.js'

const file = (at: string, text = 'new', mode = 0o644) => ({path: at, text, mode})

async function prepare(more: Partial<FolderPlan> = {}) {
  const folder = path.join(await temporaryFolder(), 'out')
  const plan: FolderPlan = {folder, files: [file('a.txt'), file('sub/deep/b.txt', 'secret', 0o600)], folderModes: {}, force: false, ...more}
  return {folder, plan, read: (at: string) => readFile(path.join(folder, at), 'utf8')}
}

const modeOf = async (at: string): Promise<string> => ((await stat(at)).mode & 0o777).toString(8)

describe('a folder of files', () => {
  test('is written with the modes asked for, whatever the process takes from new files', async () => {
    const {folder, plan, read} = await prepare({folderModes: {sub: 0o700}})
    const before = process.umask(0o077)
    const written = await writeFolder(plan).finally(() => process.umask(before))
    expect(written).toEqual([path.join(folder, 'a.txt'), path.join(folder, 'sub/deep/b.txt')])
    expect([await read('a.txt'), await read('sub/deep/b.txt')]).toEqual(['new', 'secret'])
    expect(await Promise.all(['a.txt', 'sub', 'sub/deep', 'sub/deep/b.txt'].map((at) => modeOf(path.join(folder, at))))).toEqual(['644', '700', '755', '600'])
  })

  test('replaces nothing unless told to, and then writes nothing at all', async () => {
    const {folder, plan, read} = await prepare()
    await mkdir(path.join(folder, 'sub/deep'), {recursive: true})
    await writeFile(path.join(folder, 'sub/deep/b.txt'), 'old')
    await expect(writeFolder(plan)).rejects.toMatchObject({code: 'CONFLICT', message: expect.stringContaining('b.txt is there already')})
    expect(await readdir(folder)).toEqual(['sub'])
    await writeFolder({...plan, force: true})
    expect(await read('sub/deep/b.txt')).toBe('secret')
  })

  test('keeps to itself: no path leads out of it', async () => {
    for (const at of ['../out.txt', '/etc/moorage-test', 'a/../../x']) {
      const {folder, plan} = await prepare({files: [file(at)]})
      await expect(writeFolder(plan)).rejects.toMatchObject({code: 'DEFINITION_INVALID'})
      await expect(lstat(folder)).rejects.toMatchObject({code: 'ENOENT'})
    }
  })

  test('keeps to itself: no link in it is followed', async () => {
    const {folder, plan} = await prepare({force: true})
    const elsewhere = await temporaryFolder()
    await mkdir(folder)
    await symlink(elsewhere, path.join(folder, 'sub'))
    await expect(writeFolder(plan)).rejects.toMatchObject({code: 'CONFLICT', message: expect.stringContaining('in the way')})
    expect(await readdir(elsewhere)).toEqual([])
    await symlink(path.join(elsewhere, 'x'), path.join(folder, 'a.txt'))
    await expect(writeFolder({...plan, files: [file('a.txt')]})).rejects.toMatchObject({code: 'CONFLICT'})
  })

  test('is not written over a folder, nor below a file', async () => {
    const {folder, plan} = await prepare({force: true})
    await mkdir(path.join(folder, 'a.txt'), {recursive: true})
    await expect(writeFolder(plan)).rejects.toMatchObject({code: 'CONFLICT'})
    const other = await prepare({force: true})
    await mkdir(other.folder)
    await writeFile(path.join(other.folder, 'sub'), '')
    await expect(writeFolder(other.plan)).rejects.toMatchObject({code: 'CONFLICT'})
  })

  test('leaves folders that are there as they are, unless a secret comes into them', async () => {
    const {folder, plan} = await prepare()
    await mkdir(path.join(folder, 'sub'), {recursive: true})
    await chmod(path.join(folder, 'sub'), 0o711)
    await writeFolder(plan)
    expect(await modeOf(path.join(folder, 'sub'))).toBe('711')
    await writeFolder({...plan, force: true, folderModes: {sub: 0o700}})
    expect(await modeOf(path.join(folder, 'sub'))).toBe('700')
  })

  test('below a file is refused with its path, and nothing temporary stays behind', async () => {
    const root = await temporaryFolder()
    await writeFile(path.join(root, 'file'), '')
    const {plan} = await prepare({folder: path.join(root, 'file', 'out')})
    await expect(writeFolder(plan)).rejects.toMatchObject({code: 'USAGE', message: expect.stringContaining('can not write')})
    expect(await readdir(root)).toEqual(['file'])
  })
})
