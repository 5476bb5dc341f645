import {mountTarget} from './mount-text.js'
import type {Problems} from './problems.js'
import {childOf, type ListNode, type MapNode, type TreeEntry, type TreeNode} from './tree.js'

// How a later file changes an earlier one, and a service what it extends. Both sides are in one shape already.

/** Keys of a service whose value is replaced, not merged. */
const replaced = new Set(['command', 'entrypoint', 'healthcheck/test'])
/** Maps in which a key without a value counts as one: it takes its value from the variables. */
const pairs = new Set(['environment', 'build/args', 'labels'])

export function mergeServices(base: MapNode, over: MapNode, problems: Problems): MapNode {
  return mergeMaps(base, over, {path: '', problems})
}

/** The whole of two files: services by their rules, everything else as plain maps. */
export function mergeFiles(base: MapNode, over: MapNode, problems: Problems): MapNode {
  const entries = new Map(base.entries)
  for (const [key, entry] of over.entries) {
    const before = entries.get(key)
    if (before === undefined || entry.value.tag !== undefined) setTagged(entries, key, entry)
    else if (key === 'services' && before.value.kind === 'map' && entry.value.kind === 'map') entries.set(key, {...before, value: mergeEach(before.value, entry.value, problems)})
    else entries.set(key, {...before, value: mergeNodes(before.value, entry.value, {path: `/${key}`, problems})})
  }
  return {...base, entries}
}

function mergeEach(base: MapNode, over: MapNode, problems: Problems): MapNode {
  const entries = new Map(base.entries)
  for (const [name, entry] of over.entries) {
    const before = entries.get(name)
    if (before?.value.kind === 'map' && entry.value.kind === 'map' && entry.value.tag === undefined) entries.set(name, {...before, value: mergeServices(before.value, entry.value, problems)})
    else if (before === undefined || entry.value.kind !== 'null' || entry.value.tag !== undefined) setTagged(entries, name, entry)
  }
  return {...base, entries}
}

/** The tree without what is tagged to be taken away and had nothing below it. */
export function dropResets(node: TreeNode): TreeNode {
  if (node.kind === 'list') return {...node, items: node.items.filter(({tag}) => tag !== 'reset').map(dropResets)}
  if (node.kind !== 'map') return node
  const kept = [...node.entries].filter(([, {value}]) => value.tag !== 'reset')
  return {...node, entries: new Map(kept.map(([key, entry]): [string, TreeEntry] => [key, {...entry, value: dropResets(entry.value)}]))}
}

interface Spot {
  /** Keys from the service down, joined by slashes. */
  readonly path: string
  readonly problems: Problems
}

function mergeMaps(base: MapNode, over: MapNode, {path, problems}: Spot): MapNode {
  const entries = new Map(base.entries)
  for (const [key, entry] of over.entries) {
    const before = entries.get(key)
    const below = path === '' ? key : `${path}/${key}`
    if (before === undefined || entry.value.tag !== undefined || replaced.has(below)) setTagged(entries, key, entry)
    else if (entry.value.kind !== 'null' || pairs.has(path)) entries.set(key, {key: entry.key, value: mergeNodes(before.value, entry.value, {path: below, problems})})
  }
  return {...base, entries}
}

// !reset takes a key away, !override is only its value.
function setTagged(entries: Map<string, TreeEntry>, key: string, entry: TreeEntry): void {
  if (entry.value.tag === 'reset') entries.delete(key)
  else entries.set(key, entry)
}

function mergeNodes(base: TreeNode, over: TreeNode, spot: Spot): TreeNode {
  if (over.kind === 'null' || base.kind === 'null' || base.kind === 'text' || over.kind === 'text') return over
  if (spot.path === 'logging' && differsIn('driver', base, over)) return over
  if (base.kind === 'map' && over.kind === 'map') return mergeMaps(base, over, spot)
  if (base.kind === 'list' && over.kind === 'list') return mergeLists(base, over, spot.path)
  spot.problems.error(over.place, 'this is a list in one file and a map in the other; write both in one form')
  return base
}

function differsIn(key: string, base: TreeNode, over: TreeNode): boolean {
  const [before, after] = [childOf(base, key), childOf(over, key)]
  return before?.kind === 'text' && after?.kind === 'text' && before.text !== after.text
}

function mergeLists(base: ListNode, over: ListNode, path: string): ListNode {
  const merged = new Map<string, TreeNode>()
  for (const item of [...base.items, ...over.items]) merged.set(identityOf(item, path), item)
  return {...base, items: [...merged.values()]}
}

/** Items of one identity are one thing, and the later one counts. */
function identityOf(item: TreeNode, path: string): string {
  if (path === 'volumes') return item.kind === 'text' ? mountTarget(item.text) : (textOf(childOf(item, 'target')) ?? plain(item))
  if (path === 'secrets' || path === 'configs') return textOf(childOf(item, 'target')) ?? textOf(childOf(item, 'source')) ?? plain(item)
  if (path === 'env_file') return textOf(childOf(item, 'path')) ?? plain(item)
  return plain(item)
}

function textOf(node: TreeNode | undefined): string | undefined {
  return node?.kind === 'text' ? node.text : undefined
}

/** The value of a node as text, without its places. */
export function plain(node: TreeNode): string {
  switch (node.kind) {
    case 'null':
      return '~'
    case 'text':
      return node.text
    case 'list':
      return JSON.stringify(node.items.map(plain))
    case 'map':
      return JSON.stringify([...node.entries].map(([key, {value}]) => [key, plain(value)]).sort(([a], [b]) => ((a ?? '') < (b ?? '') ? -1 : 1)))
  }
}
