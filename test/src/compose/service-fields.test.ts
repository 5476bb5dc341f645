import fc from 'fast-check'
import {describe, expect, test} from 'vitest'
import type {ComposeService} from '../../../src/compose/compose-model.js'
import {fromServiceFields} from '../../../src/compose/from-service-fields.js'
import {toServiceFields, type ServiceFields} from '../../../src/compose/to-service-fields.js'
import {Service} from '../../../src/contract/services.js'
import {anyProject, anyText} from './arbitrary-release.js'
import {keys} from './read.js'

const root = {folder: '.'}

const row: ServiceFields = {name: 'a', image: 'x', build: null, dockerfile: null, ports: [], volumes: [], dependsOn: [], environment: {}, command: null, commandArgv: null, restart: 'unless-stopped', advanced: {}}

describe('a row of a Compose service', () => {
  test('has short forms, and everything else in advanced', async () => {
    const service = await keys(
      'build: {context: ../api, dockerfile: Prod, args: {V: "1"}, target: run}\nports: ["8080:80", "127.0.0.1:53:53/udp"]\nvolumes: ["data:/d:ro", "./conf:/c", "/srv:/s", "/anon"]\ntmpfs: /run\ndepends_on: {b: {condition: service_healthy}, c: {condition: service_started}}\nenvironment: {A: b}\ncommand: run me\nentrypoint: [/x]\nhealthcheck: {test: ok, interval: 5s}\nnetworks: {default: {aliases: [web]}}\ncpus: 0.5\nmem_limit: 512m\npid: host\ncap_add: [NET_ADMIN]\nlabels: {l: "1"}\nstop_grace_period: 1m',
      {path: 'deploy/compose.yml', top: '  b: {image: x, healthcheck: {test: x}}\n  c: {image: x}\nvolumes: {data: }'},
    )
    const fields = toServiceFields(service, {folder: 'deploy'})
    expect(fields).toEqual({
      name: 'a', image: null, build: '../api', dockerfile: 'Prod', ports: ['8080:80', '127.0.0.1:53:53/udp'], volumes: ['data:/d:ro', './conf:/c', '/srv:/s', '/anon'], dependsOn: ['b', 'c'], environment: {A: 'b'}, command: null,
      commandArgv: ['run', 'me'], restart: 'no',
      advanced: {
        healthcheck: {test: ['CMD-SHELL', 'ok'], interval: '5s'}, entrypoint: ['/x'], alias: 'web', pidMode: 'host', resources: {cpuCores: 0.5, memoryMb: 512}, dependsOn: {b: 'service_healthy'}, labels: {l: '1'}, stopGracePeriod: '1m',
        buildArgs: {V: '1'}, buildTarget: 'run', tmpfs: ['/run'], compose: {cap_add: ['NET_ADMIN']},
      },
    })
    expect(fromServiceFields(fields, {folder: 'deploy'})).toEqual({service: {...service, restart: 'no'}, problems: []})
  })

  const withMore = fc.record({
    build: fc.option(fc.record({context: fc.constantFrom('.', 'api', 'a/b', 'deploy', 'deploy/x'), dockerfile: fc.constantFrom('Dockerfile', 'x/Prod'), dockerfileInline: fc.option(anyText), args: fc.dictionary(fc.constantFrom('A', 'B'), anyText), target: fc.option(fc.constant('run'))})),
    files: fc.option(fc.array(fc.record({target: fc.constant('/f'), content: anyText, mode: fc.constant('0444'), isSecret: fc.boolean()}), {minLength: 1, maxLength: 1}), {nil: undefined}),
    bind: fc.constantFrom('./', './deploy', './conf', './deploy/a/b'),
    mode: fc.boolean(),
    folder: fc.constantFrom('.', 'deploy', 'a/b/c'),
  })

  test('gives the service back, whatever it is', () => {
    fc.assert(
      fc.property(anyProject, withMore, ({services}, {build, files, bind, mode, folder}) => {
        for (const one of services) {
          const mounts = [{type: 'bind' as const, source: bind, target: '/from/source', readOnly: true}, ...one.mounts]
          const {networks, ...rest} = one
          const service: ComposeService = {
            ...rest, build, mounts, ...(files !== undefined && {files}), restart: one.restart ?? 'no', networks: mode ? {} : networks, ...(mode && {others: {...one.others, network_mode: 'host'}}),
          }
          const fields = toServiceFields(service, {folder})
          expect(Service.pick({name: true, image: true, build: true, dockerfile: true, ports: true, volumes: true, dependsOn: true, environment: true, command: true, commandArgv: true, restart: true, advanced: true}).parse(fields)).toEqual(fields)
          expect(fromServiceFields(fields, {folder})).toEqual({service, problems: []})
        }
      }),
    )
  })
})

describe('a row that people wrote', () => {
  const read = (fields: Partial<ServiceFields>) => fromServiceFields({...row, ...fields}, root)

  test('may have a command as a text, health checks as texts, ranges of ports', () => {
    const {service, problems} = read({command: 'run "two words"', ports: ['80-81:80-81', '90'], advanced: {healthcheck: {test: 'ok', interval: '1m30s', retries: 3}, networkMode: 'host', readiness: {any: 1}}})
    expect(problems).toEqual([])
    expect(service).toMatchObject({command: ['run', 'two words'], healthcheck: {test: ['CMD-SHELL', 'ok'], interval: '90s', retries: 3, disable: false}, networks: {}, others: {network_mode: 'host'}, restart: 'unless-stopped'})
    expect(service.ports).toHaveLength(3)
    expect(read({command: 'text', commandArgv: ['wins']}).service.command).toEqual(['wins'])
    expect(read({advanced: {healthcheck: {disable: true, interval: '1s'}}}).service.healthcheck).toMatchObject({disable: true, interval: null})
    expect(read({advanced: {alias: 'db', networks: {default: {aliases: ['x']}}}}).service.networks).toEqual({default: {aliases: ['x', 'db']}})
  })

  test('is read as far as it goes, and tells the rest', () => {
    const {service, problems} = read({ports: ['80', 'eighty'], volumes: ['a:b:c:d', 'data:/x', '../x:/y', 'a b:/z'], command: 'say "', build: '../x', advanced: {healthcheck: {interval: 'often'}, entrypoint: 'no list', whatever: 1, labels: {a: '1'}, stopGracePeriod: 'soon'}})
    expect(problems.map(({field}) => field).sort()).toEqual(['advanced', 'advanced.entrypoint', 'advanced.healthcheck.interval', 'advanced.stopGracePeriod', 'build', 'command', 'ports', 'volumes', 'volumes', 'volumes'])
    expect(service).toMatchObject({ports: [{containerPort: 80}], mounts: [{source: 'data'}], labels: {a: '1'}, entrypoint: null, stopGracePeriod: null})
  })

  test('never makes it throw', () => {
    fc.assert(fc.property(fc.dictionary(fc.constantFrom('healthcheck', 'entrypoint', 'alias', 'networks', 'resources', 'mounts', 'files', 'compose', 'x'), fc.jsonValue() as fc.Arbitrary<unknown>), fc.array(fc.string()), (advanced, texts) => {
      void read({advanced, ports: texts, volumes: texts, command: texts[0] ?? null})
    }))
  })
})
