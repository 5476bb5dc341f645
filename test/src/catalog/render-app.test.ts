import {randomBytes} from 'node:crypto'
import fc from 'fast-check'
import {describe, expect, test} from 'vitest'
import type {AppDefinition} from '../../../src/catalog/definition.js'
import {renderApp, type RenderedApp, type RenderOptions} from '../../../src/catalog/render-app.js'
import {resolveValues} from '../../../src/catalog/resolve-values.js'
import {catalogFiles, parseDefinitionFile, sampleFiles} from '../../catalog/sample-definitions.js'
import {appWith, countingBytes, nowMs, secretNumber} from './app-fixture.js'

interface Choices extends Partial<RenderOptions> {
  readonly config?: Record<string, string>
}

function render(definition: AppDefinition, {config = {}, ...options}: Choices = {}): RenderedApp {
  const values = resolveValues(definition, {config, stored: [], madeServices: [], random: countingBytes(), nowMs})
  return renderApp(definition, {slug: 'shop', values, locale: 'en', ...options})
}

const web = (parts: object, more: object = {}) => appWith({services: [{name: 'web', image: 'web:1', ...parts}], ...more})

const environmentOf = (app: RenderedApp, name = 'web') =>
  Object.fromEntries(app.services.find((service) => service.name === name)?.environment.map((variable) => [variable.name, variable.value]) ?? [])

const messages = (app: RenderedApp, rule?: string) => app.warnings.filter((warning) => rule === undefined || warning.rule === rule).map(({message}) => message)

describe('a rendered service', () => {
  test('has its defaults where the definition says nothing', () => {
    expect(render(web({})).services).toEqual([
      {name: 'web', image: 'web:1', build: null, entrypoint: null, command: null, environment: [], ports: [], volumes: [], healthcheck: null, restart: 'unless-stopped', stopGraceSeconds: null, dependsOn: []},
    ])
  })

  test('has its command as words, of which the exact ones win; none is none', () => {
    const command = (parts: object) => render(web(parts)).services[0]
    expect(command({command: `sh -c "a b"`})?.command).toEqual(['sh', '-c', 'a b'])
    expect(command({command: 'x', commandArgv: ['y z'], entrypointArgv: []})).toMatchObject({command: ['y z'], entrypoint: []})
    expect(messages(render(web({command: 'a "b'})), 'command-form')).toHaveLength(1)
  })

  test('publishes ports on loopback unless an interface is named', () => {
    const ports = render(web({ports: ['8080:80', '0.0.0.0:53:53/udp', '9000', '8000-8005:80']}))
    expect(ports.services[0]?.ports).toEqual([
      {hostAddress: '127.0.0.1', hostPort: 8080, containerPort: 80, protocol: 'tcp'},
      {hostAddress: '0.0.0.0', hostPort: 53, containerPort: 53, protocol: 'udp'},
      {hostAddress: '127.0.0.1', hostPort: null, containerPort: 9000, protocol: 'tcp'},
    ])
    expect(messages(ports, 'port-form')).toEqual(['web: the port "8000-8005:80" can not be read and is left out'])
  })

  test('says what of it can not be read', () => {
    expect(messages(render(web({volumes: ['a b:/c'], stopGracePeriod: 'soon'})))).toEqual([
      'web: the volume "a b:/c" can not be read and is left out',
      'web: the stopGracePeriod "soon" can not be read and is left out',
    ])
  })

  test('starts after what it depends on, in a circle too', () => {
    const services = [{name: 'a', image: 'a:1', dependsOn: ['b', 'none']}, {name: 'b', image: 'b:1', dependsOn: ['a']}]
    expect(render(appWith({services})).services.map(({name, dependsOn}) => [name, dependsOn])).toEqual([['b', []], ['a', ['b']]])
  })
})

