import {describe, expect, it} from 'vitest'
import {z} from 'zod'
import {aliasId, codesOf, toOpenApi, type RouteTable} from '../../../daemon/http/openapi.js'
import {OpenApiSchemas} from '../../../daemon/http/openapi-schemas.js'
import {contract} from '../../../src/contract/index.js'
import {route} from '../../../src/contract/route.js'

const table: RouteTable = contract
const document = toOpenApi(table, {version: '1.0.0'})

function eachNode(value: unknown, visit: (name: string, member: unknown) => void): void {
  if (typeof value !== 'object' || value === null) return
  for (const [name, member] of Object.entries(value)) {
    visit(name, member)
    eachNode(member, visit)
  }
}

function at(pointer: string): unknown {
  return pointer
    .slice(2)
    .split('/')
    .reduce<unknown>((value, part) => (typeof value === 'object' && value !== null ? Reflect.get(value, part) : undefined), document)
}

const allRoutes = Object.entries(table).flatMap(([area, routes]) =>
  Object.entries(routes).flatMap(([name, spec]) => [
    {id: `${area}.${name}`, spec, path: spec.path},
    ...(spec.aliases ?? []).map((path, index) => ({id: aliasId(area, name, index + 1), spec, path})),
  ]),
)
const operationAt = (path: string, method: string) => at(`#/paths`) && Reflect.get(Reflect.get(Object(document['paths']), path) as object, method)

describe('the OpenAPI document', () => {
  it('holds one operation for every path of every route of the contract, named after the route', () => {
    const ids: unknown[] = []
    eachNode(document['paths'], (name, member) => name === 'operationId' && ids.push(member))
    expect(ids.sort()).toEqual(allRoutes.map(({id}) => id).sort())
  })

  it('refers only to what is in it', () => {
    const refs: string[] = []
    eachNode(document, (name, member) => name === '$ref' && refs.push(String(member)))
    expect(refs.length).toBeGreaterThan(50)
    expect(refs.filter((ref) => !ref.startsWith('#/components/') || at(ref) === undefined)).toEqual([])
  })

  it('survives the way through JSON unchanged', () => {
    expect(JSON.parse(JSON.stringify(document))).toEqual(document)
  })

  it.each(allRoutes)('declares the path, the credential and every error of $id', ({spec, path}) => {
    const operation = operationAt(path.replace(/:(\w+)/g, '{$1}'), spec.method.toLowerCase())
    const named = [...path.matchAll(/:(\w+)/g)].map((match) => match[1])
    const inPath = operation.parameters.filter((parameter: {in?: string}) => parameter.in === 'path')
    expect(inPath.map((parameter: {name: string}) => parameter.name).sort()).toEqual(named.sort())
    expect(inPath.every((parameter: {required: boolean}) => parameter.required)).toBe(true)
    expect(operation.security).toEqual(spec.scope === 'public' ? [] : undefined)
    const text = JSON.stringify(operation.responses)
    expect(codesOf(spec).filter((code) => !text.includes(`"${code}"`))).toEqual([])
  })

  it('refuses unknown members in requests and allows them in answers', () => {
    const body = z.strictObject({name: z.string().default('a')})
    const output = z.strictObject({name: z.string().default('a')})
    const schemas = new OpenApiSchemas({})
    expect(schemas.request(body)).toEqual({type: 'object', properties: {name: {type: 'string', default: 'a'}}, additionalProperties: false})
    expect(schemas.response(output)).toEqual({type: 'object', properties: {name: {type: 'string', default: 'a'}}, required: ['name']})
  })

  it('keeps a named schema once, and under a second name where request and answer differ', () => {
    const Part = z.strictObject({n: z.int().default(1)})
    const schemas = new OpenApiSchemas({Part})
    expect(schemas.response(z.object({part: Part})).properties).toEqual({part: {$ref: '#/components/schemas/Part'}})
    expect(schemas.response(z.object({parts: z.array(Part)})).properties).toEqual({parts: {type: 'array', items: {$ref: '#/components/schemas/Part'}}})
    expect(schemas.request(z.object({part: Part})).properties).toEqual({part: {$ref: '#/components/schemas/PartInput'}})
    expect(Object.keys(schemas.components())).toEqual(['Part', 'PartInput'])
  })

  it('says how streams and downloads look', () => {
    const stream = route({method: 'GET', path: '/api/s', summary: 's', scope: 'authenticated', mutates: false, stream: 'sse', output: z.object({type: z.literal('x')})})
    const bytes = route({method: 'GET', path: '/api/b', summary: 'b', scope: 'public', mutates: false, stream: 'bytes'})
    const {paths} = toOpenApi({area: {stream, bytes}}, {version: '1'})
    const text = JSON.stringify(paths)
    expect(text).toContain('text/event-stream')
    expect(text).toContain('#/components/parameters/LastEventId')
    expect(text).toContain('application/octet-stream')
  })

  it('says how a body that is read while it arrives looks, and which headers it needs', () => {
    const send = route({method: 'POST', path: '/api/u', summary: 'u', scope: 'public', mutates: true, streamsBody: true, headers: z.object({'x-ticket': z.string().describe('of the session')})})
    expect(toOpenApi({area: {send}}, {version: '1'}).paths).toMatchObject({
      '/api/u': {
        post: {
          requestBody: {required: true, content: {'application/octet-stream': {schema: {type: 'string', format: 'binary'}}}},
          parameters: [{name: 'x-ticket', in: 'header', required: true, description: 'of the session', schema: {type: 'string'}}],
        },
      },
    })
  })

  it('writes yes-or-no queries as booleans', () => {
    const flag = route({method: 'GET', path: '/api/f', summary: 'f', scope: 'public', mutates: false, query: z.strictObject({force: z.stringbool().optional()})})
    const {paths} = toOpenApi({area: {flag}}, {version: '1'})
    expect(paths).toMatchObject({'/api/f': {get: {parameters: [{name: 'force', in: 'query', required: false, schema: {type: 'boolean'}}]}}})
  })
})
