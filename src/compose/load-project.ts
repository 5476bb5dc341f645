import type {ReadComposeOptions} from './compose-model.js'
import {parseEnvFile} from './dotenv.js'
import {resolveExtends} from './extends.js'
import {readNamed, shapeFile, type LoadContext} from './load-file.js'
import {dropResets, mergeFiles, plain} from './merge-trees.js'
import {folderOf, joinSource} from './source-path.js'
import {childOf, without, type MapNode, type Place, type SourceFile, type TreeEntry, type TreeNode} from './tree.js'

/** The file with its overrides, what it includes, and what its services extend, as one tree. */
export async function loadProject(options: Pick<ReadComposeOptions, 'path' | 'text' | 'overrides'>, context: LoadContext): Promise<MapNode | undefined> {
  const folder = folderOf(options.path)
  const first = {path: options.path, text: options.text}
  const top: Place = {file: {path: options.path, folder: '.'}, line: 1, column: 1, path: []}
  const overrides = await Promise.all((options.overrides ?? []).map((path) => readNamed(path, top, context)))
  return loadMerged([first, ...overrides.filter((file) => file !== undefined)], {folder}, {context, way: []})
}

interface Way {
  readonly context: LoadContext
  /** Paths of the files that led here by include. */
  readonly way: readonly string[]
}

// Paths in all of the files start from the folder of the first one.
async function loadMerged(files: readonly {readonly path: string; readonly text: string}[], home: Omit<SourceFile, 'path'>, {context, way}: Way): Promise<MapNode | undefined> {
  let merged: MapNode | undefined
  for (const {path, text} of files) {
    const shaped = shapeFile(text, {path, ...home}, context)
    if (shaped === undefined) return undefined
    const resolved = await resolveExtends(shaped, context)
    merged = merged === undefined ? resolved : mergeFiles(merged, resolved, context.problems)
  }
  const whole = merged === undefined ? undefined : dropResets(merged)
  return whole?.kind === 'map' ? includeFiles(whole, {context, way: [...way, ...files.map(({path}) => path)]}) : undefined
}

async function includeFiles(file: MapNode, {context, way}: Way): Promise<MapNode> {
  const include = childOf(file, 'include')
  let whole = without(file, ['include'])
  if (include === undefined || include.kind === 'null') return whole
  if (include.kind !== 'list') {
    context.problems.error(include.place, 'include is a list of files')
    return whole
  }
  for (const item of include.items) {
    const part = await loadPart(item, {context, way})
    if (part !== undefined) whole = join(whole, part, context)
  }
  return whole
}

async function loadPart(item: TreeNode, {context, way}: Way): Promise<MapNode | undefined> {
  const paths = textsOf(item.kind === 'text' ? item : childOf(item, 'path'))
  if (paths.length === 0) {
    context.problems.error(item.place, 'an entry of include is the path of a file, or a map with path')
    return undefined
  }
  const files = []
  for (const path of paths) {
    const found = await readNamed(path.text, path.place, context)
    if (found === undefined) return undefined
    if (way.includes(found.path)) {
      context.problems.error(path.place, `${found.path} includes itself`)
      return undefined
    }
    files.push(found)
  }
  const folder = await folderFor(item, files[0]?.path ?? '.', context)
  const variables = context.variables.withDefaults(await readDefaults(item, folder, context))
  return loadMerged(files, {folder, variables}, {context: {...context, variables}, way})
}

async function folderFor(item: TreeNode, path: string, {problems}: LoadContext): Promise<string> {
  const given = childOf(item, 'project_directory')
  if (given?.kind !== 'text') return folderOf(path)
  const folder = joinSource(given.place.file.folder, given.text)
  if (folder === null) problems.error(given.place, `${given.text} lies outside of the source`)
  return folder ?? '.'
}

/** Values for what the rest of the project gives none: of the env files that an include names, else of `.env` in its folder. */
async function readDefaults(item: TreeNode, folder: string, context: LoadContext): Promise<ReadonlyMap<string, string>> {
  const named = textsOf(childOf(item, 'env_file'))
  const {variables, problems} = context
  const texts: {readonly text: string; readonly place: Place}[] = []
  for (const {text: path, place} of named) {
    const found = await readNamed(path, place, context)
    if (found !== undefined) texts.push({text: found.text, place})
  }
  if (named.length === 0) {
    const text = await context.readText(joinSource(folder, '.env') ?? '.env')
    if (text !== undefined) texts.push({text, place: item.place})
  }
  return new Map(texts.flatMap(({text, place}) => {
    const {values, faults} = parseEnvFile(text, {lookup: variables.lookup, inherited: variables.lookup})
    for (const fault of faults) problems.error(place, `line ${fault.line} of its env file: ${fault.message}`)
    return [...values]
  }))
}

function textsOf(node: TreeNode | undefined): {readonly text: string; readonly place: Place}[] {
  const items = node?.kind === 'list' ? node.items : node === undefined ? [] : [node]
  return items.flatMap((item) => (item.kind === 'text' ? [item] : []))
}

const sections = ['services', 'volumes', 'networks', 'secrets', 'configs']

// What is included stands beside the rest: a name that both have must mean the same thing.
function join(whole: MapNode, part: MapNode, {problems}: LoadContext): MapNode {
  const entries = new Map(whole.entries)
  for (const section of sections) {
    const added = part.entries.get(section)
    const there = entries.get(section)
    if (added === undefined) continue
    if (added.value.kind !== 'map' || there?.value.kind !== 'map') {
      if (there === undefined || there.value.kind === 'null') entries.set(section, added)
      continue
    }
    const names = new Map<string, TreeEntry>(there.value.entries)
    for (const [name, entry] of added.value.entries) {
      const same = names.get(name)
      if (same !== undefined && plain(same.value) !== plain(entry.value)) problems.error(same.key, `${name} is in the included file ${entry.key.file.path} too, and is another thing there; give one of them another name`)
      names.set(name, entry)
    }
    entries.set(section, {...there, value: {...there.value, entries: names}})
  }
  return {...whole, entries}
}

/** The variables of `.env` beside the file, where there is one. */
export async function readDotenv(file: SourceFile, given: Readonly<Record<string, string>>, context: Pick<LoadContext, 'readText' | 'problems'>): Promise<ReadonlyMap<string, string>> {
  const path = joinSource(file.folder, '.env') ?? '.env'
  const text = await context.readText(path)
  if (text === undefined) return new Map()
  const lookup = (name: string) => (Object.hasOwn(given, name) ? given[name] : undefined)
  const {values, faults} = parseEnvFile(text, {lookup, inherited: lookup})
  for (const {line, message} of faults) context.problems.error({file: {path, folder: file.folder}, line, column: 1, path: []}, message)
  return values
}
