import fc from 'fast-check'
import {describe, expect, test} from 'vitest'
import {toPointer, type JsonPath} from '../../../src/catalog/json-tree.js'
import {readDefinition} from '../../../src/catalog/read-definition.js'
import {valueAt} from '../../../src/catalog/shape-issues.js'
import {fullDefinition} from './full-definition.js'

type Json = Record<string, unknown>

const full = (): Json => JSON.parse(JSON.stringify({...fullDefinition, marketplace: {...fullDefinition.marketplace, article: undefined}})) as Json

/** The definition with another value at a path; undefined takes the key away. */
function withValue(path: JsonPath, value: unknown): Json {
  const copy = full()
  const parent = valueAt(copy, path.slice(0, -1)) as object
  const key = path.at(-1) ?? ''
  if (value === undefined) Reflect.deleteProperty(parent, key)
  else Object.defineProperty(parent, key, {value, enumerable: true, writable: true, configurable: true})
  return copy
}

const issuesOf = (value: unknown): [string, string][] => readDefinition(value).issues.map(({rule, path}) => [rule, toPointer(path)])

function pathsOf(value: unknown, base: JsonPath = []): JsonPath[] {
  if (typeof value !== 'object' || value === null) return [base]
  const inner = Object.entries(value).flatMap(([key, child]) => pathsOf(child, [...base, Array.isArray(value) ? Number(key) : key]))
  return base.length === 0 ? inner : [base, ...inner]
}

const paths = pathsOf(full())

test('the definition that uses every key is taken', () => {
  expect(issuesOf(full())).toEqual([])
})

describe('a value of the wrong type', () => {
  // Whatever else follows from it, the place itself is always told.
  test.each(paths.map((path) => [toPointer(path), path] as const))('at %s is refused with that path', (pointer, path) => {
    const given = valueAt(full(), path)
    // No text and no object where one of several forms is a text or a map of texts.
    const wrong = typeof given === 'string' || typeof given === 'object' ? [true, 5, null] : ['text', [], null]
    for (const value of wrong) {
      const read = readDefinition(withValue(path, value))
      expect(read.definition, JSON.stringify(value)).toBeNull()
      expect(read.issues.map((issue) => toPointer(issue.path)).some((at) => at === pointer || at.startsWith(`${pointer}/`)), `${JSON.stringify(value)}: ${JSON.stringify(read.issues)}`).toBe(true)
    }
  })

  test.each<[string, JsonPath, unknown, string]>([
    ['a number for a text', ['services', 0, 'environment', 'TITLE'], 20, 'TITLE must be a text, not 20; write "20"'],
    ['a switch for a text', ['settings', 0, 'fields', 3, 'default'], true, 'default must be a text, not true; write "true"'],
    ['a text for a number', ['services', 0, 'exposedPort'], '8090', 'exposedPort must be a number, not a text; write 8090'],
    ['a text for a switch', ['available'], 'True', 'available must be true or false, not a text; write true'],
    ['null', ['name'], null, 'name must be a text, not null'],
    ['a text for a list', ['services', 0, 'volumes'], 'a:/b', 'volumes must be a list, not a text; write ["a:/b"]'],
    ['a port as a number', ['services', 0, 'ports', 0], 8090, 'ports[0] must be a text, not 8090; write "8090"'],
    ['the long form of a port', ['services', 0, 'ports', 0], {target: 80, published: '8080'}, 'ports[0] must be a text, not an object; write "8080:80"'],
    ['a list of environment entries', ['services', 0, 'environment'], ['A=1', 'B=x=y'], 'environment must be an object with a text for each key, not a list; write {"A":"1","B":"x=y"}'],
    ['a map of dependencies', ['services', 0, 'dependsOn'], {db: {condition: 'service_healthy'}}, 'dependsOn must be a list, not an object; write ["db"]'],
    ['a list as command that is too long to be said again', ['services', 2, 'command'], Array.from({length: 100}, () => 'word'), 'command must be a text, not a list'],
    ['a list as command', ['services', 2, 'command'], ['a', 'b'], 'command must be a text, not a list; write "commandArgv": ["a","b"]'],
    ['a text as commandArgv', ['services', 0, 'commandArgv'], 'serve --port 80', 'commandArgv must be a list, not a text; write ["serve","--port","80"]'],
    ['a text as build', ['services', 2, 'build'], '.', 'build must be an object, not a text'],
    ['a number as health check', ['services', 0, 'healthcheck', 'test'], 5, 'test must be a shell command or a list of texts, not 5'],
    ['a list as localized text', ['prepare', 0, 'title'], [], 'title must be a text, or an object with a text for each locale, not a list'],
    ['half a number', ['services', 0, 'healthcheck', 'retries'], 1.5, 'retries must be a whole number, not 1.5'],
  ])('%s says what to write', (_, path, value, message) => {
    const [issue] = readDefinition(withValue(path, value)).issues
    expect(issue).toMatchObject({rule: 'wrong-type', path, message: message.replace('"commandArgv": ["a","b"]', '"commandArgv": ["a","b"]')})
  })

  test('inside a union is told where it is', () => {
    expect(issuesOf(withValue(['prepare', 0, 'title', 'de'], 5))).toEqual([['wrong-type', '/prepare/0/title/de']])
    expect(issuesOf(withValue(['services', 0, 'healthcheck', 'test', 1], 5))).toEqual([['wrong-type', '/services/0/healthcheck/test/1']])
  })

  test.each([[null, 'null'], [[], 'a list'], ['text', 'a text'], [5, 'a number'], [true, 'true'], [undefined, 'nothing']])('of the whole, %j, is told as such', (value, name) => {
    expect(readDefinition(value)).toMatchObject({definition: null, view: null, issues: [{path: [], message: `a definition is one object in braces, not ${name}`}]})
  })
})

