import {findClosest} from '../text/edit-distance.js'
import type {ComposeFile, ComposeMount} from './compose-model.js'
import {warnUnknownKeys} from './problems.js'
import {takeVariable, type ReadContext} from './read-context.js'
import {cleanTarget} from './read-mounts.js'
import {readItems, readMap, readText} from './read-values.js'
import {joinSource} from './source-path.js'
import {childOf, type MapNode, type TreeNode} from './tree.js'

export interface Grants {
  readonly mounts: readonly ComposeMount[]
  readonly files: readonly ComposeFile[]
}

/** Configs and secrets of a service: what comes from a file is a read-only mount, what is a text becomes a file. */
export function readGrants(service: MapNode, context: ReadContext): Grants {
  const found = (['configs', 'secrets'] as const).flatMap((kind) => {
    return readItems(childOf(service, kind), context.problems).flatMap((item) => readGrant(kind, item, context) ?? [])
  })
  return {
    mounts: found.flatMap((grant) => ('source' in grant ? [grant] : [])),
    files: found.flatMap((grant) => ('content' in grant ? [grant] : [])),
  }
}

type Kind = 'configs' | 'secrets'

const grantKeys = ['source', 'target', 'uid', 'gid', 'mode']

function readGrant(kind: Kind, item: TreeNode, context: ReadContext): ComposeMount | ComposeFile | undefined {
  const {problems} = context
  const map = readMap(item, problems)
  const name = readText(childOf(map, 'source'), problems)
  if (map === undefined || name === undefined) {
    if (map !== undefined) problems.error(item.place, `an entry of ${kind} needs source, a name from ${kind} at the end of the file`)
    return undefined
  }
  warnUnknownKeys(map, grantKeys, problems)
  for (const owner of ['uid', 'gid']) {
    const node = childOf(map, owner)
    if (node !== undefined) problems.warn(node.place, `${owner} has no effect; the file is readable for every user of the container`)
  }
  const resource = context.declared(kind).get(name)
  if (resource === undefined) {
    const closest = findClosest(name, context.declared(kind).keys())
    problems.error(item.place, `there is nothing called ${name} under ${kind} at the end of the file; ${closest === undefined ? 'add it' : `did you mean ${closest}?`}`)
    return undefined
  }
  return toGrant({kind, name, target: targetOf(kind, name, readText(childOf(map, 'target'), problems)), mode: readMode(childOf(map, 'mode'))}, resource, context)
}

function targetOf(kind: Kind, name: string, target: string | undefined): string {
  if (target?.startsWith('/') === true) return target
  return `${kind === 'secrets' ? '/run/secrets' : ''}/${target ?? name}`
}

// Octal numbers were read already: 0440 is 288 by now. In quotes they are still octal.
function readMode(node: TreeNode | undefined): string {
  if (node?.kind !== 'text') return '0444'
  const mode = node.written === undefined && /^0?[0-7]{3,4}$/.test(node.text) ? Number.parseInt(node.text, 8) : Number(node.text)
  return Number.isInteger(mode) && mode >= 0 && mode <= 0o7777 ? `0${mode.toString(8).padStart(3, '0')}` : '0444'
}

interface Wanted {
  readonly kind: Kind
  readonly name: string
  readonly target: string
  readonly mode: string
}

const resourceKeys = ['name', 'external', 'file', 'content', 'environment', 'labels', 'driver', 'driver_opts', 'template_driver']

function toGrant({kind, name, target: given, mode}: Wanted, resource: MapNode, context: ReadContext): ComposeMount | ComposeFile | undefined {
  const {problems} = context
  warnUnknownKeys(resource, resourceKeys, problems)
  const target = cleanTarget(given, resource.place, problems)
  const refused = ['external', 'driver', 'template_driver'].map((key) => resource.entries.get(key)).find((entry) => entry !== undefined && !isFalse(entry.value))
  if (refused !== undefined) {
    problems.error(refused.key, `${name} lives in a swarm, and there is none here; give its file, its content or the variable that holds it (environment)`)
    return undefined
  }
  const file = childOf(resource, 'file')
  const path = readText(file, problems)
  if (file !== undefined && path !== undefined) {
    const within = path.startsWith('/') ? path : joinSource(file.place.file.folder, path)
    if (within === null) problems.error(file.place, `${path} lies outside of the source; move it into the source, or write a path of the server from /`)
    return within === null ? undefined : {type: 'bind', source: within.startsWith('/') ? within : `./${within}`, target, readOnly: true}
  }
  const isSecret = kind === 'secrets'
  const content = readText(childOf(resource, 'content'), problems)
  if (content !== undefined) return {target, content, mode, isSecret}
  const variable = childOf(resource, 'environment')
  const variableName = readText(variable, problems)
  const value = variableName === undefined ? undefined : takeVariable(variableName, resource.place, context)
  if (value !== undefined) return {target, content: value, mode, isSecret}
  problems.error(variable?.place ?? resource.place, variableName === undefined ? `${name} needs file, content or environment` : `the variable ${variableName}, which ${name} is made of, has no value; set it`)
  return undefined
}

function isFalse(node: TreeNode): boolean {
  return node.kind === 'null' || (node.kind === 'text' && node.text === 'false')
}
