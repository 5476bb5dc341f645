// Finds imports that go round in a circle. Type-only imports vanish when compiled and do not count.
import {readdirSync} from 'node:fs'
import {join} from 'node:path'
import {build} from 'esbuild'
import {root} from './setup.mjs'

function sourcesUnder(folder) {
  const entries = readdirSync(join(root, folder), {recursive: true, withFileTypes: true})
  return entries.filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name)).map((entry) => join(entry.parentPath, entry.name))
}

const folders = readdirSync(root).filter((name) => ['commands', 'daemon', 'src'].includes(name))
const {metafile} = await build({
  absWorkingDir: root,
  entryPoints: folders.flatMap(sourcesUnder),
  bundle: true,
  write: false,
  metafile: true,
  platform: 'node',
  format: 'esm',
  packages: 'external',
  outdir: 'dist/.cycles',
  logLevel: 'error',
})

const imports = new Map(
  Object.entries(metafile.inputs).map(([path, input]) => [path, input.imports.filter((one) => !one.external && one.kind === 'import-statement').map((one) => one.path)]),
)
const done = new Set()
const cycles = []

function walk(path, trail) {
  const start = trail.indexOf(path)
  if (start >= 0) return void cycles.push([...trail.slice(start), path])
  if (done.has(path)) return
  for (const next of imports.get(path) ?? []) walk(next, [...trail, path])
  done.add(path)
}

for (const path of imports.keys()) walk(path, [])
for (const cycle of cycles) console.error(cycle.join(' -> '))
if (cycles.length > 0) process.exitCode = 1
else console.log(`${imports.size} files, no cycle`)
