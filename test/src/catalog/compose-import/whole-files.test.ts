import fc from 'fast-check'
import {describe, expect, test} from 'vitest'
import {stringify} from 'yaml'
import {Fault} from '../../../../src/contract/faults.js'
import {importText} from './import-text.js'

const image = 'ghcr.io/example/shop:1.4.2'

describe('a Compose file', () => {
  test('with anchors, merge keys and extensions is read as Compose reads it', () => {
    const {definition} = importText(`
x-common: &common
  restart: always
  environment: &env {TZ: UTC}
services:
  web:
    <<: *common
    image: ${image}
    ports: ["80:80"]
    environment:
      <<: *env
      NAME: shop
`)
    expect(definition.services).toEqual([{name: 'web', image, ports: ['80:80'], exposed: true, exposedPort: 80, environment: {TZ: 'UTC', NAME: 'shop'}, restart: 'always'}])
  })

  test('inherits with extends, also from another file: maps and lists grow, commands are replaced', () => {
    const files = {'common.yml': stringify({services: {base: {environment: ['A=1', 'B=1'], volumes: ['a:/a'], command: 'one', depends_on: ['db']}}})}
    const {definition} = importText({
      services: {
        web: {extends: {file: 'common.yml', service: 'base'}, image, environment: {B: 2, C: 3}, volumes: ['b:/b'], command: 'two'},
        db: {extends: 'web', image: 'postgres:17.5', depends_on: {web: {condition: 'service_started'}}},
      },
    }, {files})
    expect(definition.services).toMatchObject([
      {environment: {A: '1', B: '2', C: '3'}, volumes: ['a:/a', 'b:/b'], commandArgv: ['two'], dependsOn: ['db']},
      {image: 'postgres:17.5', environment: {A: '1', B: '2', C: '3'}, commandArgv: ['two'], dependsOn: ['web']},
    ])
  })

  test.each([[{extends: 'web'}], [{extends: 'none'}], [{extends: {service: 'x', file: '../x.yml'}}]])('tells %j, which leads nowhere', (own) => {
    expect(importText({services: {web: {image, ...own}}}).notes).toContainEqual(expect.objectContaining({level: 'lost', key: 'extends'}))
  })

  test('leaves out services of profiles, and takes those that are asked for', () => {
    const services = {web: {image, depends_on: ['tools']}, tools: {image, profiles: ['debug']}}
    const {definition, notes} = importText({services})
    expect(definition.services?.map(({name}) => name)).toEqual(['web'])
    expect(notes.map(({key}) => key)).toEqual(expect.arrayContaining(['profiles', 'depends_on']))
    expect(importText({services}, {profiles: ['debug']}).definition.services).toHaveLength(2)
  })

  test.each([
    [{}, {id: 'shop', name: 'Shop', logo: 'shop', category: 'other'}],
    [{identity: {name: 'Paste Box!'}}, {id: 'paste-box', name: 'Paste Box!'}],
    [{identity: {id: 'p', category: 'cms' as const, description: 'D.', logo: 'l'}}, {id: 'p', name: 'P', category: 'cms', description: 'D.', logo: 'l'}],
  ])('is called what %j says', (extra, expected) => {
    expect(importText({services: {web: {image}}}, extra).definition).toMatchObject(expected)
    expect(importText({name: 'from_file', services: {web: {image}}}).definition.id).toBe('from-file')
  })

  test.each([
    ['a: [1', /compose\.yml:1: /],
    ['services:\n  a: 1\n  a: 2\n', /compose\.yml:3: .*unique/],
    ['- a\n- b\n', /map with services/],
    ['', /map with services/],
    ['services: {}\n', /no services/],
    ['services:\n  web: {profiles: [x]}\n', /--profile/],
    ['a: 1\n---\nb: 1\n', /compose\.yml:2: /],
    [`a: &a [x, x, x, x, x, x, x, x, x, x]\n${Array.from({length: 12}, (_, at) => `b${at}: &b${at} [${Array.from({length: 10}, () => (at === 0 ? '*a' : `*b${at - 1}`)).join(', ')}]`).join('\n')}\n`, /alias/i],
    [`services: ${'['.repeat(20_000)}`, /compose\.yml:1: /],
    [`a: ${'x'.repeat(1_000_001)}`, /larger/],
  ])('that is broken is refused with its line (%#)', (text, message) => {
    expect(() => importText(text)).toThrow(Fault)
    expect(() => importText(text)).toThrow(message)
  })

  test('whose texts are too long loses them, and is still a definition', () => {
    const {definition, notes} = importText({services: {web: {image: `a:${'1'.repeat(600)}`, command: ['x'.repeat(3000)], healthcheck: {test: 'y'.repeat(3000)}}, [`${'n'.repeat(130)}`]: {image}}})
    expect(definition.services?.length).toBeLessThan(2)
    expect(notes.filter(({level}) => level === 'lost').length).toBeGreaterThan(1)
  })

  test('with keys that mean something to JavaScript stays harmless', () => {
    const {definition} = importText('services:\n  web:\n    image: a:1\n    __proto__: {privileged: true}\n    environment: {__proto__: x, constructor: y, toString: z}\n  constructor: {image: b:1}\n')
    expect(definition.services?.map(({name}) => name)).toEqual(['web', 'constructor'])
    expect(definition.services?.[0]?.environment).toMatchObject({constructor: 'y', toString: 'z'})
  })
})

