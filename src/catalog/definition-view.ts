import {AppDefinition} from './definition.js'
import type {JsonPath} from './json-tree.js'
import {flattenIssues, isBound, valueAt, type FlatIssue} from './shape-issues.js'

/** What can be read of a definition although parts of it are broken. */
export interface DefinitionView {
  readonly definition: AppDefinition
  /** The parts that were left out, where they stand in the given value. */
  readonly dropped: readonly JsonPath[]
  /** Where in the given value a part of the view stands: lists lose their broken entries. */
  toGiven(path: JsonPath): JsonPath
}

export function wholeView(definition: AppDefinition): DefinitionView {
  return {definition, dropped: [], toGiven: (path) => path}
}

/** Whether nothing was left out at a path, above it or below it; `*` is any key or index. */
export function isComplete({dropped}: Pick<DefinitionView, 'dropped'>, patterns: readonly JsonPath[]): boolean {
  return !patterns.some((pattern) => dropped.some((path) => path.every((step, index) => index >= pattern.length || pattern[index] === '*' || pattern[index] === step)))
}

const namelessApp: AppDefinition = {id: 'app', name: '', description: '', kind: 'template', logo: '', category: 'other'}
const mostRounds = 12

/** Takes away what is broken, and what it is a needed part of, until the rest can be read; null where too little is left. */
export function viewRest(value: unknown, found: readonly FlatIssue[]): DefinitionView | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
  const dropped: JsonPath[] = []
  const places = new Map<object, readonly number[]>()
  const kept = new Map<string, {readonly path: JsonPath; readonly value: string | number}>()
  let rest: object = value
  let open = found
  for (let round = 0; round < mostRounds; round += 1) {
    const cuts = cutsOf(rest, open)
    // What the top lacks is filled in, so nothing goes for it.
    dropped.push(...open.map(({path}) => path.slice(0, 1)).filter((path) => path.length > 0 && !Object.hasOwn(rest, path[0] ?? '')))
    for (const {path, instead} of cuts) {
      const given = toGiven(rest, path, places)
      if (instead === undefined) dropped.push(given)
      else kept.set(JSON.stringify(given), {path: given, value: valueAt(value, given) as string | number})
    }
    rest = prune(rest, toTree(cuts), places) as object
    const result = AppDefinition.safeParse({...namelessApp, ...rest})
    if (result.success) {
      const pruned = rest
      return {definition: restore(result.data, pruned, places, [...kept.values()]), dropped, toGiven: (path) => toGiven(pruned, path, places)}
    }
    open = flattenIssues(result.error.issues)
  }
  return null
}

interface Cut {
  readonly path: JsonPath
  /** Stands in for a value of the right type that breaks a bound, so that nothing around it has to go. */
  readonly instead?: string | number
}

function cutsOf(rest: object, issues: readonly FlatIssue[]): Cut[] {
  return issues.flatMap((flat) => {
    const value = valueAt(rest, flat.path)
    const instead = isBound(flat) ? standIn(flat, value) : undefined
    if (instead !== undefined) return [{path: flat.path, instead}]
    const path = deepestThere(rest, flat.path)
    return path.length === 0 ? [] : [{path}]
  })
}

function standIn({issue}: FlatIssue, value: unknown): string | number | undefined {
  if (typeof value === 'number') return 1
  if (typeof value !== 'string') return undefined
  return issue.code === 'invalid_format' ? 'https://example.com' : 'x'
}

// What is not there can only be missed by what holds it, so that goes instead.
function deepestThere(rest: object, path: JsonPath): JsonPath {
  let depth = 0
  let node: unknown = rest
  while (depth < path.length && typeof node === 'object' && node !== null && Object.hasOwn(node, path[depth] ?? '')) {
    node = Reflect.get(node, path[depth] ?? '')
    depth += 1
  }
  return path.slice(0, depth)
}

interface CutTree {
  readonly children: Map<string | number, CutTree>
  cut: boolean
  instead: string | number | undefined
}

function toTree(cuts: readonly Cut[]): CutTree {
  const root: CutTree = {children: new Map(), cut: false, instead: undefined}
  for (const {path, instead} of cuts) {
    let node = root
    for (const step of path) {
      const next: CutTree = node.children.get(step) ?? {children: new Map(), cut: false, instead: undefined}
      node.children.set(step, next)
      node = next
    }
    if (instead === undefined) node.cut = true
    else node.instead = instead
  }
  return root
}

// Copies only what changes. Entries of a list move up, so where each came from is kept with the list.
function prune(value: unknown, {children, instead}: CutTree, places: Map<object, readonly number[]>): unknown {
  if (instead !== undefined) return instead
  if (children.size === 0 || typeof value !== 'object' || value === null) return value
  if (!Array.isArray(value)) {
    const copy: object = {...value}
    for (const [key, child] of children) {
      if (child.cut) Reflect.deleteProperty(copy, key)
      else Reflect.set(copy, key, prune(Reflect.get(copy, key), child, places))
    }
    return copy
  }
  const from = places.get(value)
  const left: unknown[] = []
  const indexes: number[] = []
  for (const [index, item] of (value as unknown[]).entries()) {
    const child = children.get(index)
    if (child?.cut === true) continue
    left.push(child === undefined ? item : prune(item, child, places))
    indexes.push(from?.[index] ?? index)
  }
  places.set(left, indexes)
  return left
}

function toGiven(rest: object, path: JsonPath, places: ReadonlyMap<object, readonly number[]>): JsonPath {
  let node: unknown = rest
  return path.map((step) => {
    const here = node
    const isThere = typeof here === 'object' && here !== null
    node = isThere && Object.hasOwn(here, step) ? Reflect.get(here, step) : undefined
    return isThere && typeof step === 'number' ? (places.get(here)?.[step] ?? step) : step
  })
}

// The view is of our own making, so what stood in for a value can be put back in place.
function restore(view: AppDefinition, rest: object, places: ReadonlyMap<object, readonly number[]>, kept: readonly {path: JsonPath; value: string | number}[]): AppDefinition {
  for (const {path, value} of kept) {
    let given: unknown = rest
    let parent: unknown = view
    for (const [index, step] of path.entries()) {
      if (typeof given !== 'object' || given === null || typeof parent !== 'object' || parent === null) break
      const indexes = places.get(given)
      const at = typeof step === 'number' && indexes !== undefined ? indexes.indexOf(step) : step
      if (index === path.length - 1 && Object.hasOwn(parent, at)) Reflect.set(parent, at, value)
      given = Reflect.get(given, at)
      parent = Reflect.get(parent, at)
    }
  }
  return view
}
