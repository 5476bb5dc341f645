import fc from 'fast-check'
import {describe, expect, test} from 'vitest'
import {parse} from 'yaml'
import {toComposeFile} from '../../../src/catalog/compose-file.js'
import {mountName, mountPaths, needsFolder} from '../../../src/catalog/compose-paths.js'
import {composeVariables, replaceValues, standInFor, toComposeText} from '../../../src/catalog/compose-variables.js'
import {toYaml, type YamlMap, type YamlData} from '../../../src/compose/yaml-out.js'
import type {AppDefinition} from '../../../src/catalog/definition.js'
import {renderApp} from '../../../src/catalog/render-app.js'
import {resolveValues} from '../../../src/catalog/resolve-values.js'
import {appWith, countingBytes, nowMs, secretNumber} from './app-fixture.js'

function compose(definition: AppDefinition, withVariables = false) {
  const values = resolveValues(definition, {config: {}, stored: [], madeServices: [], random: countingBytes(), nowMs})
  const names = new Map(composeVariables(definition).map(({name, service, key}) => [`${service} ${key}`, name]))
  const standIn = (row: {service: string; key: string}) => {
    const name = names.get(`${row.service} ${row.key}`)
    return withVariables && name !== undefined ? standInFor(name) : undefined
  }
  const app = renderApp(definition, {slug: 'shop', values: {...values, rows: replaceValues(values.rows, standIn)}, locale: 'en'})
  const file = toComposeFile(app, {variables: new Set(names.values()), header: ['made\nby: hand']})
  return {...file, model: parse(file.text)}
}

const web = (parts: object, more: object = {}) => appWith({services: [{name: 'web', image: 'web:1', ...parts}], ...more})
const service = (parts: object) => compose(web(parts)).model.services.web

describe('a service in a Compose file', () => {
  test('has its image and how it restarts, and no more than there is to say', () => {
    expect(compose(web({})).model).toEqual({services: {web: {image: 'web:1', restart: 'unless-stopped'}}})
  })

  test('has its entrypoint and its command as lists, also empty ones', () => {
    expect(service({entrypointArgv: [], commandArgv: ['a', 'b c']})).toMatchObject({entrypoint: [], command: ['a', 'b c']})
  })

  test('publishes its ports on loopback unless an interface is named', () => {
    expect(service({ports: ['80:80', '0.0.0.0:53:53/udp', '9000', '[::1]:1:2']}).ports).toEqual(['127.0.0.1:80:80', '0.0.0.0:53:53/udp', '127.0.0.1::9000', '[::1]:1:2'])
  })

  test('keeps dollar signs from being read as variables, everywhere', () => {
    const parts = {image: 'a$b:1', environment: {A: '$HOME ${X} $$'}, commandArgv: ['$1'], healthcheck: {test: 'echo $?'}, volumes: ['/srv/$x:/data']}
    expect(service(parts)).toMatchObject({
      image: 'a$$b:1', environment: {A: '$$HOME $${X} $$$$'}, command: ['$$1'], healthcheck: {test: ['CMD-SHELL', 'echo $$?']}, volumes: ['/srv/$$x:/data'],
    })
  })

  test('has its check, or none', () => {
    expect(service({healthcheck: {test: ['CMD', 'x'], interval: '90', startPeriod: '500ms', retries: 3}}).healthcheck).toEqual({test: ['CMD', 'x'], interval: '1m30s', start_period: '500ms', retries: 3})
    expect(service({healthcheck: {disable: true}}).healthcheck).toEqual({disable: true})
  })

  test('has the time it gets to stop, and does not restart where it shall not', () => {
    const {text, model} = compose(web({stopGracePeriod: '10m', restart: 'no'}))
    expect(model.services.web).toMatchObject({stop_grace_period: '600s', restart: 'no'})
    expect(text).toContain('restart: "no"')
  })

  test('waits for the check of what it depends on, where there is one', () => {
    const services = [
      {name: 'web', image: 'w:1', dependsOn: ['db', 'cache', 'off', 'web']},
      {name: 'db', image: 'd:1', healthcheck: {test: 'x'}, dependsOn: ['web']},
      {name: 'cache', image: 'c:1'},
      {name: 'off', image: 'o:1', healthcheck: {test: 'x', disable: true}},
    ]
    const {model} = compose(appWith({services}))
    expect(model.services.web.depends_on).toEqual({db: {condition: 'service_healthy'}, cache: {condition: 'service_started'}, off: {condition: 'service_started'}})
    expect(model.services.db.depends_on).toBeUndefined()
  })

  test('has a name that Compose takes, and answers to its own', () => {
    const services = [{name: 'my svc', image: 'a:1'}, {name: 'db', image: 'b:1', dependsOn: ['my svc']}]
    const {model} = compose(appWith({services}))
    expect(model.services['my-svc'].networks).toEqual({default: {aliases: ['my svc']}})
    expect(Object.keys(model.services.db.depends_on)).toEqual(['my-svc'])
  })
})

