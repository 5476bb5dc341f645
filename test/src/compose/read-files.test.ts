import {describe, expect, test} from 'vitest'
import {readCompose} from '../../../src/compose/read-compose.js'
import {errors, project, read, service, told} from './read.js'

const env = async (text: string, input?: Parameters<typeof service>[1]) => (await service(text, input)).environment

describe('variables', () => {
  test('come from .env beside the file, and those given win', async () => {
    const files = {'.env': 'A=root\n', 'deploy/.env': 'A=file\nB=${A}2\nC=$GIVEN\n'}
    const text = 'services: {a: {image: x, environment: {A: $A, B: $B, C: $C}}}'
    expect(await env(text, {files, path: 'deploy/compose.yml', variables: {GIVEN: 'g'}})).toEqual({A: 'file', B: 'file2', C: 'g'})
    expect(await env(text, {files, path: 'deploy/compose.yml', variables: {A: 'given', GIVEN: ''}})).toEqual({A: 'given', B: 'given2', C: ''})
  })

  test('are told with whether each has a value or a default', async () => {
    const {variables} = await read('x-ignored: $NOT\nservices: {a: {image: "x:${TAG:-1}", environment: {A: $GIVEN, B: "${TAG}", C: "${D:-${E}}", F: , G: }}}', {variables: {GIVEN: '', F: 'f'}})
    expect(variables).toEqual([
      {name: 'D', given: false, hasDefault: true}, {name: 'E', given: false, hasDefault: false}, {name: 'F', given: true, hasDefault: false}, {name: 'G', given: false, hasDefault: false},
      {name: 'GIVEN', given: true, hasDefault: false}, {name: 'TAG', given: false, hasDefault: false},
    ])
  })

  test('without a value are warned of where they stand; required ones stop', async () => {
    expect(told(await read('services:\n  a:\n    image: x:${TAG}\n    user: ${UID:?who shall it be}\n    labels: {a: "${X:?}"}\n'))).toEqual([
      'compose.yml:3:12 warning /services/a/image the variable TAG has no value and becomes an empty text; set it, or write a default: ${TAG:-…}',
      'compose.yml:4:11 error /services/a/user the variable UID needs a value: who shall it be',
      'compose.yml:5:17 error /services/a/labels/a the variable X needs a value',
    ])
  })

  test('replace nothing in keys', async () => {
    expect((await service('services: {a: {image: x, labels: {"$A": "$A"}}}', {variables: {A: '1'}})).labels).toEqual({$A: '1'})
  })

  test('make values of every type', async () => {
    const {others, healthcheck, ports} = await service('services: {a: {image: x, privileged: "${P}", cpus: "${C}", healthcheck: {retries: "${N}", disable: "${D}"}, ports: [{target: "${T}"}]}}', {variables: {P: 'true', C: '1.5', N: '3', D: 'false', T: '80'}})
    expect([others, healthcheck?.retries, ports[0]?.containerPort]).toEqual([{privileged: true, cpus: 1.5}, 3, 80])
  })
})

