import {readNamed, servicesOf, shapeFile, type LoadContext} from './load-file.js'
import {mergeServices} from './merge-trees.js'
import {folderOf} from './source-path.js'
import {childOf, without, type MapNode, type TreeEntry, type TreeNode} from './tree.js'

/** More of them are refused when all is read; until then they cost nothing. */
export const maxServices = 200
const longestWay = 50

/** The file with every service joined with what it extends. */
export async function resolveExtends(file: MapNode, context: LoadContext): Promise<MapNode> {
  const services = file.entries.get('services')
  if (services?.value.kind !== 'map' || services.value.entries.size > maxServices) return file
  const parents = new Parents(context)
  const resolved = new Map<string, TreeEntry>()
  // One after the other, so that problems come in the order of the file.
  for (const [name, entry] of services.value.entries) {
    resolved.set(name, entry.value.kind === 'map' ? {...entry, value: await parents.resolve(entry.value, file, [])} : entry)
  }
  return {...file, entries: new Map([...file.entries, ['services', {...services, value: {...services.value, entries: resolved}}]])}
}

class Parents {
  readonly #files = new Map<string, MapNode | undefined>()

  constructor(private readonly context: LoadContext) {}

  /** Joins a service with its parent, which may have one too. The way here ends circles. */
  async resolve(service: MapNode, file: MapNode, way: readonly TreeNode[]): Promise<MapNode> {
    const {problems} = this.context
    const wanted = childOf(service, 'extends')
    const own = without(service, ['extends'])
    if (wanted === undefined || wanted.kind === 'null') return own
    const name = childOf(wanted, 'service')
    if (name?.kind !== 'text') {
      problems.error(wanted.place, 'extends needs the name of a service')
      return own
    }
    const home = await this.#fileOf(wanted, file)
    const parent = home === undefined ? undefined : servicesOf(home).get(name.text)?.value
    if (home === undefined || parent?.kind !== 'map') {
      if (home !== undefined) problems.error(name.place, `there is no service ${name.text} in ${home.place.file.path} to extend`)
      return own
    }
    if (parent === service || way.includes(parent)) {
      problems.error(name.place, `${name.text} extends itself, by way of other services; take one extends away`)
      return own
    }
    if (way.length >= longestWay) {
      problems.error(name.place, `a service extends at most ${longestWay} others one after another`)
      return own
    }
    return mergeServices(await this.resolve(parent, home, [...way, service]), own, problems)
  }

  async #fileOf(wanted: TreeNode, file: MapNode): Promise<MapNode | undefined> {
    const named = childOf(wanted, 'file')
    if (named?.kind !== 'text') return file
    const key = `${named.place.file.folder}\n${named.text}`
    if (this.#files.has(key)) return this.#files.get(key)
    const found = await readNamed(named.text, named.place, this.context)
    const shaped = found === undefined ? undefined : shapeFile(found.text, {path: found.path, folder: folderOf(found.path), variables: this.context.variables}, this.context)
    this.#files.set(key, shaped)
    return shaped
  }
}
