import {describe, expect, test} from 'vitest'
import {exampleApp} from '../../../../src/catalog/lint/examples.js'
import {lintDefinition} from '../../../../src/catalog/lint/lint-definition.js'

/** What is said about a definition with these parts: rule and pointer of each finding. */
function said(parts: object): string[] {
  return lintDefinition(JSON.stringify({...exampleApp, ...parts}, null, 2), {engine: '1.0.0'}).findings.map(({rule, path}) => `${rule} ${path}`)
}

const web = {name: 'web', image: 'nginx:1.27.3'}
const service = (more: object): object => ({services: [{...web, ...more}]})
const environment = (entries: object, more: object = {}): object => service({environment: entries, ...more})

describe('images', () => {
  test.each([
    ['nginx', 'image-unpinned'], ['nginx:latest', 'image-unpinned'], ['ghcr.io/a/b:edge', 'image-unpinned'], ['localhost:5000/a', 'image-unpinned'], ['a/b:latest-alpine', 'image-unpinned'],
    ['postgres:16', 'image-major-only'], ['postgres:16-alpine', 'image-major-only'], ['a:v2', 'image-major-only'],
    ['nginx:1.27.3', ''], ['nginx:latest@sha256:' + 'a'.repeat(64), ''], ['registry.example.com:5000/a/b_c/d:v1.2', ''], ['a:2024.12', ''], ['a:19431ea0dd90bc55ae58dbbd06d9aa045f97336f', ''], ['a:RELEASE.2025-01-01', ''], ['a:16-3.4', ''],
    ['a:20250101', ''],
    ['Nginx:1.2', 'image-form'], ['nginx:1.2 ', 'image-form'], ['https://ghcr.io/a/b:1.2', 'image-form'], ['a:${TAG}', 'image-form'], ['a@sha256:123', 'image-form'], ['/a:1.2', 'image-form'], ['a//b:1.2', 'image-form'],
  ])('%s: %s', (image, rule) => {
    expect(said(service({image}))).toEqual(rule === '' ? [] : [`${rule} /services/0/image`])
  })
})

describe('ports', () => {
  const exposed = {exposed: true, exposedPort: 80}
  test.each([['80'], ['8080:80'], ['127.0.0.1:8080:80'], ['0.0.0.0:8080:80/tcp'], ['[::1]:8080:80'], ['8053:80/udp']])('%s is a mapping', (port) => {
    expect(said(service({...exposed, ports: [port]}))).toEqual([])
  })

  test.each([['8080:'], ['a:80'], ['8080:80/sctp'], ['70000:80'], ['0:80'], ['8080-8081:80-81'], ['1.2.3.4:80:80:80'], ['']])('%j is none', (port) => {
    expect(said(service({...exposed, ports: [port]}))).toEqual(['port-syntax /services/0/ports/0'])
  })

  test('one host port is taken once for each address and protocol', () => {
    const two = (a: string, b: string): string[] => said({services: [{...web, ...exposed, ports: [a]}, {...web, name: 'b', ...exposed, ports: [b]}]})
    expect(two('8080:80', '8080:80')).toEqual(['host-port-twice /services/1/ports/0'])
    expect(two('127.0.0.1:8080:80', '8080:80')).toEqual(['host-port-twice /services/1/ports/0'])
    expect(two('0.0.0.0:8080:80', '10.0.0.1:8080:80')).toEqual(['host-port-twice /services/1/ports/0'])
    expect(two('10.0.0.2:8080:80', '10.0.0.1:8080:80')).toEqual([])
    expect(two('8080:80', '8080:80/udp')).toEqual([])
    expect(two('80', '80')).toEqual([])
  })

  test('routes and endpoints are ports, too', () => {
    expect(said(service({exposed: true, routes: [{port: 0}, {port: 80.5}]}))).toEqual(['port-number /services/0/routes/0/port', 'port-number /services/0/routes/1/port'])
    expect(said({...service(exposed), endpoints: [{service: 'web', port: 65_536, label: 'x', kind: 'tcp'}]})).toEqual(['port-number /endpoints/0/port', 'endpoint-port-unserved /endpoints/0/port'])
  })
})