describe('override files', () => {
  const base = 'services:\n  a:\n    image: one\n    command: [x]\n    environment: {A: base, B: base}\n    ports: ["80:80"]\n    volumes: ["data:/d", "./x:/x"]\n    healthcheck: {test: [CMD, a], interval: 1s}\nvolumes: {data: {labels: {a: "1"}}}\n'

  async function over(text: string) {
    return project(base, {overrides: ['over.yml'], files: {'over.yml': text}})
  }

  test('change what they name, map by map and list by list', async () => {
    const {services, volumes} = await over('services:\n  a:\n    command: [y, z]\n    environment: [B=over]\n    ports: ["80:80", "81:81"]\n    volumes: ["other:/d"]\n    healthcheck: {test: [CMD, b]}\n  b: {image: b}\nvolumes: {data: {labels: [b=2]}, other: }\n')
    expect(services.map(({name}) => name)).toEqual(['a', 'b'])
    expect(services[0]).toMatchObject({image: 'one', command: ['y', 'z'], environment: {A: 'base', B: 'over'}, healthcheck: {test: ['CMD', 'b'], interval: '1s'}})
    expect(services[0]?.ports).toHaveLength(2)
    expect(services[0]?.mounts.map(({source, target}) => `${source ?? ''}:${target}`)).toEqual(['other:/d', './x:/x'])
    expect(volumes.map(({key, others}) => [key, others])).toEqual([['data', {labels: {a: '1', b: '2'}}], ['other', {}]])
  })

  test('take away with !reset and replace with !override', async () => {
    const {services} = await over('services:\n  a:\n    ports: !reset []\n    environment: !override {C: only}\n    healthcheck: !reset null\n    command: !reset\n    user: !reset "1"\n')
    expect(services[0]).toMatchObject({ports: [], environment: {C: 'only'}, healthcheck: null, command: null, others: {}})
  })

  test('can take a service away', async () => {
    expect((await over('services:\n  a: !reset\n  b: {image: x}\n')).services.map(({name}) => name)).toEqual(['b'])
  })

  test('that say nothing change nothing', async () => {
    expect(await over('services: {a: , b: {image: x}}\n')).toMatchObject({services: [{image: 'one'}, {}]})
    expect((await over('services: {a: {image: , environment: , ports: }}\n')).services[0]).toMatchObject({image: 'one', environment: {A: 'base', B: 'base'}})
  })

  test('let a variable take the place of a value', async () => {
    const {services} = await project(base, {overrides: ['over.yml'], files: {'over.yml': 'services: {a: {environment: {A: }}}'}, variables: {A: 'given'}})
    expect(services[0]?.environment).toEqual({A: 'given', B: 'base'})
  })

  test('that do not fit are told', async () => {
    expect(await errors(base, {overrides: ['over.yml'], files: {'over.yml': 'services: {a: {ports: {x: y}}}'}})).toEqual(['this is a list in one file and a map in the other; write both in one form'])
    expect(await errors(base, {overrides: ['nope.yml']})).toEqual(['there is no file nope.yml in the source'])
  })
})

describe('extends', () => {
  test('of other files read the paths from there', async () => {
    const files = {'common/base.yml': 'services:\n  app: {build: ./app, env_file: app.env, volumes: ["./d:/d"], environment: {A: "${A:-base}"}}\n', 'common/app.env': 'E=1\n'}
    const found = await service('services: {a: {extends: {file: ./common/base.yml, service: app}, environment: {B: own}}}', {files})
    expect(found).toMatchObject({build: {context: 'common/app'}, environment: {A: 'base', B: 'own', E: '1'}, mounts: [{source: './common/d'}]})
  })

  test('tell a problem where it was written', async () => {
    const files = {'base.yml': 'services:\n  app:\n    image: x\n    restart: sometimes\n'}
    expect(told(await read('services: {a: {extends: {file: base.yml, service: app}}}', {files}))).toEqual(['base.yml:4:14 error /services/app/restart sometimes is no policy for restarts; there are no, always, unless-stopped and on-failure'])
  })

  test.each([
    ['itself', 'services: {a: {image: x, extends: a}}', {}],
    ['in a circle', 'services: {a: {extends: b}, b: {extends: c}, c: {extends: a}}', {}],
    ['in a circle of files', 'services: {a: {extends: {file: b.yml, service: b}}}', {'b.yml': 'services: {b: {extends: {file: b.yml, service: b}}}'}],
  ])('%s is refused', async (_, text, files) => {
    expect(await errors(text, {files})).toContainEqual(expect.stringContaining('extends itself'))
  })

  test.each([
    ['services: {a: {extends: nope, image: x}}', /there is no service nope in compose.yml to extend/],
    ['services: {a: {extends: {file: b.yml, service: nope}, image: x}}', /there is no service nope in b.yml/],
    ['services: {a: {extends: {file: c.yml, service: b}, image: x}}', /there is no file c.yml/],
    ['services: {a: {extends: {file: ../b.yml, service: b}, image: x}}', /outside of the source/],
    ['services: {a: {extends: {file: "https://x/b.yml", service: b}, image: x}}', /lies elsewhere/],
    ['services: {a: {extends: {file: b.yml}, image: x}}', /needs the name of a service/],
  ])('of what is not there is refused: %s', async (text, expected) => {
    expect(await errors(text, {files: {'b.yml': 'services: {b: {image: y}}'}})).toEqual([expect.stringMatching(expected)])
  })
})

