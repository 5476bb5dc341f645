import {z} from 'zod'
import {toJsonObject, type Json, type JsonObject} from '../daemon/http/openapi-schemas.js'
import {AppDefinition} from '../src/catalog/definition.js'
import {appSchemaRules} from './app-schema-rules.js'

/** The format of app definitions as a JSON Schema for editors: draft-07, which they all read, and strict, so that a misspelt key shows. */
export function appSchema(): JsonObject {
  const converted = z.toJSONSchema(AppDefinition, {target: 'draft-7', io: 'input', override: ({jsonSchema}) => makeStrict(jsonSchema)})
  const schema = oneManagement(toJsonObject(converted))
  for (const [place, rule] of Object.entries(appSchemaRules)) Object.assign(schemaAt(schema, place), rule)
  const {$schema, ...rest} = schema
  return {...($schema !== undefined && {$schema}), title: 'App definition of Moorage', description: 'A multi-service app that can be installed with one click.', ...rest}
}

/** The text of catalog/app.schema.json. */
export function renderAppSchema(): string {
  return `${JSON.stringify(appSchema(), null, 2)}\n`
}

function makeStrict(schema: z.core.JSONSchema.BaseSchema): void {
  if (schema.properties !== undefined) schema.additionalProperties = false
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
  // Every key of JSON is a text.
  delete schema.propertyNames
}

// One object instead of a choice of two: an editor then names the key that is wrong and not the choice.
function oneManagement(schema: JsonObject): JsonObject {
  const management = member(member(schema, 'properties'), 'management')
  const choices = management['oneOf']
  if (!Array.isArray(choices)) throw new Error('management is not a choice any more')
  const kinds = choices.map((choice) => member(member(asObject(choice), 'properties'), 'kind'))
  const properties = Object.assign({}, ...choices.map((choice) => member(asObject(choice), 'properties'))) as JsonObject
  delete management['oneOf']
  const kind = {type: 'string', enum: kinds.map((one) => one['const'] ?? null), description: kinds.map((one) => one['description']).join('; ')}
  Object.assign(management, {type: 'object', properties: {...properties, kind}, required: ['kind'], additionalProperties: false})
  return schema
}

/** The schema of a place such as `services[].routes[].port`. */
export function schemaAt(schema: JsonObject, place: string): JsonObject {
  const steps = place.replaceAll('[]', '.[]').split('.').filter((step) => step !== '')
  return steps.reduce((at, step) => (step === '[]' ? member(at, 'items') : member(member(at, 'properties'), step)), schema)
}

function member(schema: JsonObject, name: string): JsonObject {
  const found = schema[name]
  if (found === undefined) throw new Error(`the format has no ${name} there`)
  return asObject(found)
}

function asObject(value: Json): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('not an object')
  return value
}
