import {describe, expect, test} from 'vitest'
import {importService, importText} from './import-text.js'

describe('ports', () => {
  test.each([
    [['8080:80'], ['8080:80'], 80],
    [[8080], ['8080'], 8080],
    [['127.0.0.1:8080:80/tcp'], ['127.0.0.1:8080:80/tcp'], 80],
    [['[::1]:8080:80'], ['[::1]:8080:80'], 80],
    [['9000-9002:8000-8002'], ['9000:8000', '9001:8001', '9002:8002'], 8000],
    [['3000-3001'], ['3000', '3001'], 3000],
    [[{target: 80, published: '8080', host_ip: '0.0.0.0', protocol: 'tcp', mode: 'host'}], ['0.0.0.0:8080:80'], 80],
    [[{target: 80, published: 8080, host_ip: '::1'}], ['[::1]:8080:80'], 80],
    [[{target: 53, published: 53, protocol: 'udp'}], ['53:53/udp'], undefined],
    [['${PORT:-8080}:80'], ['8080:80'], 80],
    [['${PORT}:80'], ['80'], 80],
    [['5432:5432'], ['5432:5432'], undefined],
    [['2222:22', '3000:3000'], ['2222:22', '3000:3000'], 3000],
  ])('%j become %j', (ports, expected, exposedPort) => {
    const {web} = importService({ports})
    expect(web.ports).toEqual(expected)
    expect(web.exposedPort).toBe(exposedPort)
    expect(web.exposed).toBe(exposedPort === undefined ? undefined : true)
  })

  test('several for browsers become routes, each with a host name of its own', () => {
    expect(importService({ports: ['3000:3000', '9001:9001']}).web.routes).toEqual([{port: 3000}, {port: 9001, slugSuffix: '9001'}])
  })

  test('those that no browser opens become endpoints', () => {
    const {definition} = importService({ports: ['3000:3000', '2222:22']})
    expect(definition.endpoints).toMatchObject([{port: 3000, kind: 'http'}, {port: 22, kind: 'tcp', defaultMode: 'publish'}])
    expect(importService({ports: ['3000:3000']}).definition.endpoints).toBeUndefined()
  })

  test('one that a proxy is told by a label counts', () => {
    expect(importService({labels: {'traefik.http.services.web.loadbalancer.server.port': 3000}}).web).toMatchObject({exposed: true, exposedPort: 3000})
    expect(importService({labels: ['traefik.enable=true'], expose: [4000]}).web).toMatchObject({exposed: true, exposedPort: 4000})
  })

  test.each([['a:b'], ['80:80/sctp'], ['1-9999:1-9999'], ['70000:80']])('%s is told as lost', (port) => {
    const {web, lost} = importService({ports: [port]})
    expect(web.ports).toBeUndefined()
    expect(lost).toContain('ports')
  })

  test('of several services for browsers are told, as most are for each other', () => {
    const web = {image: 'nginx:1.29.0', ports: ['80']}
    expect(importText({services: {web, api: web}}).notes).toContainEqual(expect.objectContaining({level: 'check', key: 'ports', why: 'web, api are open to browsers'}))
  })

  test('no port for a browser at all is told', () => {
    expect(importService({}).notes).toContainEqual(expect.objectContaining({key: 'ports', level: 'check'}))
  })
})

