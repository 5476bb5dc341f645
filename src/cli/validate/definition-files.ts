import {existsSync, type Dirent} from 'node:fs'
import {readdir, stat} from 'node:fs/promises'
import path from 'node:path'
import {Fault} from '../../contract/faults.js'

export interface DefinitionFile {
  /** As findings call it: the way it was given. */
  readonly name: string
  /** Named by a person, so it is looked at whatever it is. */
  readonly isNamed: boolean
}

/** The name that stands for stdin. */
export const stdinName = '-'

/** How a file is called in reports. */
export function shownName(name: string): string {
  return name === stdinName ? 'stdin' : name
}

// What lies beside definitions and is none.
const notDefinitions: ReadonlySet<string> = new Set(['app.schema.json', 'catalog.json', 'package.json', 'package-lock.json', 'tsconfig.json'])

/** The files that paths, folders and globs stand for, each once, in order. */
export async function findDefinitionFiles(given: readonly string[]): Promise<DefinitionFile[]> {
  const wanted = given.length > 0 ? given : [existsSync('catalog') ? 'catalog' : '.']
  const found: DefinitionFile[] = []
  for (const one of wanted) found.push(...(await expand(one)))
  const seen = new Set<string>()
  return found.filter(({name}) => {
    const full = name === stdinName ? name : path.resolve(name)
    const isNew = !seen.has(full)
    seen.add(full)
    return isNew
  })
}

async function expand(given: string): Promise<DefinitionFile[]> {
  if (given === stdinName) return [{name: given, isNamed: true}]
  const kind = await stat(given).catch(() => undefined)
  if (kind?.isDirectory() === true) return inFolder(given)
  if (kind !== undefined) return [{name: given, isNamed: true}]
  if (!/[*?{}[\]!()]/.test(given)) throw new Fault('USAGE', `there is no file or folder ${given}`, {details: {path: given}})
  const {glob} = await import('tinyglobby')
  const names = await glob(given, {onlyFiles: true, expandDirectories: false, ignore: ['**/node_modules/**']})
  if (names.length === 0) throw new Fault('USAGE', `no file matches ${given}`, {details: {path: given}})
  return names.sort().map((name) => ({name, isNamed: true}))
}

async function inFolder(folder: string): Promise<DefinitionFile[]> {
  const names = await listFolder(folder)
  if (names.length === 0) throw new Fault('USAGE', `there are no definitions in ${folder}`, {details: {path: folder}})
  return names.map((name) => ({name, isNamed: false}))
}

async function listFolder(folder: string): Promise<string[]> {
  const entries = await readdir(folder, {withFileTypes: true})
  const sorted = entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const lists = await Promise.all(sorted.map((entry) => listEntry(folder, entry)))
  return lists.flat()
}

async function listEntry(folder: string, entry: Dirent): Promise<string[]> {
  const name = path.join(folder, entry.name)
  if (entry.name.startsWith('.') || entry.name === 'node_modules') return []
  if (entry.isDirectory()) return listFolder(name)
  const isDefinition = entry.name.endsWith('.json') && !notDefinitions.has(entry.name)
  // A link may lead to a folder, which is not followed, or nowhere, which reading tells.
  if (!isDefinition || (entry.isSymbolicLink() && (await stat(name).catch(() => undefined))?.isDirectory() === true)) return []
  return [name]
}