describe('include', () => {
  test('brings services, volumes and variables of another folder', async () => {
    const files = {'db/compose.yml': 'services:\n  db: {image: "pg:${V}", env_file: db.env, environment: {NAME: , OWN: "${OWN}"}, volumes: ["data:/d", "./init:/init"]}\nvolumes: {data: }\n', 'db/db.env': 'X=1\n', 'db/.env': 'V=16\nNAME=inner\nOWN=inner\n', '.env': 'OWN=outer\n'}
    const {services, volumes} = await project('include: [db/compose.yml]\nservices: {web: {image: x, depends_on: [db]}}\n', {files})
    expect(services.map(({name}) => name)).toEqual(['web', 'db'])
    expect(services[1]).toMatchObject({image: 'pg:16', environment: {X: '1', NAME: 'inner', OWN: 'outer'}})
    expect(services[1]?.mounts[1]).toMatchObject({source: './db/init'})
    expect(volumes.map(({key}) => key)).toEqual(['data'])
  })

  test('has a long form with several files, a folder and env files', async () => {
    const files = {'a/one.yml': 'services: {s: {image: "x:$T", build: ./b}}', 'a/two.yml': 'services: {s: {labels: {l: "1"}}}', 'my.env': 'T=9\n'}
    const {services} = await project('include:\n  - path: [a/one.yml, a/two.yml]\n    project_directory: other\n    env_file: my.env\nservices: {web: {image: x}}\n', {files})
    expect(services[1]).toMatchObject({image: 'x:9', labels: {l: '1'}, build: {context: 'other/b'}})
  })

  test('goes on through files, and ends circles', async () => {
    expect((await project('include: [b.yml]\nservices: {a: {image: x}}', {files: {'b.yml': 'include: [c.yml]\nservices: {b: {image: x}}', 'c.yml': 'services: {c: {image: x}}'}})).services.map(({name}) => name)).toEqual(['a', 'b', 'c'])
    expect(await errors('include: [b.yml]\nservices: {a: {image: x}}', {files: {'b.yml': 'include: [c.yml]', 'c.yml': 'include: [b.yml]'}})).toEqual(['b.yml includes itself'])
  })

  test('refuses two things of one name, unless they are the same', async () => {
    const text = 'include: [b.yml]\nservices: {a: {image: x}, s: {image: x}}\nvolumes: {v: }'
    expect(await errors(text, {files: {'b.yml': 'services: {s: {image: y}}\nvolumes: {v: }'}})).toEqual(['s is in the included file b.yml too, and is another thing there; give one of them another name'])
    expect(await errors(text, {files: {'b.yml': 'services: {s: {image: x}}'}})).toEqual([])
  })

  test('of a repository elsewhere is refused', async () => {
    expect(await errors('include: ["git@github.com:a/b.git"]\nservices: {a: {image: x}}')).toEqual([expect.stringContaining('lies elsewhere')])
  })

  test('of very many files is refused', async () => {
    const readText = async (path: string) => (path === '.env' ? undefined : `include: [${path}x]`)
    const {problems} = await readCompose({path: 'a.yml', text: 'include: [f]\nservices: {a: {image: x}}', variables: {}, profiles: [], readText})
    expect(problems.map(({message}) => message)).toEqual(['the project is spread over too many files'])
  })
})

describe('profiles', () => {
  const text = 'services: {a: {image: x}, b: {image: x, profiles: [debug]}, c: {image: x, profiles: [one, two]}}'
  const names = async (input: Parameters<typeof project>[1]) => (await project(text, input)).services.map(({name}) => name)

  test('leave services out until one of theirs is on', async () => {
    expect(await names({})).toEqual(['a'])
    expect(await names({profiles: ['two', 'debug']})).toEqual(['a', 'b', 'c'])
    expect(await names({profiles: ['*']})).toEqual(['a', 'b', 'c'])
  })

  test('come from COMPOSE_PROFILES where none are given', async () => {
    expect(await names({variables: {COMPOSE_PROFILES: 'x, debug'}})).toEqual(['a', 'b'])
    expect(await names({files: {'.env': 'COMPOSE_PROFILES=one\n'}})).toEqual(['a', 'c'])
    expect(await names({profiles: ['debug'], variables: {COMPOSE_PROFILES: 'one'}})).toEqual(['a', 'b'])
  })

  test('that are off and needed are told', async () => {
    expect(await errors('services: {a: {image: x, depends_on: [b]}, b: {image: x, profiles: [debug]}}')).toEqual(['a needs b, which is switched off; switch the profile debug on, or give a the same profile'])
    expect(await project('services: {a: {image: x, depends_on: {b: {condition: service_started, required: false}}}, b: {image: x, profiles: [debug]}}')).toMatchObject({services: [{dependsOn: []}]})
  })
})
