import {execFile} from 'node:child_process'
import {mkdtemp, readFile, rm, writeFile} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import path from 'node:path'
import {promisify} from 'node:util'
import {afterEach, beforeEach, describe, expect, it} from 'vitest'

const run = promisify(execFile)
const sample = path.resolve('systemd/moorage.service')

/** What the checker says of a unit: nothing when it is in order. */
async function complaints(file: string): Promise<string> {
  const {stdout, stderr} = await run('systemd-analyze', ['verify', '--man=no', file]).catch((error: {stdout: string; stderr: string}) => error)
  return `${stdout}${stderr}`.split('\n').filter((line) => line.includes(path.basename(file))).join('\n')
}

describe('the systemd unit', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'moorage-unit-'))
  })
  afterEach(() => rm(folder, {recursive: true, force: true}))

  it('has nothing that systemd complains about', async () => {
    expect(await complaints(sample)).toBe('')
  })

  it('is really checked: a wrong key is found', async () => {
    const broken = path.join(folder, 'moorage.service')
    await writeFile(broken, (await readFile(sample, 'utf8')).replace('KillMode=process', 'KillMode=nobody'))
    expect(await complaints(broken)).toContain('nobody')
  })

  it('leaves local runs alone when the daemon stops', async () => {
    expect(await readFile(sample, 'utf8')).toMatch(/^KillMode=process$/m)
  })
})
