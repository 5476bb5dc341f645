import type {Node} from 'jsonc-parser'

/** Keys and indexes from the root of a document. */
export type JsonPath = readonly (string | number)[]

/** A range of a text, in UTF-16 units. */
export interface Span {
  readonly offset: number
  readonly length: number
}

export interface TextPosition {
  /** From 1. */
  readonly line: number
  /** From 1, in UTF-16 units. */
  readonly column: number
}

/** The value of a tree. Own properties only: a key such as __proto__ is a key like any other and changes no prototype. */
export function toValue(node: Node): unknown {
  if (node.type === 'array') return (node.children ?? []).map(toValue)
  if (node.type !== 'object') return node.value
  const result: Record<string, unknown> = {}
  for (const property of node.children ?? []) {
    const [key, value] = property.children ?? []
    if (key === undefined || value === undefined) continue
    Object.defineProperty(result, String(key.value), {value: toValue(value), writable: true, enumerable: true, configurable: true})
  }
  return result
}

/** The value at a path, or its key; the nearest enclosing thing that is there where the path leads nowhere. */
export function locate(root: Node | undefined, path: JsonPath, part: 'key' | 'value'): Span {
  let found: Span = root === undefined ? {offset: 0, length: 0} : {offset: root.offset, length: 1}
  let node = root
  for (const [index, step] of path.entries()) {
    const isLast = index === path.length - 1
    const [key, value] = childOf(node, step)
    if (value === undefined && key === undefined) return found
    const chosen = (isLast && part === 'key' ? key : value) ?? key ?? value
    if (chosen === undefined) return found
    // Of what is only on the way, the opening is enough.
    found = isLast ? {offset: chosen.offset, length: chosen.length} : openingOf(key ?? chosen)
    node = value
  }
  return found
}

/** Where a part of a text value stands, escapes counted as written; the whole value where it is no text. */
export function locateInside(text: string, value: Span, part: Span): Span {
  if (text[value.offset] !== '"') return value
  const starts: number[] = []
  const units = /\\u[0-9a-fA-F]{4}|\\.|[^"\\]/gy
  units.lastIndex = value.offset + 1
  while (starts.length <= part.offset + part.length) {
    const at = units.lastIndex
    const match = at < value.offset + value.length - 1 ? units.exec(text) : null
    starts.push(at)
    if (match === null) break
  }
  const last = starts.at(-1) ?? value.offset
  const start = starts[part.offset] ?? last
  return {offset: start, length: Math.max((starts[part.offset + part.length] ?? last) - start, 0)}
}

function openingOf(node: Node): Span {
  return {offset: node.offset, length: node.type === 'object' || node.type === 'array' ? 1 : node.length}
}

function childOf(node: Node | undefined, step: string | number): readonly [Node | undefined, Node | undefined] {
  if (node?.type === 'array') {
    const child = typeof step === 'number' ? node.children?.[step] : undefined
    return [undefined, child]
  }
  const property = node?.type === 'object' ? node.children?.findLast((child) => child.children?.[0]?.value === String(step)) : undefined
  return [property?.children?.[0], property?.children?.[1]]
}

/** Where each line starts. */
export function lineStarts(text: string): readonly number[] {
  const starts = [0]
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}

export function positionIn(starts: readonly number[], offset: number): TextPosition {
  let [low, high] = [0, starts.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((starts[middle] ?? 0) <= offset) low = middle
    else high = middle - 1
  }
  return {line: low + 1, column: offset - (starts[low] ?? 0) + 1}
}

/** A path as a JSON pointer (RFC 6901). */
export function toPointer(path: JsonPath): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}
