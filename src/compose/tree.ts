import type {Variables} from './variables.js'

// What YAML gives, with the place of every part: it goes with a value through merges, so that a problem is told where it was written.

export interface SourceFile {
  readonly path: string
  /** Folder of the source that relative paths of the file start from; `.` is the root. */
  readonly folder: string
  /** The variables of an included file, which may have more of them than the rest. */
  readonly variables?: Variables
}

export interface Place {
  readonly file: SourceFile
  readonly line: number
  readonly column: number
  /** Keys and indexes from the root of the file. */
  readonly path: readonly (string | number)[]
}

/** What an override file wants done with the value below: `!reset` takes it away, `!override` puts itself in its place. */
export type MergeTag = 'reset' | 'override'

interface Placed {
  readonly place: Place
  readonly tag?: MergeTag
}

export interface TextNode extends Placed {
  readonly kind: 'text'
  /** As Compose takes it: numbers and booleans in their plain form. */
  readonly text: string
  /** As it was written, where that is something else, such as 1.10 which is the number 1.1. */
  readonly written?: string
}

export interface NullNode extends Placed {
  readonly kind: 'null'
}

export interface ListNode extends Placed {
  readonly kind: 'list'
  readonly items: readonly TreeNode[]
}

export interface MapNode extends Placed {
  readonly kind: 'map'
  readonly entries: ReadonlyMap<string, TreeEntry>
}

export interface TreeEntry {
  readonly key: Place
  readonly value: TreeNode
}

export type TreeNode = TextNode | NullNode | ListNode | MapNode

export function childOf(node: TreeNode | undefined, key: string): TreeNode | undefined {
  return node?.kind === 'map' ? node.entries.get(key)?.value : undefined
}

/** The map without some of its keys. */
export function without(node: MapNode, keys: readonly string[]): MapNode {
  return {...node, entries: new Map([...node.entries].filter(([key]) => !keys.includes(key)))}
}

/** The map with a value under a key; the place of the value is that of the key. */
export function withEntry(node: MapNode, key: string, value: TreeNode): MapNode {
  return {...node, entries: new Map([...node.entries, [key, {key: node.entries.get(key)?.key ?? value.place, value}]])}
}

export function mapNode(place: Place, entries: Iterable<readonly [string, TreeNode]>): MapNode {
  return {kind: 'map', place, entries: new Map([...entries].map(([key, value]) => [key, {key: value.place, value}]))}
}

export function textNode(place: Place, text: string): TextNode {
  return {kind: 'text', place, text}
}