test('named volumes carry the name of the project', () => {
  const {model} = compose(web({volumes: ['data:/data', '/anonymous', './here:/there:ro']}))
  expect(model.volumes).toEqual({data: {name: 'moorage-shop-data'}})
  expect(model.services.web.volumes).toEqual(['data:/data', '/anonymous', './here:/there:ro'])
})

test('routes that no mapping leads to are published on loopback, each on its own port, and that is told', () => {
  const services = [
    {name: 'web', image: 'w:1', exposed: true, exposedPort: 80, ports: ['8080:80']},
    {name: 'api', image: 'a:1', exposed: true, routes: [{port: 3000}, {port: 8080}]},
    {name: 'db', image: 'd:1', exposedPort: 5432},
  ]
  const {model, notes} = compose(appWith({services}))
  expect(['web', 'api', 'db'].map((name) => model.services[name].ports)).toEqual([['127.0.0.1:8080:80'], ['127.0.0.1:3000:3000', '127.0.0.1::8080'], undefined])
  expect(notes).toEqual([
    'api: port 3000 is published on 127.0.0.1:3000, as Compose has no routes',
    'api: port 8080 is published on 127.0.0.1, on a port that Docker chooses, as Compose has no routes',
  ])
})

test('files are mounted for reading only, from a folder of their service', () => {
  const definition = web({}, {files: [{service: 'web', path: '/etc/$x/a:b.conf', content: ''}]})
  expect(compose(definition).model.services.web.volumes).toEqual([{type: 'bind', source: './files/web/etc/$$x/a:b.conf', target: '/etc/$$x/a:b.conf', read_only: true}])
})

test('builds share a context and take from the environment what their Dockerfile declares', () => {
  const services = [{name: 'Web', build: {dockerfile: 'FROM x:1\nARG A\nARG NONE'}, environment: {A: '1', B: '2'}}]
  expect(compose(appWith({services})).model.services.Web.build).toEqual({context: './build', dockerfile: 'web/Dockerfile', args: {A: '1'}})
})

test('steps after the start are told, as Compose runs none', () => {
  const prepare = [{service: 'web', command: 'x', capture: 'key'}, {service: 'web', command: 'y', capture: 'z', phase: 'pre-deploy'}]
  expect(compose(web({}, {prepare})).notes).toEqual(['web: Compose does not run the step "key" after the start'])
})

test('what is said at the top stays a comment', () => {
  expect(compose(web({})).text.split('\n').slice(0, 2)).toEqual(['# made by: hand', 'services:'])
})