describe('a key that is missing', () => {
  test('is told with its own path and what it is for', () => {
    expect(readDefinition(withValue(['configFields', 1, 'service'], undefined)).issues).toEqual([{rule: 'missing-key', path: ['configFields', 1, 'service'], message: 'the key service is missing: name of a declared service'}])
    expect(readDefinition(withValue(['category'], undefined)).issues).toMatchObject([{rule: 'missing-key', message: expect.stringContaining('backend, database')}])
    expect(readDefinition(withValue(['management', 'kind'], undefined)).issues).toMatchObject([{rule: 'missing-key', path: ['management', 'kind'], message: 'the key kind is missing: schema or custom'}])
    expect(issuesOf(withValue(['management', 'href'], undefined))).toEqual([['missing-key', '/management/href']])
  })
})

describe('a value that is none of those allowed', () => {
  test.each<[string, JsonPath, string, string | undefined]>([
    ['with the one that was meant', ['category'], 'Data-Base', '"database"'],
    ['with the closest', ['services', 0, 'restart'], 'unless-stoped', '"unless-stopped"'],
    ['alone where none is close', ['kind'], 'application', undefined],
  ])('is told %s', (_, path, value, suggestion) => {
    const [issue] = readDefinition(withValue(path, value)).issues
    expect(issue).toMatchObject({rule: 'bad-value', path})
    expect(issue?.suggestion).toBe(suggestion)
  })

  test('is told for columns and management, too', () => {
    expect(issuesOf(withValue(['settings', 0, 'columns'], 3))).toEqual([['wrong-type', '/settings/0/columns']])
    expect(readDefinition(withValue(['management', 'kind'], 'href')).issues).toMatchObject([{rule: 'bad-value', path: ['management', 'kind'], message: 'kind must be one of schema, custom, not "href"'}])
  })
})

