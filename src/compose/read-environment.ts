import {parseEnvFile} from './dotenv.js'
import {takeVariable, type ReadContext} from './read-context.js'
import {readBoolean, readItems, readPairs, readText, toRecord} from './read-values.js'
import {joinSource} from './source-path.js'
import {childOf, type MapNode, type TreeNode} from './tree.js'

/** The environment of a service: its env files in their order, then what it says itself. A name without a value takes that of the variables, or is left out. */
export async function readEnvironment(service: MapNode, context: ReadContext): Promise<Record<string, string>> {
  const merged = new Map<string, string>()
  for (const item of readItems(childOf(service, 'env_file'), context.problems)) {
    for (const [name, value] of await readEnvFile(item, context)) merged.set(name, value)
  }
  for (const {name, value, place} of readPairs(childOf(service, 'environment'), context.problems)) {
    const taken = value ?? takeVariable(name, place, context)
    if (/\s/.test(name) || name === '') context.problems.error(place, `${JSON.stringify(name)} is no name of a variable`)
    else if (taken?.includes('\0') === true) context.problems.error(place, `the value of ${name} holds a zero byte, which no program can be given`)
    else if (taken === undefined) merged.delete(name)
    else merged.set(name, taken)
  }
  return toRecord(merged)
}

/** Labels from files (`label_file`) and of the service itself. */
export async function readLabels(service: MapNode, context: ReadContext): Promise<Record<string, string>> {
  const {problems} = context
  const merged = new Map<string, string>()
  for (const item of readItems(childOf(service, 'label_file'), problems)) {
    for (const [name, value] of await readEnvFile(item, context)) merged.set(name, value)
  }
  for (const {name, value, place} of readPairs(childOf(service, 'labels'), problems)) {
    if (/^(?:com\.docker\.compose\.|moorage\.)/.test(name)) problems.error(place, `labels that start with ${name.startsWith('m') ? 'moorage.' : 'com.docker.compose.'} are set by the tools themselves; take ${name} away`)
    else merged.set(name, value ?? '')
  }
  return toRecord(merged)
}

async function readEnvFile(item: TreeNode, context: ReadContext): Promise<ReadonlyMap<string, string>> {
  const {problems} = context
  const named = item.kind === 'map' ? childOf(item, 'path') : item
  const path = readText(named, problems)
  if (named === undefined || path === undefined) {
    problems.error(item.place, 'an env file is a path, or a map with path')
    return new Map()
  }
  const isRequired = readBoolean(childOf(item, 'required'), problems) ?? true
  const within = joinSource(named.place.file.folder, path)
  const text = within === null ? undefined : await context.readText(within)
  if (text === undefined) {
    const advice = within === null ? 'it lies outside of the source' : `there is no file ${within} in the source`
    if (isRequired) problems.error(named.place, `${path} can not be read: ${advice}; add it, or set its variables in the project and write {path: ${path}, required: false}`)
    return new Map()
  }
  const {lookup} = named.place.file.variables ?? context.variables
  const isRaw = readText(childOf(item, 'format'), problems) === 'raw'
  const {values, faults} = isRaw ? parseRaw(text) : parseEnvFile(text, {lookup, inherited: lookup})
  for (const {line, message} of faults) problems.error({...named.place, file: {path: within ?? path, folder: named.place.file.folder}, line, column: 1, path: []}, message)
  return values
}

/** Lines as the engine itself reads them: no quotes, no references. */
function parseRaw(text: string): ReturnType<typeof parseEnvFile> {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/).filter((line) => line.includes('=') && !/^\s*#/.test(line))
  return {values: new Map(lines.map((line) => [line.slice(0, line.indexOf('=')).trimStart(), line.slice(line.indexOf('=') + 1)])), faults: []}
}
