import {findClosest} from '../text/edit-distance.js'
import type {ComposeMount} from './compose-model.js'
import {parseMount, parseTmpfs, type MountParts} from './mount-text.js'
import {warnUnknownKeys, type Problems} from './problems.js'
import {fromBytes, toBytes} from './quantities.js'
import type {ReadContext} from './read-context.js'
import {readBoolean, readItems, readMap, readText, readTexts} from './read-values.js'
import {joinSource} from './source-path.js'
import {childOf, type MapNode, type Place, type TreeNode} from './tree.js'

/** The mounts of a service, of `volumes` and `tmpfs`. */
export function readMounts(service: MapNode, context: ReadContext): readonly ComposeMount[] {
  const {problems} = context
  const volumes = readItems(childOf(service, 'volumes'), problems).flatMap((node) => {
    const mount = node.kind === 'map' ? readLong(node, context) : readShort(node, context)
    return mount === undefined ? [] : [{mount, place: node.place}]
  })
  const tmpfs = childOf(service, 'tmpfs')
  const inMemory = tmpfs === undefined ? [] : readTexts(tmpfs, problems).map((text) => ({mount: parseTmpfs(text), place: tmpfs.place}))
  const mounts = [...volumes, ...inMemory].map(({mount, place}) => ({mount: {...mount, target: cleanTarget(mount.target, place, problems)}, place}))
  const seen = new Set<string>()
  for (const {mount, place} of mounts) {
    if (seen.has(mount.target)) problems.error(place, `two mounts lie at ${mount.target}; keep one`)
    seen.add(mount.target)
  }
  return mounts.map(({mount}) => mount)
}

export function cleanTarget(target: string, place: Place, problems: Problems): string {
  if (!target.startsWith('/')) problems.error(place, `${JSON.stringify(target)} is no path in the container; it has to start with /`)
  const steps: string[] = []
  for (const step of target.split('/')) {
    if (step === '..') steps.pop()
    else if (step !== '' && step !== '.') steps.push(step)
  }
  return `/${steps.join('/')}`
}

function readShort(node: TreeNode, context: ReadContext): ComposeMount | undefined {
  const text = readText(node, context.problems)
  if (text === undefined) return undefined
  const parts = parseMount(text)
  if (typeof parts !== 'string') return toMount(parts, node.place, context)
  context.problems.error(node.place, parts)
  return undefined
}

const longKeys = ['type', 'source', 'target', 'read_only', 'consistency', 'bind', 'volume', 'tmpfs', 'image']

function readLong(node: MapNode, context: ReadContext): ComposeMount | undefined {
  const {problems} = context
  warnUnknownKeys(node, longKeys, problems)
  const target = readText(childOf(node, 'target'), problems)
  if (target === undefined) {
    problems.error(node.place, 'a mount needs target, the path in the container')
    return undefined
  }
  const type = readText(childOf(node, 'type'), problems) ?? 'volume'
  if (type === 'tmpfs') return readTmpfs(node, target, problems)
  if (type !== 'volume' && type !== 'bind') {
    problems.error(childOf(node, 'type')?.place ?? node.place, `mounts of type ${type} can not be made here; use volume, bind or tmpfs`)
    return undefined
  }
  const source = readText(childOf(node, 'source'), problems) ?? null
  const parts = {source: source !== null && type === 'bind' ? asPath(source) : source, target, readOnly: readBoolean(childOf(node, 'read_only'), problems) ?? false, options: readOptions(node, problems)}
  return toMount(parts, node.place, context)
}

const asPath = (source: string) => (/^[./~]/.test(source) ? source : `./${source}`)

function readOptions(node: MapNode, problems: Problems): readonly string[] {
  const bind = readMap(childOf(node, 'bind'), problems)
  const volume = readMap(childOf(node, 'volume'), problems)
  const propagation = readText(childOf(bind, 'propagation'), problems)
  const selinux = readText(childOf(bind, 'selinux'), problems)
  const create = childOf(bind, 'create_host_path')
  if (create !== undefined && readBoolean(create, problems) === false) problems.warn(create.place, 'a folder that is missing on the server is made all the same')
  const part = childOf(volume, 'subpath')
  if (part !== undefined) problems.error(part.place, 'a part of a volume can not be mounted here; mount the whole volume, or use two volumes')
  const nocopy = readBoolean(childOf(volume, 'nocopy'), problems) === true
  return [...(propagation === undefined || propagation === 'rprivate' ? [] : [propagation]), ...(selinux === undefined ? [] : [selinux]), ...(nocopy ? ['nocopy'] : [])]
}

function readTmpfs(node: MapNode, target: string, problems: Problems): ComposeMount {
  const options = readMap(childOf(node, 'tmpfs'), problems)
  const size = childOf(options, 'size')
  const bytes = size === undefined ? undefined : toBytes(readText(size, problems) ?? '')
  if (size !== undefined && bytes === undefined) problems.error(size.place, 'a size is expected here, such as 64m')
  const mode = childOf(options, 'mode')
  const flags = [...(bytes === undefined ? [] : [`size=${fromBytes(bytes)}`]), ...(mode?.kind === 'text' ? [`mode=${Number(mode.text).toString(8)}`] : [])]
  return {type: 'tmpfs', source: null, target, readOnly: false, ...(flags.length > 0 && {options: flags})}
}

function toMount({source, target, readOnly, options}: MountParts, place: Place, context: ReadContext): ComposeMount | undefined {
  if (source === null) return {type: 'volume', source, target, readOnly: false}
  const rest = {target, readOnly, ...(options.length > 0 && {options})}
  if (!/^[./~]/.test(source)) return checkVolume(source, place, context) ? {type: 'volume', source, ...rest} : undefined
  const path = source.startsWith('/') ? source : inSource(source, place, context.problems)
  if (path === undefined) return undefined
  warnHostPath(path, place, context.problems)
  return {type: 'bind', source: path, ...rest}
}

function checkVolume(name: string, place: Place, {declared, problems}: ReadContext): boolean {
  const names = declared('volumes')
  if (names.has(name)) return true
  const closest = findClosest(name, names.keys())
  problems.error(place, `there is no volume ${name}; ${closest === undefined ? `add it under volumes at the end of the file, or write ./${name} for a folder` : `did you mean ${closest}?`}`)
  return false
}

function inSource(source: string, place: Place, problems: Problems): string | undefined {
  const path = joinSource(place.file.folder, source)
  if (path !== null) return path === '.' ? './' : `./${path}`
  const advice = source.startsWith('~') ? 'the home folder of the server is not known here; write the path from /' : 'it lies outside of the source; move it into the source, use a volume, or write a path of the server from /'
  problems.error(place, `${source} can not be mounted: ${advice}`)
  return undefined
}

function warnHostPath(path: string, place: Place, problems: Problems): void {
  if (/(?:docker|containerd|podman)\.sock$/.test(path)) problems.warn(place, `${path} lets the service rule the whole server; keep it only if you trust the image as much as yourself`)
  else if (path === '/') problems.warn(place, 'the service sees all files of the server; mount the folder that it needs')
}
