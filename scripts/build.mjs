// Bundles, writes the manifest that lets the CLI load one command alone, and marks what the build was made from.
import {execFileSync} from 'node:child_process'
import {existsSync, readFileSync, rmSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {markBuilt, root} from './setup.mjs'

function run(program, args) {
  execFileSync(process.execPath, [join(root, 'node_modules', program), ...args], {cwd: root, stdio: ['ignore', 2, 2], env: {...process.env, OCLIF_SKIP_NEW_VERSION_CHECK: 'true'}})
}

rmSync(join(root, 'dist'), {recursive: true, force: true})
run('tsup/dist/cli-default.js', [])
if (existsSync(join(root, 'commands'))) {
  run('oclif/bin/run.js', ['manifest', '.'])
  sortManifest(join(root, 'oclif.manifest.json'))
}
markBuilt()

// oclif lists commands as the file system does, in another order on every machine; the file is committed and compared.
function sortManifest(file) {
  const manifest = JSON.parse(readFileSync(file, 'utf8'))
  const commands = Object.fromEntries(Object.entries(manifest.commands).sort(([a], [b]) => (a < b ? -1 : 1)))
  writeFileSync(file, `${JSON.stringify({...manifest, commands}, null, 2)}\n`)
}