describe('volumes', () => {
  test.each([
    ['data:/var/lib/x', ''], ['data:/var/lib/x:ro', ''], ['data.v1_a-b:/x', ''],
    ['./data:/x', 'volume-bind'], ['/srv/data:/x', 'volume-bind'], ['~/data:/x:ro', 'volume-bind'], ['a/b:/x', 'volume-bind'], ['/x', 'volume-anonymous'],
    ['data', 'volume-syntax'], ['data:x', 'volume-syntax'], ['', 'volume-syntax'], ['da ta:/x', 'volume-syntax'],
  ])('%j: %s', (volume, rule) => {
    expect(said(service({volumes: [volume]}))).toEqual(rule === '' ? [] : [`${rule} /services/0/volumes/0`])
  })
})

describe('health checks', () => {
  test.each<[unknown, string[]]>([
    [{test: 'curl -f http://127.0.0.1/'}, []],
    [{test: ['CMD', 'curl', '-f', 'x']}, []],
    [{test: ['NONE']}, []],
    [{disable: true}, []],
    [{interval: '30s'}, []],
    [{test: ['curl', '-f', 'x']}, ['healthcheck-test /services/0/healthcheck/test']],
    [{test: ['CMD']}, ['healthcheck-test /services/0/healthcheck/test']],
    [{test: ['CMD-SHELL', 'curl', 'x']}, ['healthcheck-test /services/0/healthcheck/test']],
    [{test: ['NONE', 'x']}, ['healthcheck-test /services/0/healthcheck/test']],
    [{test: []}, ['healthcheck-test /services/0/healthcheck/test']],
    [{disable: true, interval: '5s'}, ['healthcheck-disabled /services/0/healthcheck/disable']],
  ])('%j', (healthcheck, expected) => {
    expect(said(service({healthcheck}))).toEqual(expected)
  })

  test.each(['500ms', '30s', '1m30s', '1.5h', '90', '0', '100us'])('%s is a duration', (interval) => {
    expect(said(service({healthcheck: {interval}}))).toEqual([])
  })

  test.each(['', '1 m', '10 seconds', 's', '-5s', '1d', '5S'])('%j is none', (interval) => {
    expect(said(service({healthcheck: {interval}}))).toEqual(['duration-form /services/0/healthcheck/interval'])
  })
})

describe('placeholders', () => {
  const exposed = {exposed: true, exposedPort: 80, ports: ['8080:80']}
  test.each([
    ['{{publicUrl:web}}', []],
    ['{{publicUrl:web:80}}', []],
    ['{{publicUrl:web:8080}}', []],
    ['{{publicUrl:web:81}}', ['publicurl-ref-unknown']],
    ['{{publicUrl:wbe}}', ['publicurl-ref-unknown']],
    ['{{config:NONE}}', ['config-ref-unknown']],
    ['{{env:web:A}}', ['placeholder-misplaced']],
    ['{{host}}', ['placeholder-misplaced']],
    ['{{config:A', ['placeholder-form']],
    ['{{config:{{host}}}}', ['placeholder-form', 'placeholder-misplaced']],
    ['{{secret:A}}', ['placeholder-form']],
    ['{{ $json.body }}', []],
    ['{{.Values.x}}', []],
    ['{{ env.HOME }}', []],
    ['${A:-b}', []],
  ])('%s in the environment: %j', (text, rules) => {
    expect(said(environment({A: text}, exposed))).toEqual(rules.map((rule) => `${rule} /services/0/environment/A`))
  })

  test('are not resolved in commands, images and the like', () => {
    const field = {key: 'K', service: 'web', label: 'K', generate: 'secret', secret: true}
    expect(said({...service({commandArgv: ['serve', '{{config:K}}'], volumes: ['data-{{config:K}}:/x']}), minEngine: '1.0.0', configFields: [field]})).toEqual([
      'placeholder-misplaced /services/0/commandArgv/1', 'volume-syntax /services/0/volumes/0', 'placeholder-misplaced /services/0/volumes/0',
    ])
  })

  test('of addresses are not resolved in builds', () => {
    expect(said({services: [{name: 'web', exposed: true, exposedPort: 80, build: {dockerfile: 'FROM alpine:3.20\nENV A={{publicUrl:web}}\n'}}]})).toEqual(['placeholder-misplaced /services/0/build/dockerfile'])
  })

  test('a service without any port has no address', () => {
    expect(said(environment({A: '{{publicUrl:web}}'}))).toEqual(['publicurl-ref-unknown /services/0/environment/A'])
    expect(said({...service({}), connection: {outputs: [{id: 'a', label: 'a', source: 'publicUrl:web'}]}})).toEqual(['publicurl-ref-unknown /connection/outputs/0/source'])
  })
})