describe('limits', () => {
  test.each<[JsonPath, unknown, string]>([
    [['id'], 'a'.repeat(101), 'id takes 100 characters at most'],
    [['id'], '', 'id must not be empty'],
    [['services', 0, 'name'], 'n'.repeat(121), 'name takes 120 characters at most'],
    [['services', 0, 'image'], 'i'.repeat(501), 'image takes 500 characters at most'],
    [['services', 0, 'ports'], Array(51).fill('80'), 'ports takes 50 entries at most'],
    [['services', 0, 'ports', 0], '8'.repeat(101), 'ports[0] takes 100 characters at most'],
    [['services', 0, 'volumes'], Array(51).fill('a:/b'), 'volumes takes 50 entries at most'],
    [['services', 0, 'volumes', 0], 'v'.repeat(501), 'volumes[0] takes 500 characters at most'],
    [['services', 0, 'healthcheck', 'test'], 'x'.repeat(2001), 'test takes 2000 characters at most'],
    [['services', 0, 'healthcheck', 'test'], Array(51).fill('x'), 'test takes 50 entries at most'],
    [['services', 0, 'healthcheck', 'interval'], '1'.repeat(33), 'interval takes 32 characters at most'],
    [['services', 0, 'healthcheck', 'retries'], 101, 'retries must be at most 100'],
    [['services', 0, 'healthcheck', 'retries'], -1, 'retries must be at least 0'],
    [['services', 2, 'command'], 'c'.repeat(1001), 'command takes 1000 characters at most'],
    [['services', 0, 'commandArgv'], Array(101).fill('x'), 'commandArgv takes 100 entries at most'],
    [['services', 0, 'commandArgv', 0], 'x'.repeat(2001), 'commandArgv[0] takes 2000 characters at most'],
    [['minResources', 'memoryMb'], 0, 'memoryMb must be more than 0'],
    [['repository'], 'github.com/x', 'repository must be an absolute address such as https://example.com/project'],
    [['marketplace', 'features', 0, 'title'], '', 'title must not be empty'],
  ])('at %j is told: %#', (path, value, message) => {
    const {issues} = readDefinition(withValue(path, value))
    expect(issues).toContainEqual({rule: 'out-of-bounds', path, message})
  })

  test('keep nobody from comparing the rest', () => {
    const broken = {...withValue(['services', 1, 'name'], 'd'.repeat(130)), repository: 'x'}
    expect(issuesOf(broken).map(([rule]) => rule)).toEqual(['out-of-bounds', 'out-of-bounds', 'unknown-service', 'unknown-service', 'unknown-service'])
    expect(readDefinition(broken).view?.definition).toMatchObject({repository: 'x', services: [{name: 'web'}, {name: 'd'.repeat(130)}, {name: 'worker'}]})
  })
})

