import {describe, expect, test} from 'vitest'
import {errors, keys, one, project, read, told, warnings} from './read.js'

describe('an environment', () => {
  test('takes names without a value from the variables, and leaves out what has none', async () => {
    const {environment} = await keys('environment: [GIVEN, EMPTY, MISSING, SET=1]', {variables: {GIVEN: 'a b', EMPTY: ''}})
    expect(environment).toEqual({GIVEN: 'a b', EMPTY: '', SET: '1'})
  })

  test('takes them from .env too, but .env itself goes to no container', async () => {
    expect((await keys('environment: {A: }', {files: {'.env': 'A=1\nB=2\n'}})).environment).toEqual({A: '1'})
  })

  test('has booleans as texts', async () => {
    expect((await keys('environment: {A: true, B: False, C: yes}')).environment).toEqual({A: 'true', B: 'false', C: 'yes'})
  })

  test('warns of a number that is not what was written', async () => {
    const text = one('environment:\n  PYTHON: 3.10\n  MODE: 0755\n  OK: 3.5')
    expect(await warnings(text)).toEqual([
      "3.10 without quotes is the number 3.1, and so Compose takes it; write '3.10' for the text",
      "0755 without quotes is the number 493, and so Compose takes it; write '0755' for the text",
    ])
    expect((await project(text)).services[0]?.environment).toEqual({PYTHON: '3.1', MODE: '493', OK: '3.5'})
  })

  test('keeps names that are no ordinary ones', async () => {
    const {environment} = await keys('environment: {__proto__: x, constructor: y, "a.b-c": z}')
    expect(Object.entries(environment)).toEqual([['__proto__', 'x'], ['constructor', 'y'], ['a.b-c', 'z']])
  })

  test('refuses names and values that no program can be given', async () => {
    expect(await errors(one('environment: {"a b": x, "": y, Z: "a\\0b"}'))).toEqual(['"a b" is no name of a variable', '"" is no name of a variable', 'the value of Z holds a zero byte, which no program can be given'])
  })
})

describe('env files', () => {
  const files = {'a.env': 'A=1\nREF=$GIVEN-$A\nGIVEN\n', 'b.env': 'A=2\nB="two\nlines"\n', 'deploy/c.env': 'C=3\n'}

  test('come in their order, and lose against what the service says', async () => {
    expect((await keys('env_file: [a.env, b.env]\nenvironment: {B: own}', {files, variables: {GIVEN: 'g'}})).environment).toEqual({A: '2', REF: 'g-1', GIVEN: 'g', B: 'own'})
  })

  test('may be missing where they say so', async () => {
    expect((await keys('env_file:\n  - path: nope.env\n    required: false\n  - path: ./b.env', {files})).environment).toEqual({A: '2', B: 'two\nlines'})
    expect(await errors(one('env_file: [nope.env]'), {files})).toEqual(['nope.env can not be read: there is no file nope.env in the source; add it, or set its variables in the project and write {path: nope.env, required: false}'])
  })

  test('can be read as the engine reads them', async () => {
    expect((await keys('env_file: {path: raw.env, format: raw}', {files: {'raw.env': '# no\nA="quoted" # all\nB=$x\nnothing\n'}})).environment).toEqual({A: '"quoted" # all', B: '$x'})
  })

  test('start from the folder of the file that names them', async () => {
    expect((await keys('env_file: c.env', {files, path: 'deploy/compose.yml'})).environment).toEqual({C: '3'})
    expect(await errors(one('env_file: ../../x.env'), {files, path: 'deploy/compose.yml'})).toEqual([expect.stringContaining('it lies outside of the source')])
  })

  test('tell a broken line with its own place', async () => {
    expect(told(await read(one('env_file: x.env'), {files: {'x.env': 'A=1\n"\n'}}))).toEqual(['x.env:2:1 error  this is no NAME=value'])
  })

  test('of labels are read the same way', async () => {
    expect((await keys('label_file: l.env\nlabels: {own: x}', {files: {'l.env': 'a=1\nown=2\n'}})).labels).toEqual({a: '1', own: 'x'})
  })
})

