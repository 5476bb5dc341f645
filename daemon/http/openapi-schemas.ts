import {z} from 'zod'

export type Json = string | number | boolean | null | Json[] | {[name: string]: Json}
export type JsonObject = {[name: string]: Json}

type Direction = 'input' | 'output'

const definitions = '#/$defs/'
const components = '#/components/schemas/'

/** Turns zod schemas into the schemas of one OpenAPI document; those that have a name are written once and referred to. */
export class OpenApiSchemas {
  readonly #named: z.core.$ZodRegistry<z.core.GlobalMeta>
  readonly #components = new Map<string, JsonObject>()

  constructor(named: Readonly<Record<string, z.ZodType>>) {
    this.#named = registryOf(named)
  }

  /** What a request may hold: defaults are optional, unknown members refused. */
  request(schema: z.ZodType): JsonObject {
    return this.#convert(schema, 'input')
  }

  /** What an answer holds; it may grow, so unknown members are never ruled out. */
  response(schema: z.ZodType): JsonObject {
    return this.#convert(schema, 'output')
  }

  /** Every schema that was referred to, by name. */
  components(): JsonObject {
    return Object.fromEntries([...this.#components].sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  #convert(schema: z.ZodType, io: Direction): JsonObject {
    const converted = z.toJSONSchema(schema, {
      io,
      target: 'draft-2020-12',
      metadata: this.#named,
      override: ({zodSchema, jsonSchema}) => {
        if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
        plainly(zodSchema, jsonSchema)
      },
    })
    const {$schema: _, $defs: defs = {}, ...rest} = toJsonObject(converted)
    const suffixes = this.#keep(toJsonObject(defs), io)
    return toJsonObject(withComponentRefs(withoutIds(rest), suffixes))
  }

  // A name may stand for two shapes: what may be sent and what comes back. The first one seen keeps the plain name.
  #keep(defs: JsonObject, io: Direction): ReadonlyMap<string, string> {
    const names = new Map(Object.keys(defs).map((name) => [name, name]))
    for (const [name, schema] of Object.entries(defs)) {
      const known = this.#components.get(name)
      if (known !== undefined && JSON.stringify(known) !== JSON.stringify(withComponentRefs(withoutIds(schema), names))) {
        names.set(name, io === 'input' ? `${name}Input` : `${name}Output`)
      }
    }
    for (const [name, schema] of Object.entries(defs)) {
      this.#components.set(names.get(name) ?? name, toJsonObject(withComponentRefs(withoutIds(schema), names)))
    }
    return names
  }
}

// Says what a reader needs and no more: zod adds the bounds of exact integers and a page of pattern to every instant.
function plainly(schema: z.core.$ZodTypes, json: z.core.JSONSchema.BaseSchema): void {
  if (json.format === 'date-time') delete json.pattern
  if (json.minimum === Number.MIN_SAFE_INTEGER) delete json.minimum
  if (json.maximum === Number.MAX_SAFE_INTEGER) delete json.maximum
  // A stringbool takes the words that a boolean is written with in a query.
  if (schema._zod.def.type === 'pipe' && schema._zod.def.out._zod.def.type === 'boolean') json.type = 'boolean'
}

// The descriptions stand in zod's global registry; ours adds the names to them, for this document only.
function registryOf(named: Readonly<Record<string, z.ZodType>>): z.core.$ZodRegistry<z.core.GlobalMeta> {
  const names = new Map<unknown, string>(Object.entries(named).map(([name, schema]) => [schema, name]))
  const registry = z.registry<z.core.GlobalMeta>()
  registry.get = (schema: z.core.$ZodType) => {
    const id = names.get(schema)
    const described = z.globalRegistry.get(schema)
    if (id === undefined) return described
    return {...described, id}
  }
  return registry
}

function withoutIds(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutIds)
  if (typeof value !== 'object' || value === null) return value
  // A member called id of an object schema stands under `properties` and holds an object; the mark is text.
  const kept = Object.entries(value).filter(([name, member]) => !((name === 'id' || name === '$id') && typeof member === 'string'))
  return Object.fromEntries(kept.map(([name, member]) => [name, withoutIds(member)]))
}

function withComponentRefs(value: Json, names: ReadonlyMap<string, string>): Json {
  if (Array.isArray(value)) return value.map((item) => withComponentRefs(item, names))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      if (name !== '$ref' || typeof member !== 'string' || !member.startsWith(definitions)) return [name, withComponentRefs(member, names)]
      const target = member.slice(definitions.length)
      return [name, `${components}${names.get(target) ?? target}`]
    }),
  )
}

/** JSON as it will be sent: what JSON can not hold is gone. */
export function toJsonObject(value: unknown): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject
}
