import {describe, expect, test} from 'vitest'
import {errors, one, read, told, warnings} from './read.js'

describe('what can not be honoured stops with its place and what to do instead', () => {
  test.each([
    ['container_name: shop', /^container_name can not be honoured: two releases .* side by side .*networks\.default\.aliases/],
    ['network_mode: "container:x"', /containers get new names with every release; write service:NAME/],
    ['pid: "container:x"', /pid: container:x can not be honoured/],
    ['ipc: "container:x"', /ipc: container:x can not be honoured/],
    ['volumes_from: ["container:x"]', /name the service/],
    ['security_opt: ["seccomp:./x.json"]', /seccomp profile from a file/],
    ['credential_spec: {file: x}', /for Windows/],
    ['provider: {type: x}', /name an image/],
    ['models: [x]', /run one as a service/],
    ['use_api_socket: true', /mount its socket/],
    ['scale: 2', /scale: 2 can not be honoured: every service runs once; write the service down as often/],
    ['scale: 0', /give the service a profile/],
    ['deploy: {replicas: 3}', /deploy\.replicas: 3/],
    ['deploy: {mode: global}', /deploy\.mode global can not be honoured/],
    ['deploy: {placement: {constraints: [a]}}', /deploy\.placement .* one server/],
    ['deploy: {update_config: {parallelism: 1}}', /deploy\.update_config/],
    ['deploy: {rollback_config: {}}', /brings the release before it back by itself/],
    ['deploy: {endpoint_mode: vip}', /deploy\.endpoint_mode/],
    ['deploy: {labels: {a: b}}', /move them to labels of the service/],
    ['build: https://github.com/a/b.git', /project of its own, add it as a submodule, or name a published image/],
    ['build: git@github.com:a/b', /is not in the source/],
    ['build: ../out', /lies outside of the source/],
    ['build: {context: /srv/app}', /lies outside of the source/],
    ['build: {context: ., ssh: [default]}', /build\.ssh can not be honoured/],
    ['build: {context: ., secrets: [x]}', /build\.secrets can not be honoured/],
    ['build: {context: ., additional_contexts: {a: b}}', /a build sees one folder/],
    ['build: {context: ., dockerfile: x, dockerfile_inline: y}', /keep one/],
    ['build: {dockerfile: ../x}', /outside of the source/],
    ['image: ""', /the image is empty/],
    ['image: "a b"', /no name of an image/],
    ['restart: sometimes', /there are no, always, unless-stopped and on-failure/],
    ['stop_grace_period: 10', /10 is no duration; write a number with its unit/],
    ['healthcheck: {test: [curl, x]}', /starts with CMD, CMD-SHELL or NONE/],
    ['healthcheck: {interval: often}', /often is no duration/],
    ['healthcheck: {retries: 1.5}', /a whole number is expected/],
    ['healthcheck: [a]', /a map of keys and values is expected/],
    ['mem_limit: lots', /lots is no size/],
    ['privileged: maybe', /true or false is expected/],
    ['cpus: many', /a number is expected/],
    ['user: [a]', /a text is expected/],
    ['cap_add: {a: b}', /a list is expected/],
    ['environment: [[a]]', /a line of this list is NAME=value/],
    ['environment: {A: [1]}', /a text is expected/],
    ['labels: {com.docker.compose.project: x}', /take com\.docker\.compose\.project away/],
    ['labels: [moorage.service=x]', /set by the tools themselves/],
    ['depends_on: {b: {condition: ready}}', /the condition is one of/],
    ['networks: {default: , }\nnetwork_mode: host', /keep one/],
    ['network_mode: "service:b"\nports: ["80"]', /move them to b/],
    ['devices: [{target: /x}]', /a device needs source/],
  ])('%s', async (body, expected) => {
    const text = `${one(body)}  b: {image: x}\n`
    const found = (await read(text)).problems.filter(({severity}) => severity === 'error')
    expect(found.map(({message}) => message)).toEqual([expect.stringMatching(expected)])
    expect(found[0]).toMatchObject({file: 'compose.yml', path: expect.stringMatching(/^\/services\/a/)})
    expect(found[0]?.line).toBeGreaterThan(1)
    expect((await read(text)).project).toBeNull()
  })

  test('all at once, in the order of the file', async () => {
    expect(told(await read('services:\n  a:\n    image: x\n    scale: 2\n    container_name: y\n  b:\n    restart: never\nnetworks:\n  n: {driver: overlay}\n'))).toEqual([
      expect.stringMatching(/^compose\.yml:4:12 error \/services\/a\/scale scale: 2/),
      expect.stringMatching(/^compose\.yml:5:5 error \/services\/a\/container_name container_name/),
      expect.stringMatching(/^compose\.yml:6:3 error \/services\/b a service needs image or build/),
      expect.stringMatching(/^compose\.yml:7:14 error \/services\/b\/restart never/),
      expect.stringMatching(/^compose\.yml:9:15 error \/networks\/n\/driver an overlay network needs a swarm/),
    ])
  })

  test('with pointers that quote what they must', async () => {
    expect((await read('services: {"a/b~c": {image: x}}')).problems[0]).toMatchObject({path: '/services/a~1b~0c', line: 1, column: 12})
  })
})

