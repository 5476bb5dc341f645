import type {z} from 'zod'

/** Every key of a schema, and every form where there are several, that none of the values uses. */
export function findUnused(schema: z.core.$ZodType, values: readonly unknown[], place = ''): string[] {
  const {def} = schema._zod as {readonly def: z.core.$ZodTypes['_zod']['def']}
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'default':
      return findUnused(def.innerType, values, place)
    case 'array':
      return findUnused(def.element, values.filter(Array.isArray).flat(), `${place}[]`)
    case 'union':
      return def.options.flatMap((option) => findUnused(option, values, place))
    case 'object':
      return unusedKeys(def.shape, values.filter(isObject), place)
    case 'record':
      return values.some(isObject) ? [] : [`${place} as a map`]
    case 'string':
      return values.some((value) => typeof value === 'string') ? [] : [`${place} as a text`]
    default:
      return []
  }
}

function unusedKeys(shape: Readonly<Record<string, z.core.$ZodType>>, values: readonly Readonly<Record<string, unknown>>[], place: string): string[] {
  return Object.entries(shape).flatMap(([key, inner]) => {
    const used = values.filter((value) => Object.hasOwn(value, key)).map((value) => value[key])
    const path = place === '' ? key : `${place}.${key}`
    return used.length === 0 ? [path] : findUnused(inner, used, path)
  })
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
