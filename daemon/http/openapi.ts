import {z} from 'zod'
import * as catalog from '../../src/catalog/definition.js'
import * as apps from '../../src/contract/apps.js'
import * as audit from '../../src/contract/audit.js'
import * as auth from '../../src/contract/auth.js'
import {commonFaults, faultTable, type FaultCode} from '../../src/contract/faults.js'
import * as jobs from '../../src/contract/jobs.js'
import * as members from '../../src/contract/members.js'
import * as projects from '../../src/contract/projects.js'
import type {RouteSpec} from '../../src/contract/route.js'
import * as servers from '../../src/contract/servers.js'
import * as terminal from '../../src/contract/terminal.js'
import * as tokens from '../../src/contract/tokens.js'
import {OpenApiSchemas, toJsonObject, type Json, type JsonObject} from './openapi-schemas.js'

export type RouteTable = Readonly<Record<string, Readonly<Record<string, RouteSpec>>>>

/** The OpenAPI 3.1 document of a table of routes. `version` is the release, `url` the address callers use. */
export function toOpenApi(table: RouteTable, {version, url = '/'}: {version: string; url?: string}): JsonObject {
  const schemas = new OpenApiSchemas(namedSchemas())
  const paths: Record<string, Record<string, JsonObject>> = {}
  for (const [area, routes] of Object.entries(table)) {
    for (const [name, route] of Object.entries(routes)) {
      for (const [index, path] of [route.path, ...(route.aliases ?? [])].entries()) {
        const operations = (paths[path.replace(/:(\w+)/g, '{$1}')] ??= {})
        operations[route.method.toLowerCase()] = toOperation(index === 0 ? `${area}.${name}` : aliasId(area, name, index), area, route, schemas)
      }
    }
  }
  return toJsonObject({
    openapi: '3.1.0',
    info: {title: 'Moorage', version, summary: 'The API of the Moorage daemon', license: {name: 'Apache-2.0', identifier: 'Apache-2.0'}},
    servers: [{url}],
    security: [{bearer: []}],
    tags: Object.keys(table).map((area) => ({name: area})),
    paths,
    components: {
      securitySchemes: {bearer: {type: 'http', scheme: 'bearer', description: 'a personal access token'}},
      headers: {RequestId: {description: 'names this request in the log of the daemon', schema: {type: 'string'}}},
      parameters: sharedParameters,
      schemas: {...schemas.components(), ...errorSchemas},
    },
  })
}

/** The operation of a further path of a route; every operation has an id of its own. */
export function aliasId(area: string, name: string, index: number): string {
  return `${area}.${name}.alias${index}`
}

// Enums and objects that the contract exports under a name keep it; short text formats are clearer where they are used.
function namedSchemas(): Record<string, z.ZodType> {
  const exported = [apps, audit, auth, catalog, jobs, members, projects, servers, terminal, tokens].flatMap((area) => Object.entries<unknown>({...area}))
  const isNamed = (entry: [string, unknown]): entry is [string, z.ZodType] =>
    entry[1] instanceof z.ZodObject || entry[1] instanceof z.ZodEnum || entry[1] instanceof z.ZodDiscriminatedUnion
  return Object.fromEntries(exported.filter(isNamed))
}

const sharedParameters: JsonObject = {
  OrganizationId: {
    name: 'X-Organization-Id',
    in: 'header',
    required: false,
    description: 'the organization to act in; must be that of the token',
    schema: {type: 'string'},
  },
  LastEventId: {
    name: 'Last-Event-ID',
    in: 'header',
    required: false,
    description: 'resume after this event',
    schema: {type: 'string'},
  },
}

const errorSchemas: JsonObject = {
  Error: {
    type: 'object',
    description: 'Some codes add members of their own; docs/errors.md lists every code.',
    properties: {
      error: {type: 'string', description: 'one line for people'},
      code: {type: 'string', description: 'for programs'},
      suggestions: {type: 'array', items: {type: 'string'}, description: 'commands to type next'},
    },
    required: ['error', 'code'],
  },
  FieldError: {
    type: 'object',
    properties: {path: {type: 'string', description: 'JSON pointer into the input'}, message: {type: 'string'}},
    required: ['path', 'message'],
  },
}

