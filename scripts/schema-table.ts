import type {Json, JsonObject} from '../daemon/http/openapi-schemas.js'

/** The members of an object schema as rows of a table, inner objects by dotted names. */
export function renderFields(schema: JsonObject, link: (name: string) => string): string {
  const rows = fieldRows(schema, '', link)
  if (rows.length === 0) return ''
  return ['| member | type | required | meaning |', '| --- | --- | --- | --- |', ...rows].join('\n')
}

function fieldRows(schema: JsonObject, prefix: string, link: (name: string) => string): string[] {
  const required = Array.isArray(schema['required']) ? schema['required'] : []
  return Object.entries(objectAt(schema, 'properties')).flatMap(([name, member]) => {
    const field = asObject(member)
    const row = `| \`${prefix}${name}\` | ${typeText(field, link)} | ${required.includes(name) ? 'yes' : 'no'} | ${meaning(field)} |`
    return [row, ...innerRows(field, `${prefix}${name}`, link)]
  })
}

function innerRows(field: JsonObject, name: string, link: (name: string) => string): string[] {
  if (field['type'] === 'array') return innerRows(objectAt(field, 'items'), `${name}[]`, link)
  const [only, nothing] = withoutNull(field)
  if (nothing && only !== undefined) return innerRows(only, name, link)
  return field['properties'] === undefined ? [] : fieldRows(field, `${name}.`, link)
}

/** What may stand there, in a few words. */
export function typeText(schema: JsonObject, link: (name: string) => string): string {
  const text = bareType(schema, link)
  const limits = limitsOf(schema)
  return limits === '' ? text : `${text}, ${limits}`
}

function bareType(schema: JsonObject, link: (name: string) => string): string {
  if (typeof schema['$ref'] === 'string') return link(schema['$ref'].split('/').at(-1) ?? '')
  if (Array.isArray(schema['enum'])) return schema['enum'].map((value) => code(JSON.stringify(value))).join(' or ')
  if (schema['const'] !== undefined) return code(JSON.stringify(schema['const']))
  const choices = choicesOf(schema)
  if (choices !== undefined) return [...new Set(choices.map((choice) => typeText(choice, link)))].join(' or ')
  const type = schema['type']
  if (Array.isArray(type)) return type.map(String).join(' or ')
  if (type === 'array') return `list of ${typeText(objectAt(schema, 'items'), link)}`
  if (type === 'object' && typeof schema['additionalProperties'] === 'object' && schema['properties'] === undefined) {
    return `map of ${typeText(objectAt(schema, 'additionalProperties'), link)}`
  }
  if (schema['format'] === 'date-time') return 'instant'
  return typeof type === 'string' ? type : 'anything'
}

function limitsOf(schema: JsonObject): string {
  const [least, most] = [schema['minimum'], schema['maximum']]
  const [shortest, longest] = [schema['minLength'], schema['maxLength']]
  const [fewest, greatest] = [schema['minItems'], schema['maxItems']]
  return [range(least, most, ''), range(shortest, longest, ' characters'), range(fewest, greatest, ' of them')].filter((part) => part !== '').join(', ')
}

function range(from: Json | undefined, to: Json | undefined, unit: string): string {
  if (from === 1 && to === undefined && unit === ' characters') return 'not empty'
  if (from !== undefined && to !== undefined) return `${show(from)} to ${show(to)}${unit}`
  if (to !== undefined) return `at most ${show(to)}${unit}`
  return from === undefined ? '' : `at least ${show(from)}${unit}`
}

const show = (value: Json) => (typeof value === 'number' ? value.toLocaleString('en') : String(value))

function meaning(field: JsonObject): string {
  const described = typeof field['description'] === 'string' ? field['description'] : ''
  const fallback = field['default'] === undefined ? '' : `default ${code(JSON.stringify(field['default']))}`
  return tableCell([described, fallback].filter((part) => part !== '').join('; '))
}

/** A text that stays in its cell, and whose angle brackets are no tags. */
export function tableCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('\n', ' ')
}

function choicesOf(schema: JsonObject): JsonObject[] | undefined {
  const choices = schema['anyOf'] ?? schema['oneOf'] ?? schema['allOf']
  return Array.isArray(choices) ? choices.map(asObject) : undefined
}

function withoutNull(schema: JsonObject): [JsonObject | undefined, boolean] {
  const choices = choicesOf(schema) ?? []
  const rest = choices.filter((choice) => choice['type'] !== 'null')
  return [rest[0], rest.length === 1 && choices.length === 2]
}

export function objectAt(value: JsonObject, name: string): JsonObject {
  return asObject(value[name])
}

function asObject(value: Json | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
}

const code = (text: string) => `\`${text}\``
