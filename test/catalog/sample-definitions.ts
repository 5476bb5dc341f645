import {existsSync, readdirSync, readFileSync} from 'node:fs'
import path from 'node:path'
import {fileURLToPath} from 'node:url'
import type {AppDefinition} from '../../src/catalog/definition.js'
import {readDefinition} from '../../src/catalog/read-definition.js'

export interface DefinitionFile {
  /** As it is shown in the name of a test. */
  readonly name: string
  readonly file: string
  readonly text: string
}

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The definitions that come with the program. */
export function catalogFiles(): DefinitionFile[] {
  return readFolder(path.join(root, 'catalog', 'apps'), 'catalog')
}

/** Definitions that others wrote: the folder MOORAGE_SAMPLES, else a folder catalog-samples in one beside the repository. Without it one loud line, and none. */
export function sampleFiles(): DefinitionFile[] {
  const folder = process.env['MOORAGE_SAMPLES'] ?? findBeside('catalog-samples')
  const files = folder === undefined ? [] : readFolder(path.resolve(root, folder), 'sample')
  if (files.length === 0) process.stderr.write('\n!!! SKIPPED: no sample definitions (set MOORAGE_SAMPLES to their folder); their tests did not run\n')
  return files
}

function findBeside(name: string): string | undefined {
  const parent = path.dirname(path.resolve(root))
  const neighbours = readdirSync(parent, {withFileTypes: true}).filter((entry) => entry.isDirectory())
  return neighbours.map((entry) => path.join(parent, entry.name, name)).find((folder) => existsSync(folder))
}

/** The definition in a file; the gate has to take it. */
export function parseDefinitionFile({file, text}: DefinitionFile): AppDefinition {
  const {definition, issues} = readDefinition(JSON.parse(text))
  if (definition === null) throw new Error(`${file}: ${JSON.stringify(issues)}`)
  return definition
}

function readFolder(folder: string, source: string): DefinitionFile[] {
  if (!existsSync(folder)) return []
  const names = readdirSync(folder).filter((name) => name.endsWith('.json')).toSorted()
  return names.map((name) => ({name: `${source} ${name}`, file: path.join(folder, name), text: readFileSync(path.join(folder, name), 'utf8')}))
}