function toOperation(operationId: string, area: string, route: RouteSpec, schemas: OpenApiSchemas): JsonObject {
  const bodyOptional = route.body?.safeParse(undefined).success === true
  return toJsonObject({
    operationId,
    tags: [area],
    summary: route.summary,
    description: route.description,
    ...(route.scope === 'public' && {security: []}),
    'x-required-scope': route.scope,
    'x-mutates': route.mutates,
    parameters: toParameters(route, schemas),
    ...(route.streamsBody === true && {requestBody: {required: true, content: {'application/octet-stream': {schema: {type: 'string', format: 'binary'}}}}}),
    ...(route.body !== undefined && {
      requestBody: {required: !bodyOptional, content: {'application/json': {schema: schemas.request(route.body)}}},
    }),
    responses: {[String(statusOf(route))]: toSuccess(route, schemas), ...toFailures(route)},
  })
}

/** Of success. */
export function statusOf({status = 200, upgrade}: RouteSpec): number {
  return upgrade === undefined ? status : 101
}

function toParameters(route: RouteSpec, schemas: OpenApiSchemas): Json[] {
  const shared = [
    ...(route.scope === 'public' ? [] : ['OrganizationId']),
    ...(route.stream === 'sse' ? ['LastEventId'] : []),
  ].map((name): JsonObject => ({$ref: `#/components/parameters/${name}`}))
  return [...fieldsOf(route.params, 'path', schemas), ...fieldsOf(route.query, 'query', schemas), ...fieldsOf(route.headers, 'header', schemas), ...shared]
}

function fieldsOf(schema: z.ZodType | undefined, place: 'path' | 'query' | 'header', schemas: OpenApiSchemas): JsonObject[] {
  if (schema === undefined) return []
  const {properties = {}, required = []} = schemas.request(schema)
  const needed = Array.isArray(required) ? required : []
  return Object.entries(toJsonObject(properties)).map(([name, property]) => {
    const {description, ...rest} = toJsonObject(property)
    return toJsonObject({name, in: place, required: place === 'path' || needed.includes(name), description, schema: rest})
  })
}

function toSuccess(route: RouteSpec, schemas: OpenApiSchemas): JsonObject {
  const headers = {'X-Request-Id': {$ref: '#/components/headers/RequestId'}}
  if (route.stream === 'bytes') {
    return {description: 'the bytes, as a download', headers, content: {'application/octet-stream': {schema: {type: 'string', format: 'binary'}}}}
  }
  const schema = route.output === undefined ? {} : schemas.response(route.output)
  if (route.upgrade !== undefined) {
    // The format has no words for what is said over it.
    return {description: 'a WebSocket', 'x-text-frames': {caller: route.takes === undefined ? {} : schemas.request(route.takes), daemon: schema}}
  }
  if (route.stream === 'sse') {
    const description = 'Server-sent events: `id`, `event` and one line of JSON `data` whose `type` equals the event. `ping` every 25 seconds.'
    return {description, headers, content: {'text/event-stream': {schema: {type: 'string'}, 'x-event-data': schema}}}
  }
  return {description: route.status === 202 ? 'accepted' : 'done', headers, content: {'application/json': {schema}}}
}

function toFailures(route: RouteSpec): JsonObject {
  const byStatus = new Map<number, FaultCode[]>()
  for (const code of codesOf(route)) {
    const {status} = faultTable[code]
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  return Object.fromEntries([...byStatus].map(([status, codes]) => [String(status), toFailure(codes)]))
}

/** Every code a route may answer with. */
export function codesOf(route: RouteSpec): FaultCode[] {
  const needless: FaultCode[] = [
    ...(route.scope === 'public' ? (['UNAUTHORIZED', 'INVALID_TOKEN', 'FORBIDDEN', 'TOKEN_ORG_SCOPE'] as const) : []),
    ...(route.mutates ? [] : (['TOKEN_READ_ONLY'] as const)),
    ...(route.rateLimit === 'none' ? (['RATE_LIMITED'] as const) : []),
  ]
  return [...commonFaults.filter((code) => !needless.includes(code)), ...(route.errors ?? [])]
}

function toFailure(codes: readonly FaultCode[]): JsonObject {
  const own: JsonObject = {code: {enum: [...codes]}}
  if (codes.includes('VALIDATION_ERROR')) own['errors'] = {type: 'array', items: {$ref: '#/components/schemas/FieldError'}}
  return {
    description: codes.map((code) => `\`${code}\`: ${faultTable[code].meaning}`).join('; '),
    content: {'application/json': {schema: {allOf: [{$ref: '#/components/schemas/Error'}, {properties: own}]}}},
  }
}
