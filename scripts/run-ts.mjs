// Runs a TypeScript script of this repository: bundled to a file beside the packages it imports, then loaded. `node scripts/run-ts.mjs FILE [ARGS]`
import {rmSync} from 'node:fs'
import {basename, join} from 'node:path'
import {pathToFileURL} from 'node:url'
import {build} from 'esbuild'
import {root} from './setup.mjs'

/** Loads a script and answers its exports. */
export async function loadScript(file) {
  const outfile = join(root, 'dist', `.script-${basename(file, '.ts')}-${process.pid}.mjs`)
  await build({entryPoints: [join(root, file)], outfile, bundle: true, platform: 'node', format: 'esm', target: 'node20', packages: 'external', logLevel: 'error'})
  try {
    return await import(pathToFileURL(outfile).href)
  } finally {
    rmSync(outfile, {force: true})
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [file] = process.argv.splice(2, 1)
  const {main} = await loadScript(file)
  await main(process.argv.slice(2))
}