describe('secrets', () => {
  test.each([
    ['DB_PASSWORD', 'hunter2', true], ['API_KEY', 'abc', true], ['JWT_SECRET', 'x', true], ['database__password', 'x', true], ['SECRET_KEY_BASE', 'abcdef', true], ['ADMIN_TOKEN', '12345678', true],
    ['DB_PASSWORD', '', false], ['DB_PASSWORD', '{{config:X}}', false], ['DB_PASSWORD', 'true', false], ['DB_PASSWORD_FILE', '/run/x', false], ['PASSWORD', '/run/secrets/x', false], ['MYSQL_ALLOW_EMPTY_PASSWORD', 'yes', false],
    ['PASSWORD_MIN_LENGTH', '8', false], ['DISABLE_TOKEN', 'abc', false], ['TOKEN', '${TOKEN}', false], ['AUTH_TOKEN', 'https://example.com/token', false], ['KEYBOARD', 'de', false], ['COMPASS', 'north', false],
    ['DB_URL', 'postgres://app:secret@db/app', true], ['DB_URL', 'postgres://app:{{config:X}}@db/app', false], ['DB_URL', 'postgres://db:5432/app', false], ['ANY', 'ghp_abcdefghijklmnop1234', true], ['ANY', 'AKIAABCDEFGHIJKLMNOP', true],
  ])('%s=%s: %s', (key, value, isSecret) => {
    const field = {key: 'X', service: 'web', label: 'X', generate: 'secret', secret: false}
    const found = said({...environment({[key]: value}), configFields: [field]}).filter((finding) => finding.startsWith('secret-in-plain'))
    expect(found).toEqual(isSecret ? [`secret-in-plain /services/0/environment/${key}`] : [])
  })

  test('a key of secretEnv with a literal is the same for everyone', () => {
    expect(said(environment({LICENCE: 'abc-def'}, {secretEnv: ['LICENCE']}))).toEqual(['secret-in-plain /services/0/environment/LICENCE'])
  })

  test('a password has no default', () => {
    expect(said({configFields: [{key: 'A', service: 'web', label: 'A', secret: true, default: 'changeme'}]})).toEqual(['config-human-input /configFields/0', 'secret-in-plain /configFields/0/default'])
    expect(said({settings: [{id: 'a', label: 'a', fields: [{key: 'A', service: 'web', label: 'A', type: 'password', secret: true, default: 'changeme'}]}]})).toEqual(['secret-in-plain /settings/0/fields/0/default'])
  })

  test('a private key in a file is everyone’s', () => {
    expect(said({files: [{service: 'web', path: '/a', content: '-----BEGIN RSA PRIVATE KEY-----\nx'}]})).toEqual(['secret-in-plain /files/0/content'])
  })

  test('a value that comes from a setting or a prepare step is no mystery', () => {
    const secretEnv = service({secretEnv: ['A', 'B', 'C', 'D']})
    expect(said({
      ...secretEnv,
      configFields: [{key: 'A', service: 'web', label: 'A', generate: 'secret', secret: true}],
      settings: [{id: 'a', label: 'a', fields: [{key: 'B', service: 'web', label: 'B', type: 'password', secret: true}]}],
      prepare: [{service: 'web', command: 'x', capture: 'c', once: true, persistAs: {key: 'C', secret: true}}],
    })).toEqual(['secretenv-unknown /services/0/secretEnv/3'])
  })
})