describe('a project as a whole', () => {
  test.each([
    ['services that wait in a circle', 'services: {a: {image: x, depends_on: [b]}, b: {image: x, links: ["c:d"]}, c: {image: x, network_mode: "service:a"}}', ['services wait for each other in a circle: a → b → c → a; take one of these dependencies away']],
    ['a service that waits for itself', 'services: {a: {image: x, depends_on: [a]}}', ['services wait for each other in a circle: a → a; take one of these dependencies away']],
    ['a dependency that is not there', 'services: {web: {image: x, depends_on: [databse]}, database: {image: x}}', ['there is no service databse; did you mean database?']],
    ['a network of a service that is not there', 'services: {a: {image: x, network_mode: "service:zzzz"}}', ['there is no service zzzz; add it, or take it out of network_mode']],
    ['a network that is not declared', 'services: {a: {image: x, networks: [fronted]}}\nnetworks: {frontend: }', ['there is no network fronted; did you mean frontend?']],
    ['one port twice', 'services: {a: {image: x, ports: ["80:1"]}, b: {image: x, ports: ["127.0.0.1:80:2"]}}', ['port 80/tcp of the host is published by a already; publish one of them on another port']],
    ['one port twice in a service', 'services: {a: {image: x, ports: ["80:1", "80:2"]}}', ['port 80/tcp of the host is published by a itself already; publish one of them on another port']],
    ['names that are no host names', 'services: {"-a": {image: x}, "Ä": {image: x}, "b c": {image: x}}', [expect.stringContaining('call it a'), expect.stringContaining('"Ä" can not be the name of a service'), expect.stringContaining('call it b-c')]],
    ['a name that is too long', `services: {${'a'.repeat(64)}: {image: x}}`, [expect.stringContaining('at most 63 letters')]],
    ['names that are one host', 'services: {my-db: {image: x}, my_db: {image: x}, MY.DB: {image: x}}', ['my_db and my-db are the same host name (my-db); give one of them another name', 'MY.DB and my_db are the same host name (my-db); give one of them another name']],
    ['a bad name of a volume', 'services: {a: {image: x}}\nvolumes: {"a b": }', ['"a b" can not be the name of a volume; use letters, digits, dots, hyphens and underscores, with a letter or digit first']],
    ['a volume that is no map', 'services: {a: {image: x}}\nvolumes: {v: text}', ['v under volumes is a map, or nothing']],
    ['volumes that are no map', 'services: {a: {image: x}}\nvolumes: [v]', ['volumes is a map of names']],
    ['a volume of a folder of the source', 'services: {a: {image: x}}\nvolumes: {v: {driver_opts: {type: none, o: bind, device: ./x}}}', [expect.stringContaining('./x would be looked for on the server')]],
    ['no services', 'volumes: {a: }', ['the file has no services']],
    ['empty services', 'services:', ['services is a map of at least one service']],
    ['a service that is no map', 'services: {a: x}', ['a is no service; a service is a map with image or build']],
    ['the first format of Compose', 'web: {image: x}', ['this is the first format of Compose, without the key services; indent everything below services:']],
    ['models', 'services: {a: {image: x}}\nmodels: {m: {model: x}}', [expect.stringContaining('run a model as a service')]],
    ['very many services', `services: {${Array.from({length: 201}, (_, index) => `s${index}: {image: x}`).join(', ')}}`, ['a project has at most 200 services; this one has 201']],
  ])('stops for %s', async (_, text, expected) => {
    expect(await errors(text)).toEqual(expected)
  })

  test('lets ports share a number where they do not meet', async () => {
    expect(await errors('services: {a: {image: x, ports: ["127.0.0.1:80:1", "80:1/udp", "81"]}, b: {image: x, ports: ["10.0.0.1:80:1", "[::1]:80:1", "81"]}}')).toEqual([])
    expect(await errors('services: {a: {image: x, ports: ["0.0.0.0:80:1"]}, b: {image: x, ports: ["127.0.0.1:80:1", "[::1]:80:1"]}}')).toHaveLength(1)
  })
})

describe('what people may want on their own server is a warning', () => {
  test.each([
    ['privileged: true', /rules the whole server/],
    ['pid: host', /sees and can end every process/],
    ['ipc: host', /shares memory/],
    ['network_mode: host\nports: ["80:80"]', /ports has no effect/],
    ['volumes: ["/var/run/docker.sock:/var/run/docker.sock:ro"]', /lets the service rule the whole server/],
    ['volumes: ["/:/host:ro"]', /sees all files of the server/],
    ['enviroment: {A: b}', /enviroment is no key of Compose at this place and is left out; did you mean environment\?/],
    ['whatever: 1', /whatever is no key of Compose .* start its name with x-/],
    ['healthcheck: {test: x, intervall: 5s}', /did you mean interval\?/],
    ['healthcheck: {test: x, start_interval: 5s}', /interval counts from the start/],
    ['build: {context: ., cache_from: [x]}', /build\.cache_from has no effect/],
    ['deploy: {resources: {reservations: {cpus: "1"}}}', /in a swarm only/],
    ['deploy: {restart_policy: {delay: 5s}}', /deploy\.restart_policy\.delay/],
    ['volumes: [{type: bind, source: /x, target: /x, bind: {create_host_path: false}}]', /made all the same/],
    ['depends_on: {b: {condition: service_started, restart: true}}', /only a deployment does/],
    ['configs: [{source: c, uid: "1"}]', /uid has no effect/],
  ])('%s', async (body, expected) => {
    const text = `${one(body, '  b: {image: x}\nconfigs: {c: {content: x}}')}`
    expect(await errors(text)).toEqual([])
    expect(await warnings(text)).toEqual([expect.stringMatching(expected)])
  })

  test('so is a name that some programs refuse', async () => {
    expect(await warnings('services: {my_db: {image: x}, Web: {image: x}}')).toEqual(['my_db is no proper host name, and some programs refuse it; my-db is one', 'Web is no proper host name, and some programs refuse it; web is one'])
  })

  test('what is for people and tools only is not told at all', async () => {
    expect(told(await read('version: "3"\nname: shop\nx-any: {b: 1}\nservices: {a: {image: x, x-a: 1, attach: false, develop: {watch: []}, profiles: []}}'))).toEqual([])
  })
})