describe('parts that do not fit together', () => {
  test.each<[string, JsonPath, unknown, string, JsonPath?]>([
    ['a config field', ['configFields', 0, 'service'], 'bd', 'configField references unknown service "bd"; did you mean "db"?'],
    ['a prepare step', ['prepare', 0, 'service'], 'nowhere', 'prepare references unknown service "nowhere"; the services are web, db, worker'],
    ['an endpoint', ['endpoints', 0, 'service'], 'x', 'endpoint references unknown service "x"'],
    ['a file', ['files', 0, 'service'], 'x', 'file references unknown service "x"'],
    ['a setting', ['settings', 0, 'fields', 0, 'service'], 'x', 'setting references unknown service "x"'],
    ['an output', ['connection', 'outputs', 0, 'service'], 'x', 'output references unknown service "x"'],
    ['an output source', ['connection', 'outputs', 0, 'source'], 'env:x:Y', 'output references unknown service "x"'],
    ['a bad source', ['connection', 'outputs', 0, 'source'], 'env:web', 'invalid output source "env:web"'],
    ['a source of two lines', ['connection', 'outputs', 0, 'source'], 'template:a\nb', 'invalid output source'],
    ['a group of a token', ['configFields', 1, 'jwtSecretGroup'], 'x', 'jwtSecretGroup "x" has no matching generateGroup'],
    ['a flow with a host', ['flowHref'], 'https://example.com/', 'internal route'],
    ['a flow with two slashes', ['flowHref'], '//example.com/', 'internal route'],
    ['a flow with a backslash', ['flowHref'], '/\\example.com', 'internal route'],
    ['image and build', ['services', 2, 'image'], 'alpine:3.22', 'service "worker" must set exactly one of image or build', ['services', 2]],
    ['neither image nor build', ['services', 1, 'image'], undefined, 'service "db" must set exactly one of image or build', ['services', 1]],
    ['an empty image', ['services', 1, 'image'], '', 'service "db" must set exactly one of image or build', ['services', 1]],
    ['an output of a bundle', ['provides', 0, 'outputRefs', 0], 'x', 'provides references unknown output "x"'],
    ['two articles', ['marketplace', 'article'], '# hi', 'choose one article source: article or articleFile', ['marketplace']],
    ['an article that climbs out', ['marketplace', 'articleFile'], 'articles/../x.md', 'articleFile must have the form articles/<slug>.md'],
    ['an absolute article', ['marketplace', 'articleFile'], '/articles/x.md', 'articleFile must have the form articles/<slug>.md'],
    ['a relative mount', ['files', 0, 'path'], 'etc/x', 'must be an absolute path'],
    ['a mount that climbs out', ['services', 0, 'files', 0, 'path'], '/etc/../x', 'must be an absolute path'],
    ['a build file that climbs out', ['services', 2, 'build', 'files', 0, 'path'], 'a/../../x', 'must stay inside the folder of the service'],
    ['an absolute build file', ['services', 2, 'build', 'files', 0, 'path'], '/x', 'must stay inside the folder of the service'],
  ])('%s is refused', (_, path, value, message, at = path) => {
    const {issues, definition} = readDefinition(withValue(path, value))
    expect(definition).toBeNull()
    expect(issues).toContainEqual(expect.objectContaining({path: at, message: expect.stringContaining(message)}))
  })

  test('names are not asked for where there are no services at all', () => {
    expect(issuesOf({...withValue(['services'], undefined)})).toEqual([])
    expect(issuesOf({...withValue(['services'], [])})).toEqual([])
  })

  test('a build file may begin with two dots', () => {
    expect(issuesOf(withValue(['services', 2, 'build', 'files', 0, 'path'], '..keep'))).toEqual([])
  })

  test('a shape that is too new is told first', () => {
    expect(readDefinition({...full(), schemaVersion: 2, name: 5}).issues.map(({rule}) => rule)).toEqual(['schema-too-new', 'wrong-type'])
  })
})

describe('the view of what can be read', () => {
  test('lacks broken parts and what needs them, and knows where the others stand', () => {
    const broken = withValue(['services', 0, 'ports'], ['1:1', 5, '2:2'])
    const {view, furtherIssues} = readDefinition({...broken, configFields: [{key: 'A'}, ...(broken['configFields'] as unknown[])]})
    expect(view?.definition.services?.[0]?.ports).toEqual(['1:1', '2:2'])
    expect(view?.definition.configFields?.map(({key}) => key)).toEqual(['POSTGRES_PASSWORD', 'API_TOKEN', 'OWNER'])
    expect(view?.toGiven(['services', 0, 'ports', 1])).toEqual(['services', 0, 'ports', 2])
    expect(view?.toGiven(['configFields', 0, 'key'])).toEqual(['configFields', 1, 'key'])
    expect(furtherIssues).toEqual([])
  })

  test('blames nobody for what lies in a part that is missing', () => {
    // The service is unreadable, so nothing that names it is wrong.
    expect(readDefinition(withValue(['services', 0, 'name'], 5))).toMatchObject({issues: [{path: ['services', 0, 'name']}], furtherIssues: []})
    expect(readDefinition(withValue(['connection', 'outputs', 0, 'id'], 5)).furtherIssues).toEqual([])
    expect(readDefinition(withValue(['configFields', 0, 'generateGroup'], 5)).furtherIssues).toEqual([])
    expect(readDefinition(withValue(['services', 1, 'image'], 5)).furtherIssues).toEqual([])
  })

  test('still says what is wrong elsewhere, apart from what the gate says', () => {
    const {issues, furtherIssues} = readDefinition({...withValue(['services', 0, 'ports'], 5), flowHref: 'x', endpoints: [{service: 'x', port: 1, label: 'x', kind: 'http'}]})
    expect(issues.map(({rule}) => rule)).toEqual(['wrong-type'])
    expect(furtherIssues.map(({rule}) => rule)).toEqual(['unknown-service', 'flow-href'])
  })
})