describe('dependencies', () => {
  const chain = (dependencies: Record<string, string[]>): string[] => said({services: Object.entries(dependencies).map(([name, dependsOn]) => ({name, image: 'a:1.2', dependsOn}))})

  test('cycles are told once each, with the way round', () => {
    expect(chain({a: ['b'], b: ['c'], c: []})).toEqual([])
    expect(chain({a: ['a']})).toEqual(['depends-cycle /services/0/dependsOn/0'])
    expect(chain({a: ['b'], b: ['c'], c: ['x', 'a'], x: []})).toEqual(['depends-cycle /services/2/dependsOn/1'])
    expect(chain({a: ['b', 'c'], b: ['a'], c: ['a']})).toEqual(['depends-cycle /services/1/dependsOn/0', 'depends-cycle /services/2/dependsOn/0'])
    const [finding] = lintDefinition(JSON.stringify({...exampleApp, services: [{name: 'a', image: 'a:1.2', dependsOn: ['b']}, {name: 'b', image: 'a:1.2', dependsOn: ['a']}]})).findings
    expect(finding?.message).toBe('this closes a cycle: a → b → a')
  })
})

describe('settings', () => {
  const setting = (field: object): string[] => said({settings: [{id: 'a', label: 'a', fields: [{key: 'K', service: 'web', label: 'K', ...field}]}], services: [{...web, environment: 'default' in field ? {K: field.default} : {}}]})
  const options = [{value: 'a', label: 'A'}, {value: 'b', label: 'B'}]
  test.each([
    [{type: 'number', default: '5', min: 1, max: 9, integer: true}, []],
    [{type: 'number', default: '5.5', integer: true}, ['setting-default-invalid']],
    [{type: 'number', default: '0', min: 1}, ['setting-default-invalid']],
    [{type: 'number', default: '10', max: 9}, ['setting-default-invalid']],
    [{type: 'number', default: 'five'}, ['setting-default-invalid']],
    [{type: 'boolean', default: 'yes'}, ['setting-default-invalid']],
    [{type: 'boolean', default: 'yes', trueValue: 'yes', falseValue: 'no'}, []],
    [{type: 'radio', default: 'c', options}, ['setting-default-invalid']],
    [{type: 'multiselect', default: 'a, b', options}, []],
    [{type: 'multiselect', default: 'a;c', options, separator: ';'}, ['setting-default-invalid']],
    [{type: 'text', default: 'x y', pattern: '^[a-z]+$'}, ['setting-default-invalid']],
    [{type: 'text', default: ''}, []],
    [{type: 'text', options}, ['setting-key-ignored']],
    [{type: 'text', min: 1}, ['number-bounds']],
    [{type: 'number', step: 0}, ['number-bounds']],
    [{type: 'number', pattern: '^\\d+$'}, ['setting-key-ignored']],
    [{type: 'text', pattern: '^a$|^b$'}, []],
    [{type: 'text', pattern: 'a\\$'}, ['pattern-unanchored']],
    [{type: 'text', pattern: '('}, ['bad-pattern']],
  ])('%j: %j', (field, rules) => {
    expect(setting(field).map((finding) => finding.split(' ')[0])).toEqual(rules)
  })
})