describe('commands', () => {
  test('are split as a shell would, without running one', async () => {
    const found = await keys(`command: run --name "two words" '$$HOME' *\nentrypoint: ["/bin/x", "a b"]`)
    expect([found.command, found.entrypoint]).toEqual([['run', '--name', 'two words', '$HOME', '*'], ['/bin/x', 'a b']])
  })

  test('that are empty clear that of the image, and none leave it', async () => {
    expect((await keys('command: []\nentrypoint: ""'))).toMatchObject({command: [], entrypoint: []})
    expect((await keys('command:\nuser: "1"'))).toMatchObject({command: null, entrypoint: null})
  })

  test('with a quote that does not end are refused', async () => {
    expect(await errors(one('command: say "so'))).toEqual(['a quote in this command does not end; close it, or write the command as a list'])
  })
})

describe('builds', () => {
  test('start from the folder of the file', async () => {
    expect((await keys('build: ../api', {path: 'deploy/compose.yml'})).build).toEqual({context: 'api', dockerfile: 'Dockerfile', dockerfileInline: null, args: {}, target: null})
    expect((await keys('build: {context: ./web/, dockerfile: ./docker/../Prod.Dockerfile, target: run, args: [A=1, B, C]}', {variables: {B: 'b'}})).build).toEqual({context: 'web', dockerfile: 'Prod.Dockerfile', dockerfileInline: null, args: {A: '1', B: 'b'}, target: 'run'})
    expect((await keys('build: {dockerfile_inline: "FROM x"}')).build).toMatchObject({context: '.', dockerfileInline: 'FROM x'})
  })

  test('take a Dockerfile beside their folder along as text', async () => {
    expect((await keys('build: {context: app, dockerfile: ../docker/app.Dockerfile}', {files: {'docker/app.Dockerfile': 'FROM y\n'}})).build).toMatchObject({context: 'app', dockerfile: 'Dockerfile', dockerfileInline: 'FROM y\n'})
  })

  test('of an image keep its name', async () => {
    expect(await keys('build: .\nimage: mine:1')).toMatchObject({image: 'mine:1', build: {context: '.'}})
  })
})

describe('ports', () => {
  test('are long, short, numbers and ranges, each once', async () => {
    const {ports} = await keys('ports:\n  - 80\n  - "80"\n  - "81-82:91-92"\n  - {target: 443, published: "8443", host_ip: 127.0.0.1, app_protocol: http, name: web}\n  - {target: 5000-5001, published: "6000-6001", protocol: udp, mode: ingress}\n  - "[::1]:1:2"\n  - "0.0.0.0:3:4"')
    expect(ports.map(({hostAddress, hostPort, containerPort, protocol}) => `${hostAddress ?? '*'} ${hostPort ?? '?'} ${containerPort} ${protocol}`)).toEqual([
      '* ? 80 tcp', '* 81 91 tcp', '* 82 92 tcp', '127.0.0.1 8443 443 tcp', '* 6000 5000 udp', '* 6001 5001 udp', '::1 1 2 tcp', '0.0.0.0 3 4 tcp',
    ])
  })

  test.each([
    ['"80:80:80"', /is no port/], ['"70000"', /between 1 and 65535/], ['"0"', /between 1 and 65535/], ['"82-81"', /a range goes up/], ['"1-2000:1-2000"', /at most 1000/], ['"1-2:1-3"', /same number/],
    ['"8000-8010:80"', /can not have the choice of 8000-8010/], ['"1:1/sctp"', /only tcp and udp/], ['{published: 80}', /needs target/], ['{target: x}', /"x" is no port/], ['[80]', /a text is expected/],
  ])('that are none are refused: %s', async (port, expected) => {
    expect(await errors(one(`ports: [${port}]`))).toEqual([expect.stringMatching(expected)])
  })
})

