import type {z} from 'zod'
import type {JsonPath} from './json-tree.js'

/** The description that a schema gives of what stands at a path. */
export function describeAt(schema: z.core.$ZodType, path: JsonPath): string | undefined {
  let layers = layersOf(schema)
  for (const step of path) {
    const next = layers.map((layer) => childOf(layer, step)).find((child) => child !== undefined)
    if (next === undefined) return undefined
    layers = layersOf(next)
  }
  return layers.map((layer) => (layer as z.ZodType).description).find((text) => text !== undefined)
}

type Definition = z.core.$ZodTypes['_zod']['def']

function definitionOf(schema: z.core.$ZodType): Definition {
  return (schema._zod as {readonly def: Definition}).def
}

// The schema itself, what it wraps, and every form of a union.
function layersOf(schema: z.core.$ZodType): z.core.$ZodType[] {
  const def = definitionOf(schema)
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'default':
      return [schema, ...layersOf(def.innerType)]
    case 'union':
      return [schema, ...def.options.flatMap(layersOf)]
    default:
      return [schema]
  }
}

function childOf(schema: z.core.$ZodType, step: string | number): z.core.$ZodType | undefined {
  const def = definitionOf(schema)
  switch (def.type) {
    case 'array':
      return def.element
    case 'record':
      return def.valueType
    case 'object':
      return Object.hasOwn(def.shape, step) ? def.shape[String(step)] : undefined
    default:
      return undefined
  }
}
