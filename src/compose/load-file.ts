import type {ReadComposeOptions} from './compose-model.js'
import type {Problems} from './problems.js'
import {shapeResource, shapeService} from './service-shapes.js'
import {joinSource} from './source-path.js'
import {childOf, type MapNode, type Place, type SourceFile, type TreeEntry, type TreeNode} from './tree.js'
import {replaceInTree, type Variables} from './variables.js'
import {parseYamlTree} from './yaml-tree.js'

/** What all files of one project share while they are read. */
export interface LoadContext {
  readonly readText: ReadComposeOptions['readText']
  readonly problems: Problems
  readonly variables: Variables
  /** How many further files may be read; counts down. */
  readonly budget: {files: number}
}

/** Parses a file, fills its variables in and gives its parts one shape. Undefined, with problems, where that can not be done. */
export function shapeFile(text: string, file: SourceFile, {problems, variables}: LoadContext): MapNode | undefined {
  const raw = parseYamlTree(text, file, problems)
  if (raw === undefined) return undefined
  const entries = [...raw.entries].map(([key, entry]): [string, TreeEntry] => {
    if (key.startsWith('x-') || key === 'version') return [key, entry]
    return [key, {...entry, value: shapeSection(key, replaceInTree(entry.value, variables), problems)}]
  })
  return {...raw, entries: new Map(entries)}
}

const resources = new Set(['volumes', 'networks', 'secrets', 'configs'])

function shapeSection(key: string, section: TreeNode, problems: Problems): TreeNode {
  if (section.kind !== 'map') return section
  const shape = key === 'services' ? (node: TreeNode) => (node.kind === 'map' ? shapeService(node, problems) : node) : resources.has(key) ? (node: TreeNode) => shapeResource(node, problems) : undefined
  if (shape === undefined) return section
  const named = [...section.entries].map(([name, entry]): [string, TreeEntry] => {
    const value = shape(entry.value)
    return [name, {...entry, value: entry.value.tag === undefined ? value : {...value, tag: entry.value.tag}}]
  })
  return {...section, entries: new Map(named)}
}

/** Another file that a file names, relative to that file's folder. Undefined, with a problem, where it can not be read. */
export async function readNamed(path: string, place: Place, {readText, problems, budget}: LoadContext): Promise<{readonly path: string; readonly text: string} | undefined> {
  if (/^(?:[a-z+]+:\/\/|git@|oci:)/.test(path)) {
    problems.error(place, `${path} lies elsewhere; files are read from the source only, so put a copy into it`)
    return undefined
  }
  const within = joinSource(place.file.folder, path)
  if (within === null) {
    problems.error(place, `${path} lies outside of the source; move it into the source`)
    return undefined
  }
  budget.files -= 1
  if (budget.files < 0) {
    problems.error(place, 'the project is spread over too many files')
    return undefined
  }
  const text = await readText(within)
  if (text === undefined) problems.error(place, `there is no file ${within} in the source`)
  return text === undefined ? undefined : {path: within, text}
}

export function servicesOf(file: MapNode): ReadonlyMap<string, TreeEntry> {
  const services = childOf(file, 'services')
  return services?.kind === 'map' ? services.entries : new Map()
}