describe('volumes', () => {
  const file = {'nginx.conf': 'events {}\n', 'init/1.sql': 'select 1;', 'init/2.sql': 'select 2;'}

  test.each([
    ['data:/data', ['data:/data']],
    ['data:/data:ro', ['data:/data:ro']],
    ['/data', ['web_data:/data']],
    [{type: 'volume', source: 'data', target: '/data', read_only: true}, ['data:/data:ro']],
    ['./state:/var/lib/app', ['web_app:/var/lib/app']],
    ['~/state:/var/lib/app', ['web_app:/var/lib/app']],
    ['/srv/app:/var/lib/app', ['web_app:/var/lib/app']],
    [{type: 'bind', source: './state', target: '/var/lib/app'}, ['web_app:/var/lib/app']],
  ])('%j becomes %j', (volume, expected) => {
    expect(importService({volumes: [volume]}, {files: file}).web.volumes).toEqual(expected)
  })

  test('a file beside the Compose file is carried, and said to be read-only where it was not', () => {
    const {definition, notes} = importService({volumes: ['./nginx.conf:/etc/nginx/nginx.conf:ro']}, {files: file})
    expect(definition.files).toEqual([{service: 'web', path: '/etc/nginx/nginx.conf', content: 'events {}\n'}])
    expect(notes).toContainEqual(expect.objectContaining({level: 'changed', key: 'volumes'}))
    expect(importService({volumes: ['./nginx.conf:/etc/nginx/nginx.conf']}, {files: file}).notes).toContainEqual(expect.objectContaining({level: 'check', key: 'volumes'}))
  })

  test('a folder of configuration is carried file by file; one of data becomes a volume', () => {
    expect(importService({volumes: ['./init:/docker-entrypoint-initdb.d']}, {files: file}).definition.files?.map(({path}) => path)).toEqual([
      '/docker-entrypoint-initdb.d/1.sql', '/docker-entrypoint-initdb.d/2.sql',
    ])
    expect(importService({volumes: ['./init:/var/lib/app']}, {files: file}).web.volumes).toEqual(['web_app:/var/lib/app'])
  })

  test.each([
    ['/var/run/docker.sock:/var/run/docker.sock', /engine/],
    ['/etc/localtime:/etc/localtime:ro', /clock/],
    ['../secret.conf:/etc/app.conf', /outside/],
    ['./missing.conf:/etc/app.conf', /no such file/],
    ['./nginx.conf:relative', /absolute/],
    ['data:/a/../b', /absolute/],
    [{type: 'tmpfs', target: '/tmp'}, /tmpfs/],
  ])('%j is told as lost', (volume, why) => {
    const {web, definition, notes} = importService({volumes: [volume]}, {files: file})
    expect([web.volumes, definition.files]).toEqual([undefined, undefined])
    expect(notes).toContainEqual(expect.objectContaining({level: 'lost', key: 'volumes', why: expect.stringMatching(why)}))
  })

  test('what would make the definition too large is not carried', () => {
    const large = {'large.txt': 'x'.repeat(500_000)}
    expect(importService({volumes: ['./large.txt:/etc/large.txt:ro']}, {files: large}).lost).toContain('volumes')
  })
})

describe('configs and secrets', () => {
  const compose = {
    services: {
      web: {image: 'nginx:1.29.0', ports: ['80:80'], configs: ['motd', {source: 'main', target: '/etc/main.conf'}], secrets: ['db_password', {source: 'api', target: 'api.txt'}], environment: {POSTGRES_PASSWORD_FILE: '/run/secrets/db_password'}},
      db: {image: 'postgres:17.5', secrets: ['db_password'], environment: {POSTGRES_PASSWORD_FILE: '/run/secrets/db_password'}},
    },
    configs: {motd: {content: 'hello ${NAME:-you}\npassword=${API}\n'}, main: {file: './main.conf'}},
    secrets: {db_password: {file: './db_password.txt'}, api: {environment: 'API'}},
  }
  const {definition, notes} = importText(compose, {files: {'main.conf': 'a $$b {{x}}'}})

  test('a config becomes a file, its variables resolved where they stand in the Compose file and left where they stand in a file', () => {
    expect(definition.files).toEqual(expect.arrayContaining([
      {service: 'web', path: '/motd', content: 'hello you\npassword={{config:API}}\n'},
      {service: 'web', path: '/etc/main.conf', content: 'a $$b {{x}}'},
    ]))
  })

  test('a secret that a variable names as a file becomes the value of that variable, the same for every service', () => {
    expect(definition.configFields).toContainEqual(expect.objectContaining({key: 'POSTGRES_PASSWORD', service: 'web', generate: 'secret', secret: true}))
    expect(definition.services?.map(({environment}) => environment?.['POSTGRES_PASSWORD'])).toEqual([undefined, '{{config:POSTGRES_PASSWORD}}'])
    expect(JSON.stringify(definition)).not.toContain('POSTGRES_PASSWORD_FILE')
  })

  test('any other secret is a file with a generated value', () => {
    expect(definition.files).toContainEqual({service: 'web', path: '/run/secrets/api.txt', content: '{{config:API}}'})
    expect(notes.filter(({key}) => key === 'secrets')).toHaveLength(3)
  })

  test('one whose content is not there is told', () => {
    expect(importService({configs: ['none']}).lost).toContain('configs')
  })
})

