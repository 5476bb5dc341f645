import {execFile} from 'node:child_process'
import {cp, mkdir, mkdtemp, rm, writeFile} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import path from 'node:path'
import {pathToFileURL} from 'node:url'
import {promisify} from 'node:util'
import {afterEach, beforeEach, describe, expect, it} from 'vitest'

const run = promisify(execFile)

describe('the set-up before start and test', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'moorage-setup-'))
    await cp('scripts/setup.mjs', path.join(folder, 'scripts/setup.mjs'))
    await mkdir(path.join(folder, 'node_modules'))
    await mkdir(path.join(folder, 'src'))
    await writeFile(path.join(folder, 'src/a.ts'), 'export const a = 1\n')
    await lock({'node_modules/x': {version: '1.0.0'}, 'node_modules/other-machine': {version: '1.0.0', optional: true}})
  })
  afterEach(() => rm(folder, {recursive: true, force: true}))

  const lock = (packages: object) => writeFile(path.join(folder, 'package-lock.json'), JSON.stringify({packages: {'': {}, ...packages}}))
  const installed = (packages: object) => writeFile(path.join(folder, 'node_modules/.package-lock.json'), JSON.stringify({packages}))

  /** Asks the script in a process of its own, as it is loaded there by plain Node. */
  async function ask(expression: string): Promise<unknown> {
    const url = pathToFileURL(path.join(folder, 'scripts/setup.mjs')).href
    const code = `const setup = await import(${JSON.stringify(url)}); console.log(JSON.stringify(${expression} ?? null))`
    const {stdout} = await run(process.execPath, ['--input-type=module', '-e', code, folder])
    return JSON.parse(stdout)
  }
  const missing = () => ask('setup.missingPackages(process.argv[1])')
  const stale = () => ask('setup.isBuildStale(process.argv[1])')

  it('asks for an installation where none is', async () => {
    expect(await missing()).toEqual(['node_modules/x'])
  })

  it('is content with the versions of the lock, and leaves packages of other machines alone', async () => {
    await installed({'node_modules/x': {version: '1.0.0'}})
    expect(await missing()).toEqual([])
  })

  it('asks again when the lock names another version', async () => {
    await installed({'node_modules/x': {version: '1.0.0'}})
    await lock({'node_modules/x': {version: '1.0.1'}})
    expect(await missing()).toEqual(['node_modules/x'])
  })

  it('builds once, and again only when what is built from has changed', async () => {
    expect(await stale()).toBe(true)
    await ask('setup.markBuilt()')
    expect(await stale()).toBe(false)
    await writeFile(path.join(folder, 'src/a.ts'), 'export const a = 2\n')
    expect(await stale()).toBe(true)
    await writeFile(path.join(folder, 'src/a.ts'), 'export const a = 1\n')
    expect(await stale()).toBe(false)
    await writeFile(path.join(folder, 'src/b.ts'), '')
    expect(await stale()).toBe(true)
  })
})