describe('the environment of a service', () => {
  const pw = {key: 'PW', service: 'web', label: 'PW', generate: 'secret', secret: true}

  test('is its texts, then its values, then its settings, and says what is secret', () => {
    const definition = web({environment: {A: 'a', B: 'b', C: 'c', DSN: 'db://{{config:PW}}'}}, {configFields: [pw, {key: 'B', service: 'web', label: 'B', default: 'field'}]})
    const app = render(definition, {settings: [{service: 'web', key: 'C', value: 'set', isSecret: false}, {service: 'other', key: 'A', value: 'x', isSecret: false}]})
    expect(environmentOf(app)).toEqual({A: 'a', B: 'field', C: 'set', DSN: `db://${secretNumber(1)}`, PW: secretNumber(1)})
    expect(app.services[0]?.environment.filter(({isSecret}) => isSecret).map(({name}) => name)).toEqual(['DSN', 'PW'])
  })

  test('leaves out a key whose address is not known, and says so', () => {
    const app = render(web({environment: {A: '{{publicUrl:web}}', B: 'b'}}))
    expect(environmentOf(app)).toEqual({B: 'b'})
    expect(messages(app)).toEqual(['web: A is left unset: {{publicUrl:web}} names no address'])
  })

  test('says where its address answers on the host only', () => {
    const app = render(web({environment: {A: '{{publicUrl:web}}'}, ports: ['8080:80'], exposedPort: 80}), {host: 'box.example.com'})
    expect(environmentOf(app)).toEqual({A: 'http://box.example.com:8080'})
    expect(messages(app, 'url-loopback')).toEqual(['web: A gets http://box.example.com:8080, and that port is published on 127.0.0.1 only'])
  })

  test('has no loopback address for an origin, though the host is said to be one', () => {
    for (const host of ['localhost', '127.0.0.1', '::1']) {
      expect(environmentOf(render(web({environment: {A: '{{publicUrl:web}}'}, ports: ['8080:80']}), {host}))).toEqual({})
    }
  })

  test('names what stands for nothing', () => {
    expect(messages(render(web({environment: {A: '{{config:NONE}}'}})), 'config-unknown')).toEqual(['web: {{config:NONE}} comes to nothing'])
  })
})

describe('files', () => {
  test('have their values and addresses; an address that is not known is nothing, and told', () => {
    const definition = web({}, {files: [{service: 'web', path: '/etc/a', content: '{{config:PW}} {{publicUrl:web}}|{{ .Go }}'}], configFields: [{key: 'PW', service: 'web', label: 'PW', generate: 'secret', secret: true}]})
    const app = render(definition)
    expect(app.files).toEqual([{service: 'web', path: '/etc/a', content: `${secretNumber(1)} |{{ .Go }}`, isSecret: true}])
    expect(messages(app)).toEqual(['web: the file /etc/a gets nothing for {{publicUrl:web}}, which names no address'])
  })

  test.each([['/etc/a', '/etc/a'], ['/etc/a', '/etc//./a'], ['/etc/a', '/etc/a/b']])('at %s and %s are refused', (one, two) => {
    const files = [one, two].map((path) => ({service: 'web', path, content: ''}))
    expect(() => render(web({}, {files}))).toThrow(expect.objectContaining({code: 'DEFINITION_INVALID'}))
  })
})

describe('services whose names lead to one host', () => {
  test.each([['web', 'web'], ['web_api', 'Web API']])('%s and %s are refused', (one, two) => {
    expect(() => render(appWith({services: [{name: one, image: 'a:1'}, {name: two, image: 'b:1'}]}))).toThrow(expect.objectContaining({code: 'DEFINITION_INVALID'}))
  })
})

describe('routes', () => {
  test('are those of exposed services, each with its label and its address', () => {
    const services = [
      {name: 'web', image: 'web:1', exposed: true, exposedPort: 80, routes: [{port: 9000, slugSuffix: 's3'}]},
      {name: 'db', image: 'db:1', exposedPort: 5432},
    ]
    expect(render(appWith({services}), {urls: [{service: 'web', port: null, url: 'https://x.example.com'}]}).routes).toEqual([
      {service: 'web', port: 9000, label: 'shop-s3', url: null},
      {service: 'web', port: 80, label: 'shop', url: 'https://x.example.com'},
    ])
  })
})

