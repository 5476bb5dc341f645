import type {Problems} from './problems.js'
import type {MapNode, Place, TreeNode} from './tree.js'

// Nodes as values of the type that a key has. Nothing, and what has the wrong type, is undefined; the latter with a problem.

type Maybe = TreeNode | undefined

export function readText(node: Maybe, problems: Problems): string | undefined {
  if (node === undefined || node.kind === 'null') return undefined
  if (node.kind === 'text') {
    warnWritten(node, problems)
    return node.text
  }
  problems.error(node.place, 'a text is expected here')
  return undefined
}

function warnWritten(node: TreeNode, problems: Problems): void {
  if (node.kind !== 'text' || node.written === undefined || /^true|false$/.test(node.text)) return
  problems.warn(node.place, `${node.written} without quotes is the number ${node.text}, and so Compose takes it; write '${node.written}' for the text`)
}

export function readBoolean(node: Maybe, problems: Problems): boolean | undefined {
  if (node === undefined || node.kind === 'null') return undefined
  const text = node.kind === 'text' ? node.text.toLowerCase() : ''
  if (['true', 'yes', 'on', 'y', '1'].includes(text)) return true
  if (['false', 'no', 'off', 'n', '0'].includes(text)) return false
  problems.error(node.place, 'true or false is expected here')
  return undefined
}

export function readNumber(node: Maybe, problems: Problems): number | undefined {
  if (node === undefined || node.kind === 'null') return undefined
  const value = node.kind === 'text' && /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)$/.test(node.text.trim()) ? Number(node.text) : Number.NaN
  if (Number.isFinite(value)) return value
  problems.error(node.place, 'a number is expected here')
  return undefined
}

export function readInteger(node: Maybe, problems: Problems): number | undefined {
  const value = readNumber(node, problems)
  if (value === undefined || Number.isSafeInteger(value)) return value
  if (node !== undefined) problems.error(node.place, 'a whole number is expected here')
  return undefined
}

export function readMap(node: Maybe, problems: Problems): MapNode | undefined {
  if (node === undefined || node.kind === 'null') return undefined
  if (node.kind === 'map') return node
  problems.error(node.place, 'a map of keys and values is expected here')
  return undefined
}

export function readItems(node: Maybe, problems: Problems): readonly TreeNode[] {
  if (node === undefined || node.kind === 'null') return []
  if (node.kind === 'list') return node.items
  problems.error(node.place, 'a list is expected here')
  return []
}

/** Texts of a list; a single text counts as a list of one. */
export function readTexts(node: Maybe, problems: Problems): readonly string[] {
  if (node?.kind === 'text') return [node.text]
  return readItems(node, problems).flatMap((item) => readText(item, problems) ?? [])
}

export interface Pair {
  readonly name: string
  /** Null where there is a name only. */
  readonly value: string | null
  readonly place: Place
}

export function readPairs(node: Maybe, problems: Problems): readonly Pair[] {
  const map = readMap(node, problems)
  return [...(map?.entries ?? [])].flatMap(([name, {key, value}]): Pair[] => {
    if (value.kind === 'null') return [{name, value: null, place: key}]
    const text = readText(value, problems)
    return text === undefined ? [] : [{name, value: text, place: key}]
  })
}

/** Texts under their names; a name only has an empty one. */
export function readRecord(node: Maybe, problems: Problems): Record<string, string> {
  return toRecord(readPairs(node, problems).map(({name, value}) => [name, value ?? '']))
}

/** An object of its own entries: a key such as __proto__ is a key like any other. */
export function toRecord<T>(entries: Iterable<readonly [string, T]>): Record<string, T> {
  return Object.fromEntries(entries)
}

/** Any value as plain data; whole numbers become numbers where wanted. */
export function toData(node: TreeNode, numbers: boolean): unknown {
  switch (node.kind) {
    case 'null':
      return null
    case 'text':
      return numbers && /^-?(?:0|[1-9]\d{0,14})$/.test(node.text) ? Number(node.text) : node.text
    case 'list':
      return node.items.map((item) => toData(item, numbers))
    case 'map':
      return toRecord([...node.entries].filter(([key]) => !key.startsWith('x-')).map(([key, {value}]) => [key, toData(value, numbers)] as const))
  }
}
