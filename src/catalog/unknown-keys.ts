import type {z} from 'zod'
import type {JsonPath} from './json-tree.js'

/** A key that the format does not have, with those it does have at that place. */
export interface UnknownKey {
  readonly path: JsonPath
  readonly key: string
  readonly known: readonly string[]
}

/** Every key of a value that its schema would strip, at any depth. */
export function findUnknownKeys(schema: z.core.$ZodType, value: unknown, path: JsonPath = []): UnknownKey[] {
  const {def} = schema._zod as {readonly def: z.core.$ZodTypes['_zod']['def']}
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'default':
      return findUnknownKeys(def.innerType, value, path)
    case 'array':
      return Array.isArray(value) ? value.flatMap((item: unknown, index) => findUnknownKeys(def.element, item, [...path, index])) : []
    case 'union':
      return inUnion(def.options, value, path)
    case 'object':
      return isObject(value) ? inObject(def.shape, value, path) : []
    case 'record':
      // A map takes every key but this one, which the schema drops without a word.
      return isObject(value) && Object.hasOwn(value, '__proto__') ? [{path: [...path, '__proto__'], key: '__proto__', known: []}] : []
    default:
      return []
  }
}

function inObject(shape: Readonly<Record<string, z.core.$ZodType>>, value: Readonly<Record<string, unknown>>, path: JsonPath): UnknownKey[] {
  const known = Object.keys(shape)
  return Object.keys(value).flatMap((key) => {
    const inner = Object.hasOwn(shape, key) ? shape[key] : undefined
    return inner === undefined ? [{path: [...path, key], key, known}] : findUnknownKeys(inner, value[key], [...path, key])
  })
}

// Of several shapes the one that knows most of the value is meant.
function inUnion(options: readonly z.core.$ZodType[], value: unknown, path: JsonPath): UnknownKey[] {
  const found = options.filter((option) => structured.has(option._zod.def.type)).map((option) => findUnknownKeys(option, value, path))
  return found.toSorted((a, b) => a.length - b.length)[0] ?? []
}

const structured: ReadonlySet<string> = new Set(['object', 'array', 'record'])

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