describe('variables of a Compose file', () => {
  const field = (key: string, service: string, more: object) => ({key, service, label: key, ...more})
  const definition = appWith({
    services: [{name: 'db', image: 'd:1', secretEnv: ['LISTED']}, {name: 'web', image: 'w:1', environment: {DSN: 'db://u:{{config:PW}}@db/$x', PLAIN: '{{config:NAME}}'}}],
    configFields: [
      field('PW', 'db', {generate: 'secret', generateGroup: 'g', secret: true}), field('DB_PW', 'web', {generate: 'secret', generateGroup: 'g'}),
      field('COMPOSE_FILE', 'db', {generate: 'secret'}), field('a.b', 'db', {generate: 'secret'}), field('a_b', 'db', {generate: 'secret'}),
      field('LISTED', 'db', {default: 'x'}), field('NAME', 'web', {default: 'n'}), field('TOKEN', 'web', {generate: 'jwt', jwtRole: 'anon', jwtSecretGroup: 'g'}),
    ],
    settings: [{id: 's', label: 'S', fields: [{key: 'SMTP', service: 'web', label: 'S', type: 'password', secret: true}, {key: 'PW', service: 'db', label: 'P', type: 'password', secret: true}, {key: 'OPEN', service: 'web', label: 'O', type: 'text'}]}],
  })

  test('are there for secrets and for what is made: one for a group, and none that Compose would take for its own', () => {
    expect(composeVariables(definition).map(({name, service, key}) => `${service}.${key}=${name}`)).toEqual([
      'db.PW=PW', 'web.DB_PW=PW', 'db.COMPOSE_FILE=APP_COMPOSE_FILE', 'db.a.b=a_b', 'db.a_b=a_b_2', 'db.LISTED=LISTED', 'web.TOKEN=TOKEN', 'web.SMTP=SMTP',
    ])
  })

  test('stand wherever the value would, and no value is left', () => {
    const {model, text} = compose(definition, true)
    expect(model.services.web.environment).toEqual({DSN: 'db://u:${PW}@db/$$x', PLAIN: 'n', DB_PW: '${PW}', NAME: 'n', TOKEN: '${TOKEN}'})
    expect(text).not.toContain(secretNumber(1))
  })

  test('without them the values are there', () => {
    expect(compose(definition).model.services.web.environment['DSN']).toBe(`db://u:${secretNumber(1)}@db/$$x`)
  })

  test('a text of a definition names no variable', () => {
    expect(toComposeText(`\${A} ${standInFor('B')} ${standInFor('A')}`, new Set(['A']))).toBe(`$\${A} ${standInFor('B')} \${A}`)
  })
})

describe('paths beside a Compose file', () => {
  test.each([['web', 'web'], ['a/b', 'a_b'], ['..', '__'], ['.', '_'], ['', '_'], ['.a', '.a'], ['ü', '_']])('the folder of the service %j is %j', (name, folder) => {
    expect(mountName(name)).toBe(folder)
  })

  test('are different for different services, and lead out of no folder', () => {
    const files = [{service: 'a/b', path: '/etc/x'}, {service: 'a_b', path: '//etc/./x'}, {service: 'A_B', path: '/etc/x'}]
    expect([...mountPaths(files).values()]).toEqual(['files/a_b/etc/x', 'files/a_b-2/etc/x', 'files/A_B-3/etc/x'])
  })

  test('are needed for files and for builds', () => {
    const needs = (definition: AppDefinition) => needsFolder(renderApp(definition, {slug: 's', values: {rows: [], kept: []}, locale: 'en'}))
    expect([web({}), web({files: [{path: '/x', content: ''}]}), appWith({services: [{name: 'w', build: {dockerfile: 'FROM x:1'}}]})].map(needs)).toEqual([false, true, true])
  })
})

describe('the YAML that is written', () => {
  const hard = ['no', 'Yes', 'on', 'null', '~', 'y', '12:30:45', '1_000', '0x1f', '017', '1e3', '2024-01-01', '', ' a ', '<<', '=', '- a', 'a: b', 'a #b', '#', '"', "'", '\\', '\u0085', '\u2028', '\uFEFF', '😀', '\u0000', 'a\nb\n', '{a', '[a', '*a', '&a', '!a', '%a', '@a', '`a', 'a:', ':a', '.inf', '.5']
  const text = fc.oneof(fc.constantFrom(...hard), fc.string({unit: 'binary', maxLength: 200}))
  const {value} = fc.letrec<{value: YamlData; map: YamlMap}>((tie) => ({
    value: fc.oneof({maxDepth: 4}, text, fc.integer(), fc.boolean(), fc.array(tie('value'), {maxLength: 4}), tie('map')),
    map: fc.dictionary(text, tie('value'), {maxKeys: 4}),
  }))

  test.each(['1.1', '1.2'] as const)('is read as what it was, as YAML %s', (version) => {
    fc.assert(
      fc.property(fc.dictionary(text, value, {maxKeys: 5}), (map) => {
        expect(parse(toYaml(map), {version, merge: false, maxAliasCount: 0})).toEqual(map)
      }),
    )
  })

  test('is plain where that is safe', () => {
    expect(toYaml({image: 'postgres:16.2', list: ['a', '1'], empty: {}, none: []})).toBe('image: postgres:16.2\nlist:\n  - a\n  - "1"\nempty: {}\nnone: []\n')
  })
})