const otherKeys = ['__proto__', 'constructor', 'toString', 'x', '', 'Services', 'depends_on']
const otherValues = fc.oneof(fc.constantFrom<unknown>(null, true, 0, -1, 1e308, '', 'x', '{{config:', '{{', '\ud800', [], {}, [[]], [null], {__proto__: null}, JSON.parse('{"__proto__": {"a": "b"}}')), fc.jsonValue({maxDepth: 3}))

test('any mutation of a definition gives a clean result or issues with a path, never an exception', () => {
  const mutation = fc.record({path: fc.constantFrom(...paths), kind: fc.constantFrom('replace', 'remove', 'add', 'repeat'), key: fc.constantFrom(...otherKeys), value: otherValues})
  fc.assert(
    fc.property(fc.array(mutation, {minLength: 1, maxLength: 4}), (mutations) => {
      const value = full()
      for (const {path, kind, key, value: put} of mutations) {
        const parent: unknown = valueAt(value, path.slice(0, -1))
        if (typeof parent !== 'object' || parent === null) continue
        const at = path.at(-1) ?? ''
        if (kind === 'remove') Reflect.deleteProperty(parent, at)
        else if (kind === 'repeat' && Array.isArray(parent)) parent.push(parent[0])
        else Object.defineProperty(parent, kind === 'add' && !Array.isArray(parent) ? key : at, {value: put, enumerable: true, writable: true, configurable: true})
      }
      const {definition, issues, furtherIssues, unknownKeys, view} = readDefinition(value)
      expect(definition === null).toBe(issues.length > 0)
      for (const {path, message} of [...issues, ...furtherIssues]) {
        expect(path.length > 0 || message.startsWith('a definition is')).toBe(true)
        expect(valueAt(value, path.slice(0, -1)), toPointer(path)).toBeDefined()
        expect(message).not.toMatch(/undefined|Invalid input|\[object/)
      }
      for (const {path} of unknownKeys) expect(valueAt(value, path.slice(0, -1))).toBeDefined()
      // What the view has is in the value, where it says.
      if (view !== null) for (const path of pathsOf(view.definition).filter(([first]) => Object.hasOwn(value, first ?? ''))) expect(valueAt(value, view.toGiven(path)), toPointer(path)).toBeDefined()
    }),
    {numRuns: 1500},
  )
})

test('keys called __proto__ reach no prototype and are told at every place', () => {
  const value = JSON.parse(JSON.stringify(full()).replaceAll('"id":', '"__proto__": {"polluted": true}, "id":').replace('"TITLE":', '"__proto__": "x", "TITLE":').replace('"de":', '"__proto__": "x", "de":')) as unknown
  const {definition, unknownKeys} = readDefinition(value)
  expect(definition).not.toBeNull()
  expect(({} as {polluted?: boolean}).polluted).toBeUndefined()
  expect((definition as {polluted?: boolean}).polluted).toBeUndefined()
  expect(Object.getPrototypeOf(definition?.services?.[0]?.environment)).toBe(Object.prototype)
  const found = unknownKeys.map(({path}) => toPointer(path))
  expect(found).toContain('/__proto__')
  expect(found).toContain('/services/0/environment/__proto__')
  expect(found).toContain('/prepare/0/title/__proto__')
  expect(found).toContain('/connection/outputs/0/__proto__')
})
