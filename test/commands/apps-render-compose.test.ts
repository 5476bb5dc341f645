import {execFile} from 'node:child_process'
import {mkdir, readFile, writeFile} from 'node:fs/promises'
import path from 'node:path'
import {promisify} from 'node:util'
import {describe, expect, test} from 'vitest'
import {parse} from 'yaml'
import {catalogFiles, parseDefinitionFile, sampleFiles, type DefinitionFile} from '../catalog/sample-definitions.js'
import {temporaryFolder} from '../daemon/start-test-daemon.js'
import {missingPart} from '../lab/require-part.js'
import {runCommand} from './run-command.js'

// What is written is held against the real program: docker-compose 1.29, the older and stricter of the two.

const missing = missingPart('docker-compose', ['docker-compose'], {needsRoot: false})
const run = promisify(execFile)

async function config(folder: string) {
  const {stdout, stderr} = await run('docker-compose', ['-f', path.join(folder, 'docker-compose.yml'), 'config'], {env: {PATH: process.env['PATH']}, cwd: '/'})
  // Its YAML has rules of its own for what is a number; here everything is a text.
  return {model: parse(stdout, {schema: 'failsafe'}), stderr}
}

async function write(home: string, definition: object, ...args: string[]) {
  const file = path.join(home, 'app.json')
  const out = path.join(home, 'out')
  await writeFile(file, JSON.stringify(definition))
  const rendered = await runCommand(['apps', 'render', file, '--output', out, ...args], {home})
  expect(rendered.exitCode, rendered.stderr).toBe(0)
  return out
}

const hardTexts = ['$HOME ${A:-x} $$', 'no', 'on', '12:30:45', '0777', '1e3', '~', 'null', '', ' a ', '"', "'", '\\', 'a: b # c', '- a', '<<', '*a', '&a', '{{ $json.x }}', 'ü😀', 'a\nb', '%a', '@a', '=']

describe.skipIf(missing !== null)('docker-compose', () => {
  test('reads every kind of part as it was meant', async () => {
    const home = await temporaryFolder()
    const environment = Object.fromEntries(hardTexts.map((text, index) => [`V${index}`, text]))
    const out = await write(home, {
      id: 'sink', name: 'Kitchen "Sink"\nservices: {}', description: 'x', kind: 'template', logo: 'x', category: 'other', available: true, minEngine: '1.0.0',
      services: [
        {
          name: 'web', image: 'registry.example.com:5000/a/b:1.0@sha256:0000000000000000000000000000000000000000000000000000000000000000', environment: {...environment, no: 'n', DSN: '{{config:PW}}'},
          ports: ['80:80', '0.0.0.0:53:53/udp', '9000', '[::1]:81:81'], volumes: ['data:/data:ro', '/anonymous'], dependsOn: ['db', 'my svc'],
          commandArgv: ['sh', '-c', 'echo $0'], entrypointArgv: [], stopGracePeriod: '90s', restart: 'no', exposed: true, exposedPort: 3000,
          healthcheck: {test: 'test "$A" = 1', interval: '1m30s', timeout: '500ms', startPeriod: '0', retries: 0}, files: [{path: '/etc/a b', content: '{{config:PW}}'}],
        },
        {name: 'db', build: {dockerfile: 'FROM x:1\nARG V0'}, environment: {V0: '$x'}, dependsOn: ['web'], healthcheck: {test: ['x']}, commandArgv: []},
        {name: 'my svc', image: 'x:1', restart: 'on-failure', healthcheck: {disable: true}},
      ],
      configFields: [{key: 'PW', service: 'web', label: 'PW', generate: 'secret', secret: true}, {key: 'GIVEN', service: 'web', label: 'G', secret: true}],
    }, '--set', 'GIVEN=a $b "c" #d')
    const {model, stderr} = await config(out)
    expect(stderr).toBe('')
    const {web, db} = model.services
    const plain = (text: string) => text.replaceAll('$$', '$')
    const [, secret] = /^PW=([0-9a-f]{64})$/m.exec(await readFile(path.join(out, '.env'), 'utf8')) ?? []
    for (const [index, text] of hardTexts.entries()) expect(plain(web.environment[`V${index}`] ?? ''), JSON.stringify(text)).toBe(text)
    expect(web.environment).toMatchObject({no: 'n', DSN: secret, PW: secret, GIVEN: 'a $$b "c" #d'})
    expect(web).toMatchObject({
      command: ['sh', '-c', 'echo $$0'], entrypoint: [], restart: 'no', stop_grace_period: '90s',
      depends_on: {db: {condition: 'service_healthy'}, 'my-svc': {condition: 'service_started'}},
      ports: ['127.0.0.1:80:80/tcp', '0.0.0.0:53:53/udp', '127.0.0.1::9000/tcp', '::1:81:81/tcp', '127.0.0.1:3000:3000/tcp'],
      volumes: ['data:/data:ro', '/anonymous', {type: 'bind', source: path.join(out, 'files/web/etc/a b'), target: '/etc/a b', read_only: 'true'}],
    })
    expect(web.healthcheck).toMatchObject({test: ['CMD-SHELL', 'test "$$A" = 1'], interval: '90s', timeout: '500ms', retries: '0'})
    expect(db.build).toMatchObject({context: path.join(out, 'build'), dockerfile: 'db/Dockerfile', args: {V0: '$$x'}})
    expect(model.services['my-svc']).toMatchObject({restart: 'on-failure', healthcheck: {test: ['NONE']}, networks: {default: {aliases: ['my svc']}}})
    expect(model.volumes).toEqual({data: {name: 'moorage-kitchen-sink-services-data'}})
  })

  test('reads a file on stdout too, with its variables empty or with its values', async () => {
    const home = await temporaryFolder()
    const file = path.join(home, 'app.json')
    await writeFile(file, JSON.stringify({id: 'a', name: 'A', description: 'x', kind: 'template', logo: 'x', category: 'other', services: [{name: 'db', image: 'd:1'}], configFields: [{key: 'PW', service: 'db', label: 'PW', generate: 'secret'}]}))
    for (const args of [[], ['--reveal']]) {
      const out = path.join(home, `out${args.length}`)
      await mkdir(out)
      await writeFile(path.join(out, 'docker-compose.yml'), (await runCommand(['apps', 'render', file, '--format', 'compose', ...args], {home})).stdout)
      expect((await config(out)).model.services.db.environment['PW']).toMatch(args.length === 0 ? /^$/ : /^[0-9a-f]{64}$/)
    }
  })

  test('takes every definition there is', {timeout: 300_000}, async () => {
    const files = [...catalogFiles(), ...sampleFiles()].filter((file) => (parseDefinitionFile(file).services ?? []).length > 0)
    const refused: string[] = []
    const next = files.values()
    const work = async (): Promise<void> => {
      for (const file of next) refused.push(...(await tryFile(file)))
    }
    await Promise.all([work(), work(), work()])
    expect(refused).toEqual([])
  })
})

async function tryFile({name, file, text}: DefinitionFile): Promise<string[]> {
  const home = await temporaryFolder()
  const fields = parseDefinitionFile({name, file, text}).configFields ?? []
  const sets = fields.filter((field) => field.required === true && field.generate === undefined && (field.default ?? '') === '').flatMap(({key}) => ['--set', `${key}=given`])
  const out = await write(home, JSON.parse(text), '--host', 'box.example.com', ...sets)
  return config(out).then(({stderr}) => (stderr === '' ? [] : [`${name}: ${stderr}`]), (error: unknown) => [`${name}: ${String(error)}`])
}