describe('outputs', () => {
  const secret = {key: 'KEY', service: 'web', label: 'K', generate: 'secret', secret: true}
  const output = (more: object): string[] => said({configFields: [secret], connection: {outputs: [{id: 'a', label: 'A', service: 'web', ...more}]}})
  test.each([
    [{source: 'env:web:KEY', secret: true}, []],
    [{source: 'env:web:KEY'}, ['output-secret-unmasked']],
    [{source: 'template:{{env:web:KEY}}'}, ['output-secret-unmasked']],
    [{source: 'template:{{config:KEY}}'}, ['output-secret-unmasked']],
    [{source: 'template:x', variants: [{id: 'b', label: 'B', source: 'env:web:KEY'}]}, ['output-secret-unmasked']],
    [{source: 'template:{{env:wbe:KEY}}', secret: true}, ['output-env-unknown']],
    [{source: 'template:{{env:web:KY}}', secret: true}, ['output-env-unknown']],
    [{source: 'template:{{ x }}', secret: true}, ['placeholder-form']],
    [{source: 'template:{{config:KY}}'}, ['config-ref-unknown']],
    [{source: 'template:http://{{host}}:80'}, []],
  ])('%j: %j', (more, rules) => {
    expect(output(more).map((finding) => finding.split(' ')[0])).toEqual(rules)
  })
})

describe('texts in several languages', () => {
  test('need English, wherever they stand', () => {
    const text = {de: 'x'}
    const parts = {
      connection: {
        outputs: [{id: 'a', label: 'a', source: 'template:x', service: 'web', sourceLabel: text, variants: [{id: 'b', label: text, source: 'template:y'}]}],
        guide: {intro: text, useHint: text}, firstLogin: {username: text, password: text, note: {}},
      },
      prepare: [{service: 'web', command: 'x', capture: 'c', once: true, persistAs: {key: 'C', secret: true}, title: text, description: text}],
      requires: [{id: 'r', label: text, envKey: 'R'}],
    }
    expect(said(parts)).toHaveLength(10)
    expect(new Set(said(parts).map((finding) => finding.split(' ')[0]))).toEqual(new Set(['localized-fallback']))
    expect(said({connection: {outputs: [], firstLogin: {note: {en: 'x', 'pt-BR': 'y', 'zh-Hant-TW': 'z', de_DE: 'a'}}}})).toEqual(['localized-locale /connection/firstLogin/note/de_DE'])
  })
})

describe('inline builds', () => {
  const built = (dockerfile: string, files: string[], name = 'web'): string[] => said({services: [{name, build: {dockerfile, files: files.map((path) => ({path, content: 'x'}))}}]}).map((finding) => finding.split(' ')[0] ?? '')
  test.each<[string, string[], string[]]>([
    ['FROM a:1\nCOPY web/a /a\n', ['a'], []],
    ['FROM a:1\nCOPY web/ /app/\n', ['a', 'b/c'], []],
    ['FROM a:1\nCOPY web /app\n', ['a'], []],
    ['FROM a:1\nCOPY . /app\n', ['a'], []],
    ['FROM a:1\ncopy --chown=1:1 ./web/*.sh /app/\n', ['a.sh'], []],
    ['FROM a:1\nADD ["web/a", "/a"]\n', ['a'], []],
    ['FROM a:1\nCOPY web/a \\\n  web/b /x/\n', ['a', 'b'], []],
    ['FROM a:1 AS x\nFROM b:1\nCOPY --from=x /y /z\nCOPY web/a /a\n', ['a'], []],
    ['FROM a:1\nCOPY <<EOF /x\nCOPY b /b\nEOF\nCOPY web/a /a\n', ['a'], []],
    ['FROM a:1\nADD https://example.com/x /x\n', [], []],
    ['FROM a:1\nCOPY a /a\n', ['a'], ['build-copy-prefix', 'build-file-unused']],
    ['FROM a:1\nCOPY web/b /b\n', ['a'], ['build-file-unused']],
    ['FROM a:1\nRUN --mount=type=bind,source=web,target=/src cp /src/a /a\n', ['a'], []],
    ['COPY web/a /a\n', ['a'], ['dockerfile-form']],
  ])('%j with %j: %j', (dockerfile, files, rules) => {
    expect(built(dockerfile, files)).toEqual(rules)
  })

  test('the folder is the name of the service as the build spells it', () => {
    expect(built('FROM a:1\nCOPY my-app.v1/a /a\n', ['a'], 'My App.v1')).toEqual(['service-name'])
  })
})