describe('whatever a Compose file holds, it becomes a definition that the gate takes, or is refused with a reason', () => {
  const texts = fc.oneof(
    fc.constantFrom('web', 'db', '${A}', '${A:-x}', '${DB_PASSWORD}', '${A:?m}', 'postgres://u:${DB_PASSWORD}@db/x', 'http://localhost:80', '80:80', '5432:5432/tcp', './x:/y', 'a:/b', '/c', '5s', '$$', '{{config:X}}', 'true'),
    fc.string({maxLength: 8}),
  )
  const values = fc.letrec<{value: unknown}>((tie) => ({
    value: fc.oneof({maxDepth: 3}, texts, fc.integer(), fc.boolean(), fc.constant(null), fc.array(tie('value'), {maxLength: 3}), fc.dictionary(fc.oneof(fc.constantFrom('DB_PASSWORD', 'API_KEY', 'TITLE', 'test', 'target', 'source', 'context', 'limits', 'resources'), texts), tie('value'), {maxKeys: 3})),
  })).value
  const keys = fc.constantFrom(
    'image', 'build', 'ports', 'volumes', 'environment', 'env_file', 'command', 'entrypoint', 'healthcheck', 'depends_on', 'configs', 'secrets', 'deploy', 'restart', 'labels', 'extends', 'profiles', 'networks',
    'container_name', 'mem_limit', 'stop_grace_period', 'links', 'expose', 'x-a', 'tmpfs', 'privileged',
  )
  const service = fc.oneof({weight: 9, arbitrary: fc.dictionary(keys, values, {maxKeys: 8})}, {weight: 1, arbitrary: values})
  const compose = fc.record({services: fc.dictionary(fc.oneof(fc.constantFrom('web', 'db'), texts), service, {minKeys: 1, maxKeys: 4}), configs: values, secrets: values, volumes: values})

  test('given as any mixture of values', () => {
    fc.assert(
      fc.property(compose, (document) => {
        try {
          importText(document, {files: {x: 'text', Dockerfile: 'FROM a:1\nCOPY x /\n'}, variables: {A: 'a'}})
        } catch (error) {
          if (!(error instanceof Fault)) throw error
        }
      }),
      {numRuns: 2000},
    )
  })

  test('given as any text', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        try {
          importText(`services:\n  web:\n    image: ${text}\n`)
        } catch (error) {
          if (!(error instanceof Fault)) throw error
        }
      }),
      {numRuns: 500},
    )
  })
})
