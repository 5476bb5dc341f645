import {existsSync, readdirSync, readFileSync} from 'node:fs'
import path from 'node:path'

const samples = process.env['MOORAGE_SAMPLES'] ?? '../shared/catalog-samples'

export interface DefinitionFile {
  readonly file: string
  readonly text: string
}

/** The definitions of the catalog of this repository, and sample ones that others wrote, where there are any. */
export function definitionFiles(): DefinitionFile[] {
  const folders = ['catalog/apps', samples].filter((folder) => existsSync(folder))
  if (!folders.includes(samples)) process.stderr.write(`\n!!! SKIPPED: no sample definitions in ${samples} (set MOORAGE_SAMPLES); their tests did not run\n`)
  return folders.flatMap((folder) => readdirSync(folder).filter((name) => name.endsWith('.json')).map((name) => readDefinitionFile(path.join(folder, name))))
}

function readDefinitionFile(file: string): DefinitionFile {
  return {file, text: readFileSync(file, 'utf8')}
}
