import type {Problems} from './problems.js'
import {mapNode, textNode, withEntry, type MapNode, type TreeEntry, type TreeNode} from './tree.js'

// One form for what Compose lets people write in several, so that files can be merged.

/** A service with its short forms made long, as far as merging needs it. */
export function shapeService(service: MapNode, problems: Problems): MapNode {
  return shapeKeys(service, {
    environment: (node) => toPairs(node, problems),
    labels: (node) => toPairs(node, problems),
    annotations: (node) => toPairs(node, problems),
    sysctls: (node) => toPairs(node, problems),
    build: (node) => shapeBuild(node, problems),
    deploy: (node) => (node.kind === 'map' ? shapeKeys(node, {labels: (labels) => toPairs(labels, problems)}) : node),
    depends_on: (node) => toNamed(node, (item) => mapNode(item.place, [['condition', textNode(item.place, 'service_started')]])),
    networks: (node) => toNamed(node, (item) => ({kind: 'null', place: item.place})),
    extends: (node) => (node.kind === 'text' ? mapNode(node.place, [['service', node]]) : node),
    extra_hosts: toHostList,
    env_file: toList,
    label_file: toList,
    dns: toList,
    dns_search: toList,
    tmpfs: toList,
    secrets: (node) => mapItems(node, toGrant),
    configs: (node) => mapItems(node, toGrant),
  })
}

/** A volume, network, secret or config of the file's top: nothing is an empty one, and `external: {name: x}` is the old form of two keys. */
export function shapeResource(node: TreeNode, problems: Problems): TreeNode {
  if (node.kind === 'null') return mapNode(node.place, [])
  if (node.kind !== 'map') return node
  const shaped = shapeKeys(node, {labels: (labels) => toPairs(labels, problems)})
  const external = shaped.entries.get('external')?.value
  if (external?.kind !== 'map') return shaped
  const name = external.entries.get('name')?.value
  const plain = withEntry(shaped, 'external', textNode(external.place, 'true'))
  return name === undefined ? plain : withEntry(plain, 'name', name)
}

function shapeKeys(map: MapNode, shapes: Readonly<Record<string, (node: TreeNode) => TreeNode>>): MapNode {
  const entries = [...map.entries].map(([key, entry]): [string, TreeEntry] => {
    const shape = Object.hasOwn(shapes, key) ? shapes[key] : undefined
    return [key, shape === undefined ? entry : {...entry, value: keepTag(entry.value, shape(entry.value))}]
  })
  return {...map, entries: new Map(entries)}
}

function keepTag(before: TreeNode, after: TreeNode): TreeNode {
  return before.tag === undefined || after.tag !== undefined ? after : {...after, tag: before.tag}
}

function shapeBuild(node: TreeNode, problems: Problems): TreeNode {
  if (node.kind === 'text') return mapNode(node.place, [['context', node]])
  return node.kind === 'map' ? shapeKeys(node, {args: (args) => toPairs(args, problems), labels: (labels) => toPairs(labels, problems)}) : node
}

/** `NAME=value` lines as a map; null where there is no `=`. */
function toPairs(node: TreeNode, problems: Problems): TreeNode {
  if (node.kind !== 'list') return node
  const entries = node.items.flatMap((item): [string, TreeNode][] => {
    if (item.kind !== 'text') {
      problems.error(item.place, 'a line of this list is NAME=value')
      return []
    }
    const at = item.text.indexOf('=')
    return [at === -1 ? [item.text, {kind: 'null', place: item.place}] : [item.text.slice(0, at), textNode(item.place, item.text.slice(at + 1))]]
  })
  return mapNode(node.place, entries)
}

function toNamed(node: TreeNode, valueFor: (item: TreeNode) => TreeNode): TreeNode {
  if (node.kind !== 'list') return node
  return mapNode(node.place, node.items.flatMap((item): [string, TreeNode][] => (item.kind === 'text' ? [[item.text, valueFor(item)]] : [])))
}

function toList(node: TreeNode): TreeNode {
  return node.kind === 'text' || node.kind === 'map' ? {kind: 'list', place: node.place, items: [node]} : node
}

function mapItems(node: TreeNode, shape: (item: TreeNode) => TreeNode): TreeNode {
  return node.kind === 'list' ? {...node, items: node.items.map(shape)} : node
}

function toGrant(node: TreeNode): TreeNode {
  return node.kind === 'text' ? mapNode(node.place, [['source', node]]) : node
}

// Lines are HOST=ADDRESS or HOST:ADDRESS; what the engine takes is the latter, IPv6 without brackets.
function toHostList(node: TreeNode): TreeNode {
  const items = node.kind === 'list' ? node.items : node.kind === 'map' ? [...node.entries].flatMap(([host, {value}]) => addressesOf(value).map((address) => textNode(value.place, `${host}:${address}`))) : undefined
  if (items === undefined) return node
  return {kind: 'list', place: node.place, items: items.map((item) => (item.kind === 'text' ? {...item, text: toHostLine(item.text)} : item))}
}

function addressesOf(value: TreeNode): readonly string[] {
  if (value.kind === 'text') return [value.text]
  return value.kind === 'list' ? value.items.flatMap((item) => (item.kind === 'text' ? [item.text] : [])) : []
}

function toHostLine(line: string): string {
  const [, host, address] = /^([^=:]+)[=:](.*)$/s.exec(line) ?? []
  return host === undefined || address === undefined ? line : `${host.trim()}:${address.trim().replace(/^\[(.*)\]$/, '$1')}`
}
