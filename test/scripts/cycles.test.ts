import {execFile} from 'node:child_process'
import {cp, mkdir, mkdtemp, rm, symlink, writeFile} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import path from 'node:path'
import {promisify} from 'node:util'
import {afterEach, beforeEach, describe, expect, it} from 'vitest'

const run = promisify(execFile)

describe('the cycle check', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'moorage-cycles-'))
    await cp('scripts', path.join(folder, 'scripts'), {recursive: true})
    await symlink(path.resolve('node_modules'), path.join(folder, 'node_modules'))
    await mkdir(path.join(folder, 'src'))
  })
  afterEach(() => rm(folder, {recursive: true, force: true}))

  const check = (root: string) => run(process.execPath, [path.join(root, 'scripts/cycles.mjs')])

  it('finds no circle in the imports of this program', async () => {
    expect((await check('.')).stdout).toContain('no cycle')
  })

  it('names the files of a circle and fails', async () => {
    await writeFile(path.join(folder, 'src/a.ts'), "import {b} from './b.js'\nexport const a = () => b\n")
    await writeFile(path.join(folder, 'src/b.ts'), "import {a} from './a.js'\nexport const b = () => a\n")
    await expect(check(folder)).rejects.toMatchObject({code: 1, stderr: expect.stringMatching(/src\/(a|b)\.ts -> src\/(a|b)\.ts -> src\/\1\.ts/)})
  })

  it('does not count imports of types', async () => {
    await writeFile(path.join(folder, 'src/a.ts'), "import type {B} from './b.js'\nexport type A = B | 1\n")
    await writeFile(path.join(folder, 'src/b.ts'), "import type {A} from './a.js'\nexport type B = A[]\n")
    expect((await check(folder)).stdout).toContain('2 files, no cycle')
  })
})
