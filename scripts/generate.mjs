// Makes every generated file anew, or with --check fails where one differs. The manifest is made by the build, so there git is asked.
import {execFileSync} from 'node:child_process'
import {existsSync} from 'node:fs'
import {join} from 'node:path'
import {root, setUp} from './setup.mjs'

process.chdir(root)
setUp()
const {loadScript} = await import('./run-ts.mjs')
const {main} = await loadScript('scripts/generate.ts')
main(process.argv.slice(2))

if (process.argv.includes('--check') && existsSync(join(root, '.git'))) {
  const changed = execFileSync('git', ['status', '--porcelain', '--', 'oclif.manifest.json'], {encoding: 'utf8'})
  if (changed !== '') {
    console.error('oclif.manifest.json is not what the build makes: commit it')
    process.exitCode = 1
  }
}
