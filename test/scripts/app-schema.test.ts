import {readFileSync} from 'node:fs'
import {Ajv, type ErrorObject} from 'ajv'
import addFormats from 'ajv-formats'
import fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {appSchema, schemaAt} from '../../scripts/app-schema.js'
import {catalogFiles, sampleFiles} from '../catalog/sample-definitions.js'
import {readDefinition} from '../../src/catalog/read-definition.js'
import {fullDefinition} from '../src/catalog/full-definition.js'

type Json = Record<string, unknown>

const schema: Json = JSON.parse(readFileSync('catalog/app.schema.json', 'utf8'))
const ajv = new Ajv({strict: true, allErrors: true})
addFormats.default(ajv)
const validate = ajv.compile(schema)

function errorsOf(definition: unknown): ErrorObject[] {
  return validate(definition) ? [] : (validate.errors ?? [])
}

const pathsOf = (errors: readonly ErrorObject[]) => errors.map(({instancePath}) => instancePath)

/** The definition with one value changed. */
function changed(path: readonly (string | number)[], value: unknown): unknown {
  const copy: unknown = structuredClone(fullDefinition)
  const parent = path.slice(0, -1).reduce((at, step) => (at as Json)[step], copy) as Json
  parent[path.at(-1) ?? ''] = value
  return copy
}

const shapeRules: ReadonlySet<string> = new Set(['missing-key', 'wrong-type', 'bad-value', 'out-of-bounds'])

describe('the schema of app definitions', () => {
  it('is draft-07 and works from any path, as it has no address of its own', () => {
    expect(schema['$schema']).toBe('http://json-schema.org/draft-07/schema#')
    expect(JSON.stringify(schema)).not.toMatch(/"\$(id|ref)":/)
  })

  it('describes every key at every depth and allows no other', () => {
    const silent: string[] = []
    const open: string[] = []
    const walk = (at: Json, place: string) => {
      for (const [key, inner] of Object.entries((at['properties'] ?? {}) as Record<string, Json>)) {
        if (typeof inner['description'] !== 'string') silent.push(`${place}.${key}`)
        walk(inner, `${place}.${key}`)
      }
      if (at['properties'] !== undefined && at['additionalProperties'] !== false) open.push(place)
      if (typeof at['items'] === 'object') walk(at['items'] as Json, `${place}[]`)
    }
    walk(schema, '')
    expect(silent).toEqual([])
    expect(open).toEqual([])
  })

  it('takes a definition that uses every key', () => {
    expect(errorsOf(fullDefinition)).toEqual([])
    const unused = new Set<string>()
    const walk = (at: Json, values: unknown[], place: string) => {
      for (const [key, inner] of Object.entries((at['properties'] ?? {}) as Record<string, Json>)) {
        const found = values.filter((value) => typeof value === 'object' && value !== null && Object.hasOwn(value, key)).map((value) => (value as Json)[key])
        if (found.length === 0) unused.add(`${place}.${key}`)
        walk(inner, found, `${place}.${key}`)
      }
      if (typeof at['items'] === 'object') walk(at['items'] as Json, values.flatMap((value) => (Array.isArray(value) ? value : [])), `${place}[]`)
    }
    walk(schema, [fullDefinition], '')
    // The other of two that exclude each other.
    expect([...unused]).toEqual(['.marketplace.article'])
  })

  it.each([...catalogFiles(), ...sampleFiles()].map(({name, text}) => [name, text] as const))('takes %s', (_, text) => {
    expect(errorsOf(JSON.parse(text))).toEqual([])
  })
})