describe('what runs', () => {
  test.each([
    [{command: 'serve --name "a b"'}, {commandArgv: ['serve', '--name', 'a b']}, '0.6.6'],
    [{command: ['sh', '-c', 'echo $$HOME']}, {commandArgv: ['sh', '-c', 'echo $HOME']}, '0.6.6'],
    [{command: []}, {commandArgv: []}, '0.6.6'],
    [{entrypoint: '/run.sh --fast'}, {entrypointArgv: ['/run.sh', '--fast']}, '0.9.2'],
    [{command: 'serve --port ${PORT:-8080}', entrypoint: null}, {commandArgv: ['serve', '--port', '8080']}, '0.6.6'],
    [{command: 'serve ${WORDS:-a b}'}, {commandArgv: ['serve', 'a b']}, '0.6.6'],
    [{stop_grace_period: '1m 30s'}, {stopGracePeriod: '1m30s'}, '0.6.6'],
    [{mem_limit: '1.5g', cpus: 0.5}, {resources: {memoryMb: 1536, cpuCores: 0.5}}, '1.0.0'],
    [{deploy: {resources: {limits: {memory: '256M'}}}}, {resources: {memoryMb: 256}}, '1.0.0'],
    [{restart: 'on-failure:5'}, {restart: 'on-failure'}, undefined],
    [{restart: 'no'}, {restart: 'no'}, undefined],
  ])('%j becomes %j', (service, expected, minEngine) => {
    const {web, definition} = importService(service)
    expect(web).toMatchObject(expected)
    expect(definition.minEngine).toBe(minEngine)
  })

  test('a command with a quote that does not end is told', () => {
    expect(importService({command: 'a "b'}).lost).toContain('command')
  })

  test.each([
    [{test: 'curl -f http://localhost'}, {test: ['CMD-SHELL', 'curl -f http://localhost']}],
    [{test: ['CMD', 'pg_isready', '-U', '${U:-app}']}, {test: ['CMD', 'pg_isready', '-U', 'app']}],
    [{test: ['CMD-SHELL', 'echo $$X'], interval: '1m30s', timeout: '5s', start_period: '2 s', retries: 200}, {test: ['CMD-SHELL', 'echo $X'], interval: '1m30s', timeout: '5s', startPeriod: '2s', retries: 100}],
    [{test: ['NONE']}, {disable: true}],
    [{disable: true}, {disable: true}],
    [{interval: 'soon'}, undefined],
    [{disable: false}, undefined],
  ])('the health check %j becomes %j', (healthcheck, expected) => {
    expect(importService({healthcheck}).web.healthcheck).toEqual(expected)
  })

  test('dependencies become a list, and what they waited for is told', () => {
    const other = {image: 'postgres:17.5'}
    const {definition, notes} = importText({
      services: {web: {image: 'nginx:1.29.0', depends_on: {db: {condition: 'service_healthy'}, init: {condition: 'service_completed_successfully'}, gone: {}}, links: ['db:database']}, db: other, init: other},
    })
    expect(definition.services?.[0]?.dependsOn).toEqual(['db', 'init'])
    expect(notes.filter(({key}) => key === 'depends_on').map(({level}) => level)).toEqual(['changed', 'check', 'lost'])
  })
})

describe('images', () => {
  test.each([['nginx', 'check'], ['nginx:latest', 'check'], ['nginx:${TAG:-edge}', 'check'], ['nginx:1.29.0', undefined], [`nginx@sha256:${'a'.repeat(64)}`, undefined], ['host:5000/nginx', 'check']])('%s: %s', (image, level) => {
    expect(importService({image}).notes.find(({key}) => key === 'image')?.level).toBe(level)
  })

  test('one that is missing gets a stand-in, and is told', () => {
    const {web, lost} = importService({image: undefined})
    expect([web.image, lost]).toEqual(['replace-me/web:0.0.0', ['image']])
  })

  test.each(['https://example.com/x', 'Nginx', 'a b'])('%s is none', (image) => {
    expect(importService({image}).web.image).toBe('replace-me/web:0.0.0')
  })

  test('a variable in it that has no value is told', () => {
    expect(importService({image: 'nginx:${TAG}'}).web.image).toBe('nginx')
    expect(importService({image: 'nginx:${TAG}'}).notes).toContainEqual(expect.objectContaining({key: 'image', why: expect.stringContaining('TAG')}))
  })
})

test.each(['privileged', 'cap_add', 'user', 'network_mode', 'labels', 'shm_size', 'devices', 'extra_hosts', 'imgae'])('%s is told as lost, with what to do', (key) => {
  const {notes} = importService({[key]: ['x']})
  expect(notes).toContainEqual(expect.objectContaining({level: 'lost', service: 'web', key, todo: expect.stringMatching(/./)}))
})

test.each(['x-anything', 'container_name', 'networks'])('%s is no loss', (key) => {
  expect(importService({[key]: 'x'}).lost).toEqual([])
})

test('what stands outside of services is told where it does something', () => {
  const {notes} = importText({version: '3', name: 'a', 'x-y': 1, include: ['b.yml'], services: {web: {image: 'nginx:1.29.0', ports: ['80:80']}}, volumes: {a: {}, b: {external: true}}, networks: {default: {driver: 'bridge'}}})
  expect(notes.map(({key}) => key)).toEqual(['include', 'volumes.b', 'networks.default'])
})