describe('newer keys', () => {
  test.each([
    [{commandArgv: []}, '0.6.6'], [{stopGracePeriod: '1s'}, '0.6.6'], [{entrypointArgv: []}, '0.9.2'], [{files: []}, '1.0.0'], [{resources: {}}, '1.0.0'],
  ])('%j needs %s', (more, since) => {
    const key = Object.keys(more)[0] ?? ''
    expect(said(service(more))).toEqual([`min-engine-missing /services/0/${key}`])
    expect(said({...service(more), minEngine: '0.6.5'})).toEqual([`min-engine-missing /services/0/${key}`])
    expect(said({...service(more), minEngine: since})).toEqual([])
    expect(said({...service(more), minEngine: `v${since}-rc.1`})).toEqual([])
  })
})

describe('keys of Compose', () => {
  test.each<[object, string[]]>([
    [{depends_on: ['db']}, ['unknown-key dependsOn']],
    [{env: {}}, ['unknown-key environment']],
    [{healthCheck: {}}, ['unknown-key healthcheck']],
    [{secret_env: []}, ['unknown-key secretEnv']],
    [{exposePort: 80}, ['unknown-key exposedPort']],
    [{entrypoint: 'x'}, ['unknown-key entrypointArgv']],
    [{stop_grace_period: '1m'}, ['unknown-key stopGracePeriod']],
    [{deploy: {}}, ['compose-key -']],
    [{privileged: true}, ['compose-key -']],
    [{capAdd: []}, ['compose-key -']],
    [{gpu: 1}, ['compose-key -']],
    [{networkMode: 'host'}, ['compose-key -']],
    [{shmSize: '1g'}, ['compose-key -']],
    [{workingDir: '/'}, ['compose-key -']],
    [{minEngine: '1.0.0'}, ['unknown-key -']],
  ])('%j', (more, expected) => {
    const {findings} = lintDefinition(JSON.stringify({...exampleApp, services: [{...web, ...more}]}))
    expect(findings.map(({rule, suggestion = '-'}) => `${rule} ${suggestion}`)).toEqual(expected)
  })

  test('in a build and at the top say what to do instead', () => {
    const {findings} = lintDefinition(JSON.stringify({...exampleApp, services: [{name: 'web', build: {context: '.', dockerfile: 'FROM a:1\n', args: {}}}], volumes: {}, min_engine: '1.0.0', configfields: []}))
    expect(findings.map(({rule, path, message}) => [rule, path, message.split('; ')[1]])).toEqual([
      ['compose-key', '/services/0/build/context', 'a definition brings its own context: write the files into build.files and COPY them from <service-name>/'],
      ['compose-key', '/services/0/build/args', 'every value of the environment is a build argument already: declare it with ARG in the Dockerfile'],
      ['compose-key', '/volumes', 'a volume is made by naming it in the volumes of a service'],
      ['unknown-key', '/min_engine', 'did you mean minEngine?'],
      ['unknown-key', '/configfields', 'did you mean configFields?'],
    ])
  })

  test('that belong elsewhere are sent there', () => {
    const {findings} = lintDefinition(JSON.stringify({...exampleApp, dependsOn: [], services: [{...web, flowHref: '/x'}]}))
    expect(findings.map(({message}) => message.split('; ')[1])).toEqual(['it belongs to the top of the definition', 'it belongs in a service'])
  })
})