describe('the schema refuses', () => {
  it.each<[string, (string | number)[], unknown, string]>([
    ['a misspelt key at the top', ['configfields'], [], ''],
    ['a misspelt key of a service', ['services', 0, 'depends_on'], ['db'], '/services/0'],
    ['a misspelt key far down', ['settings', 0, 'fields', 4, 'showIf', 'equal'], 'x', '/settings/0/fields/4/showIf'],
    ['an unknown category', ['category'], 'games', '/category'],
    ['an unknown way to restart', ['services', 1, 'restart'], 'sometimes', '/services/1/restart'],
    ['an id that is not kebab-case', ['id'], 'Paste_Box', '/id'],
    ['a number as a port mapping', ['services', 0, 'ports', 0], 8090, '/services/0/ports/0'],
    ['a port that there is none of', ['services', 0, 'routes', 0, 'port'], 70_000, '/services/0/routes/0/port'],
    ['a number in the environment', ['services', 0, 'environment', 'PORT'], 80, '/services/0/environment/PORT'],
    ['both image and build', ['services', 0, 'build'], {dockerfile: 'FROM scratch'}, '/services/0'],
    ['neither image nor build', ['services', 1], {name: 'db'}, '/services/1'],
    ['a flow without its route', ['kind'], 'flow', ''],
    ['a jwt without a role', ['configFields', 1], {key: 'T', service: 'web', label: 'T', generate: 'jwt', jwtSecretGroup: 'db'}, '/configFields/1'],
    ['a select without options', ['settings', 0, 'fields', 0, 'type'], 'select', '/settings/0/fields/0'],
    ['an article twice', ['marketplace', 'article'], '# Paste', '/marketplace'],
    ['an article outside its folder', ['marketplace', 'articleFile'], '../secret.md', '/marketplace/articleFile'],
    ['a file that climbs out', ['files', 0, 'path'], '/etc/../root', '/files/0/path'],
    ['an output from nowhere', ['connection', 'outputs', 0, 'source'], 'web', '/connection/outputs/0/source'],
    ['a shape that is newer', ['schemaVersion'], 2, '/schemaVersion'],
    ['a page of its own without a route', ['management'], {kind: 'custom'}, '/management'],
    ['a route to another site', ['flowHref'], '//example.com', '/flowHref'],
  ])('%s, and says where', (_, path, value, where) => {
    const errors = path[0] === 'kind' ? errorsOf({...fullDefinition, kind: 'flow', flowHref: undefined}) : errorsOf(changed(path, value))
    expect(pathsOf(errors)).toContain(where)
  })

  it('an available template without services, and takes one that is not available yet', () => {
    const bare = {id: 'later', name: 'Later', description: 'Later.', kind: 'template', logo: 'docker', category: 'other'}
    expect(errorsOf(bare)).toEqual([])
    expect(errorsOf({...bare, available: true})).not.toEqual([])
  })

  it('all that the gate refuses for its shape', () => {
    const places = allPaths(fullDefinition)
    const value = fc.oneof(fc.jsonValue(), fc.constantFrom('', 'http://', 'http://[', 0, -1, 1.5, null, [], {}, [[]], 'x'.repeat(3000)))
    fc.assert(
      fc.property(fc.constantFrom(...places), value, (path, wrong) => {
        const definition = changed(path, wrong)
        const refused = readDefinition(definition).issues.some(({rule}) => shapeRules.has(rule))
        expect(!refused || errorsOf(definition).length > 0).toBe(true)
      }),
      {numRuns: 3000},
    )
  })

  it('a missing key wherever the gate does', () => {
    for (const path of allPaths(fullDefinition)) {
      const definition = JSON.parse(JSON.stringify(changed(path, undefined)))
      const refused = readDefinition(definition).issues.some(({rule}) => shapeRules.has(rule))
      if (refused) expect(errorsOf(definition), path.join('.')).not.toEqual([])
    }
  })
})

describe('the rules beyond the types', () => {
  it('stand in the file as they are made', () => {
    expect(appSchema()).toEqual(schema)
  })

  it('fail the generation where the format has no such place', () => {
    expect(() => schemaAt(appSchema(), 'services[].colour')).toThrow('colour')
  })
})

function allPaths(value: unknown, path: readonly (string | number)[] = []): (string | number)[][] {
  const children = Array.isArray(value) ? value.map((item, index) => [index, item] as const) : typeof value === 'object' && value !== null ? Object.entries(value) : []
  return children.flatMap(([step, child]) => [[...path, step], ...allPaths(child, [...path, step])])
}
