import type {z} from 'zod'
import type {JsonPath} from './json-tree.js'

/** A key that the format does not have, with those it does have at that place. */
export interface UnknownKey {
  readonly path: JsonPath
  readonly key: string
  readonly known: readonly string[]
}

/** Every key of a value that its schema would strip, at any depth. */
export function findUnknownKeys(schema: z.core.$ZodType, value: unknown): UnknownKey[] {
  const found: UnknownKey[] = []
  visit(schema, value, {path: [], found})
  return found
}

interface Walk {
  /** One for the whole walk, copied only where there is something to tell. */
  readonly path: (string | number)[]
  readonly found: UnknownKey[]
}

function visit(schema: z.core.$ZodType, value: unknown, walk: Walk): void {
  if (typeof value !== 'object' || value === null) return
  const {def} = schema._zod as {readonly def: z.core.$ZodTypes['_zod']['def']}
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'default':
      return visit(def.innerType, value, walk)
    case 'array':
      return Array.isArray(value) ? visitList(def.element, value, walk) : undefined
    case 'union':
      return visitUnion(def.options, value, walk)
    case 'object':
      return Array.isArray(value) ? undefined : visitObject(def.shape, value as Readonly<Record<string, unknown>>, walk)
    case 'record':
      // A map takes every key but this one, which the schema drops without a word.
      if (Object.hasOwn(value, '__proto__')) walk.found.push({path: [...walk.path, '__proto__'], key: '__proto__', known: []})
      return undefined
    default:
      return undefined
  }
}

function visitList(element: z.core.$ZodType, items: readonly unknown[], walk: Walk): void {
  for (let index = 0; index < items.length; index += 1) {
    walk.path.push(index)
    visit(element, items[index], walk)
    walk.path.pop()
  }
}

function visitObject(shape: Readonly<Record<string, z.core.$ZodType>>, value: Readonly<Record<string, unknown>>, walk: Walk): void {
  for (const key of Object.keys(value)) {
    const inner = Object.hasOwn(shape, key) ? shape[key] : undefined
    walk.path.push(key)
    if (inner === undefined) walk.found.push({path: [...walk.path], key, known: Object.keys(shape)})
    else visit(inner, value[key], walk)
    walk.path.pop()
  }
}

// Of several shapes the one that knows most of the value is meant.
function visitUnion(options: readonly z.core.$ZodType[], value: object, walk: Walk): void {
  const tries = options.filter((option) => structured.has(option._zod.def.type)).map((option) => {
    const found: UnknownKey[] = []
    visit(option, value, {path: walk.path, found})
    return found
  })
  walk.found.push(...(tries.toSorted((a, b) => a.length - b.length)[0] ?? []))
}

const structured: ReadonlySet<string> = new Set(['object', 'array', 'record'])