describe('what else there is to an app', () => {
  test('the connection card, in the language asked for', () => {
    const connection = {
      title: 'Connect', guide: {intro: {en: 'Hello', de: 'Hallo'}}, firstLogin: {username: 'admin'},
      outputs: [{id: 'pw', label: 'Password', source: 'env:web:PW', secret: true}, {id: 'url', label: 'URL', source: 'publicUrl:web'}],
    }
    const app = render(web({}, {connection, configFields: [{key: 'PW', service: 'web', label: 'PW', generate: 'secret'}]}), {locale: 'de'})
    expect(app.connection).toMatchObject({title: 'Connect', guide: {intro: 'Hallo'}, firstLogin: {username: 'admin'}, outputs: [{value: secretNumber(1), secret: true}, {value: ''}]})
  })

  test('the steps after the start, and the connections it needs', () => {
    const prepare = [{service: 'web', command: 'init', capture: 'key', title: {en: 'Init', de: 'Anfang'}}, {service: 'web', command: 'x', capture: 'plain', phase: 'post-ready'}]
    const requires = [{id: 'db', label: {en: 'Database'}, envKey: 'DATABASE_URL'}, {id: 'c', label: 'Cache', envKey: 'CACHE_URL', optional: true}]
    const app = render(web({}, {prepare, requires}), {locale: 'de'})
    expect(app.prepare).toEqual([
      {service: 'web', command: 'init', phase: 'post-start', title: 'Anfang'},
      {service: 'web', command: 'x', phase: 'post-ready', title: 'plain'},
    ])
    expect(messages(app)).toEqual(['needs a connection to another project: Database (DATABASE_URL)', 'may take a connection to another project: Cache (CACHE_URL)'])
  })

  test('values that an earlier install left in a way that must not be touched', () => {
    const definition = web({}, {configFields: [{key: 'PW', service: 'web', label: 'PW', generate: 'secret'}]})
    const values = resolveValues(definition, {config: {}, stored: [{service: 'web', key: 'PW', value: null}], madeServices: [], random: countingBytes(), nowMs})
    expect(messages(renderApp(definition, {slug: 'shop', values, locale: 'en'}))).toEqual(['web: PW is left alone, as what is stored can not be read'])
  })

  test('an app of the kind flow renders to no service', () => {
    expect(render(appWith({kind: 'flow', flowHref: '/new'}))).toMatchObject({services: [], routes: [], connection: null, warnings: []})
  })
})

test('no placeholder for a value is left in anything that is rendered, whatever the texts around it', () => {
  const token = fc.constantFrom('{{config:PW}}', '{{ config:NAME }}', '{{config:NONE}}', '{{publicUrl:web}}', '{{publicUrl:api:80}}')
  const text = fc.array(fc.oneof(token, fc.string().filter((piece) => !/[{}]/.test(piece)))).map((pieces) => pieces.join(''))
  const definitionFrom = ([a, b, c, d]: string[]) =>
    appWith({
      services: [{name: 'web', image: 'web:1', environment: {A: a}, secretEnv: ['A']}, {name: 'api', build: {dockerfile: `FROM x:1\n${b}`, files: [{path: 'f', content: c}]}}],
      files: [{service: 'web', path: '/f', content: d}],
      configFields: [{key: 'PW', service: 'web', label: 'PW', generate: 'secret'}, {key: 'NAME', service: 'web', label: 'Name', default: 'n'}],
    })
  fc.assert(
    fc.property(fc.array(text, {minLength: 4, maxLength: 4}), (texts) => {
      const {warnings: _, ...app} = render(definitionFrom(texts))
      expect(JSON.stringify(app)).not.toMatch(/\{\{\s*config/)
      expect(JSON.stringify({...app, services: app.services.filter(({build}) => build === null)})).not.toContain('{{publicUrl')
    }),
  )
})

const files = [...catalogFiles(), ...sampleFiles()]

describe.each(files)('$name', (file) => {
  const definition = parseDefinitionFile(file)
  const required = (definition.configFields ?? []).filter((field) => field.required === true && field.generate === undefined)
  const config = Object.fromEntries(required.map(({key, default: preset}) => [key, preset ?? 'given']))

  test('renders, with no placeholder of ours left and nothing that can not be read', () => {
    const values = resolveValues(definition, {config, stored: [], madeServices: [], random: randomBytes, nowMs})
    const urls = (definition.services ?? []).map(({name}) => ({service: name, port: null, url: `https://${definition.id}.example.com`}))
    const app = renderApp(definition, {slug: definition.id, values, locale: 'en', urls, host: 'box.example.com'})
    const {warnings, ...rest} = app
    expect(values.missing).toEqual([])
    expect(JSON.stringify(rest)).not.toMatch(/\{\{\s*(?:config|publicUrl|env|host)\b/)
    expect(warnings.filter(({rule}) => !['connection-needed', 'url-loopback'].includes(rule))).toEqual([])
    expect(app.services).toHaveLength(definition.services?.length ?? 0)
  })
})