describe('mounts', () => {
  const top = 'volumes: {data: }'

  test('are of volumes, of the server, of the source, and in memory', async () => {
    const {mounts} = await keys('tmpfs: [/run, "/tmp:size=1m,mode=1777"]\nvolumes:\n  - data:/a/\n  - {type: tmpfs, target: /cache, tmpfs: {size: 64m, mode: 01777}}\n  - ./conf:/b//c/../d:ro\n  - .:/src\n  - /srv/x:/x:z,ro,cached\n  - {type: bind, source: conf.d, target: /e}\n  - /anonymous', {top, path: 'deploy/compose.yml'})
    expect(mounts).toEqual([
      {type: 'volume', source: 'data', target: '/a', readOnly: false},
      {type: 'bind', source: './deploy/conf', target: '/b/d', readOnly: true},
      {type: 'bind', source: './deploy', target: '/src', readOnly: false},
      {type: 'bind', source: '/srv/x', target: '/x', readOnly: true, options: ['z']},
      {type: 'bind', source: './deploy/conf.d', target: '/e', readOnly: false},
      {type: 'volume', source: null, target: '/anonymous', readOnly: false},
      {type: 'tmpfs', source: null, target: '/cache', readOnly: false, options: ['size=64m', 'mode=1777']},
      {type: 'tmpfs', source: null, target: '/run', readOnly: false},
      {type: 'tmpfs', source: null, target: '/tmp', readOnly: false, options: ['size=1m', 'mode=1777']},
    ])
  })

  test.each([
    ['"../out:/x"', /lies outside of the source/], ['"~/x:/x"', /home folder of the server/], ['"nope:/x"', /no volume nope; add it under volumes/], ['"dta:/x"', /did you mean data\?/], ['"data:x"', /has to start with \//],
    ['"a:b:c:d"', /is no mount/], ['"data:/x:rx"', /rx is no option/], ['":/x"', /has no source/], ['"C:\\\\x:/x"', /is no mount/], ['{type: npipe, source: a, target: /x}', /type npipe/], ['{source: data}', /needs target/],
    ['{source: data, target: /x, volume: {subpath: y}}', /part of a volume/],
  ])('that can not be made are refused: %s', async (mount, expected) => {
    expect(await errors(one(`volumes: [${mount}]`, top))).toEqual([expect.stringMatching(expected)])
  })
})

describe('configs and secrets', () => {
  const top = 'configs:\n  file: {file: ./nginx.conf}\n  text: {content: "port=${PORT}"}\nsecrets:\n  pw: {environment: PW}\n  key: {file: ./key.pem}'
  const input = {top, path: 'deploy/compose.yml', variables: {PW: 's3cret', PORT: '80'}}

  test('of files are read-only mounts, those of texts become files', async () => {
    const found = await keys('configs: [file, {source: text, target: /etc/app.ini, mode: 0440}]\nsecrets: [pw, {source: key, target: tls.pem}]', input)
    expect(found.mounts).toEqual([
      {type: 'bind', source: './deploy/nginx.conf', target: '/file', readOnly: true},
      {type: 'bind', source: './deploy/key.pem', target: '/run/secrets/tls.pem', readOnly: true},
    ])
    expect(found.files).toEqual([
      {target: '/etc/app.ini', content: 'port=80', mode: '0440', isSecret: false},
      {target: '/run/secrets/pw', content: 's3cret', mode: '0444', isSecret: true},
    ])
  })

  test.each([
    ['secrets: [x]', 'secrets: {x: {external: true}}', /x lives in a swarm/],
    ['secrets: [x]', 'secrets: {x: {environment: NOPE}}', /the variable NOPE, which x is made of, has no value/],
    ['configs: [x]', 'configs: {x: {file: ../../y}}', /outside of the source/],
    ['configs: [x]', 'configs: {x: }', /x needs file, content or environment/],
    ['configs: [y]', 'configs: {other: {content: a}}', /nothing called y under configs.*add it/],
    ['configs: [conf]', 'configs: {config: {content: a}}', /did you mean config\?/],
    ['configs: [{target: /x}]', '', /needs source/],
  ])('that can not be given are refused: %s of %s', async (body, resources, expected) => {
    expect(await errors(one(body, resources))).toEqual([expect.stringMatching(expected)])
  })
})
