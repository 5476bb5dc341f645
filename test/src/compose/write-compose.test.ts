import {describe, expect, test} from 'vitest'
import type {ComposeRelease, ReleasedService} from '../../../src/compose/release.js'
import {writeCompose} from '../../../src/compose/write-compose.js'
import {findPluginKeys} from '../../../src/compose/plugin-keys.js'
import {keys, one, project, warnings} from './read.js'

async function release(text: string, over: Partial<ComposeRelease> = {}, service: Partial<ReleasedService> = {}): Promise<ComposeRelease> {
  const {services, volumes, networks} = await project(text)
  return {projectId: 'proj_1', slug: 'shop', loopback: false, volumes, networks, services: services.map((one) => ({service: one, serviceId: `svc_${one.name}`, deploymentId: 'dep_1', image: one.image ?? '', hostPaths: {}, ...service})), ...over}
}

const shop = `services:
  web:
    image: shop/web:1
    command: serve --greeting "hello world"
    environment: {URL: "postgres://u:p$$w@db/x", EMPTY: "", YES: "yes"}
    ports: ["8080:80", "127.0.0.1:9000:9000/udp", "3000"]
    volumes: ["uploads:/uploads", "/etc/localtime:/etc/localtime:ro"]
    tmpfs: /run
    depends_on: {db: {condition: service_healthy}}
    restart: unless-stopped
    stop_grace_period: 1m30s
    labels: {team: "a$$b"}
    user: "1000"
  db:
    image: postgres:16
    healthcheck: {test: pg_isready -U $$USER, interval: 5s, retries: 10}
    volumes: ["data:/var/lib/postgresql/data"]
    networks: {back: {aliases: [database]}}
volumes:
  data:
  uploads: {name: real-uploads}
  old: {external: true}
networks:
  back: {internal: true}
`

test('a file of ours can be read by people', async () => {
  expect(writeCompose(await release(shop))).toBe(`# Written by Moorage at every deployment; changes made here are lost. To look: docker-compose -p moorage-shop -f compose.yml ps
services:
  db:
    image: postgres:16
    volumes:
      - data:/var/lib/postgresql/data
    healthcheck:
      test:
        - CMD-SHELL
        - "pg_isready -U $$USER"
      interval: "5s"
      retries: 10
    labels:
      moorage.deployment: dep_1
      moorage.managed: "true"
      moorage.project: proj_1
      moorage.service: svc_db
    networks:
      back:
        aliases:
          - database
  web:
    image: shop/web:1
    command:
      - serve
      - "--greeting"
      - "hello world"
    environment:
      EMPTY: ""
      URL: "postgres://u:p$$w@db/x"
      "YES": "yes"
    ports:
      - "8080:80"
      - "127.0.0.1:9000:9000/udp"
      - "3000"
    volumes:
      - uploads:/uploads
      - /etc/localtime:/etc/localtime:ro
    tmpfs:
      - /run
    depends_on:
      db:
        condition: service_healthy
    restart: unless-stopped
    stop_grace_period: "90s"
    labels:
      moorage.deployment: dep_1
      moorage.managed: "true"
      moorage.project: proj_1
      moorage.service: svc_web
      team: "a$$b"
    user: "1000"
volumes:
  data:
    name: moorage-shop-data
    labels:
      moorage.managed: "true"
      moorage.project: proj_1
  old:
    name: old
    external: true
  uploads:
    name: real-uploads
    labels:
      moorage.managed: "true"
      moorage.project: proj_1
networks:
  back:
    name: moorage-shop-back
    internal: true
    labels:
      moorage.managed: "true"
      moorage.project: proj_1
  default:
    name: moorage-shop
    labels:
      moorage.managed: "true"
      moorage.project: proj_1
`)
})

test('volumes and networks that nobody declared are declared by the file', async () => {
  const given = await release('services: {a: {image: x, volumes: ["data:/d"], networks: [back]}}\nvolumes: {data: }\nnetworks: {back: }')
  expect(writeCompose({...given, volumes: [], networks: []})).toBe(writeCompose(given))
})

describe('ports', () => {
  const portsOf = async (loopback: boolean) => /ports:\n((?: {6}- .*\n)*)/.exec(writeCompose(await release('services: {a: {image: x, ports: ["80:80", "81", "0.0.0.0:82:82", "[::1]:83:83", "84:84/udp"]}}', {loopback})))?.[1]?.match(/"(.*)"/g)

  test('without an interface stay what they are', async () => {
    expect(await portsOf(false)).toEqual(['"80:80"', '"81"', '"0.0.0.0:82:82"', '"[::1]:83:83"', '"84:84/udp"'])
  })

  test('of apps without an interface are for the server itself only', async () => {
    expect(await portsOf(true)).toEqual(['"127.0.0.1:80:80"', '"127.0.0.1::81"', '"0.0.0.0:82:82"', '"[::1]:83:83"', '"127.0.0.1:84:84/udp"'])
  })
})

describe('what comes from the source', () => {
  const text = one('volumes: ["./conf:/conf:ro,z", "./data:/data"]\nconfigs: [c]\nsecrets: [s]', 'configs: {c: {content: hello}}\nsecrets: {s: {file: ./s.txt}}')
  const hostPaths = {'/conf': '/srv/moorage/shop/files/ab/conf', '/data': '/srv/moorage/shop/data', '/c': '/srv/moorage/shop/files/cd/c', '/run/secrets/s': '/srv/moorage/shop/files/ef/s.txt'}

  test('is mounted from where it lies on the server', async () => {
    expect(writeCompose(await release(text, {}, {hostPaths}))).toContain(`    volumes:
      - "/srv/moorage/shop/files/ab/conf:/conf:ro,z"
      - /srv/moorage/shop/data:/data
      - /srv/moorage/shop/files/ef/s.txt:/run/secrets/s:ro
      - /srv/moorage/shop/files/cd/c:/c:ro
`)
  })

  test('can not be written without such a place', async () => {
    const without = await release(text)
    expect(() => writeCompose(without)).toThrow('no path on the server was given for /conf of a')
  })

  test('may lie in a folder with a colon in its name', async () => {
    const {'/conf': _, ...rest} = hostPaths
    expect(writeCompose(await release(text, {}, {hostPaths: {...rest, '/conf': '/srv/a:b'}}))).toContain('      - read_only: true\n        source: /srv/a:b\n        target: /conf\n        type: bind\n')
  })
})

describe('a command', () => {
  const lines = async (body: string) => writeCompose(await release(one(body))).match(/^ {4}(?:entrypoint|command):.*(?:\n {6}- .*)*/gm)

  test('that is none is not written, an empty one is', async () => {
    expect(await lines('user: "1"')).toBeNull()
    expect(await lines('command: []')).toEqual(['    command: []'])
    expect(await lines('command: []\nentrypoint: [/own]')).toEqual(['    entrypoint:\n      - /own', '    command: []'])
    expect(await lines('command: [x]')).toEqual(['    command:\n      - x'])
    expect(await lines('entrypoint: []')).toEqual(['    entrypoint: []'])
  })
})

describe('keys', () => {
  test('that say when to pull are not written: images are there before services start', async () => {
    expect((await keys('pull_policy: always')).others).toEqual({pull_policy: 'always'})
    expect(writeCompose(await release(one('pull_policy: always')))).not.toContain('pull_policy')
  })

  test('of limits for a swarm are written as those of the service', async () => {
    const {others} = await keys('deploy:\n  resources:\n    limits: {cpus: "0.50", memory: 512M, pids: 10}\n    reservations: {memory: 1g, devices: [{capabilities: [gpu], count: 1, driver: nvidia}]}\n  restart_policy: {condition: on-failure, max_attempts: 3}')
    expect(others).toEqual({cpus: 0.5, mem_limit: '512m', pids_limit: 10, mem_reservation: '1g', deploy: {resources: {reservations: {devices: [{capabilities: ['gpu'], count: 1, driver: 'nvidia'}]}}}})
    expect(await keys('gpus: all')).toMatchObject({others: {deploy: {resources: {reservations: {devices: [{capabilities: ['gpu'], count: -1}]}}}}})
    expect((await keys('deploy: {restart_policy: {condition: on-failure, max_attempts: 3}}')).restart).toBe('on-failure:3')
    expect((await keys('deploy: {restart_policy: {condition: any}}\nrestart: "no"')).restart).toBe('no')
  })

  test('that only the plugin knows are told', async () => {
    const text = one('uts: host\nnetworks: {n: {mac_address: "02:42:ac:11:65:43"}}', 'networks: {n: {enable_ipv4: false}}')
    expect(await warnings(text)).toEqual(['uts needs the Compose plugin (docker compose) on the server; docker-compose 1.29 does not know it'])
    expect(findPluginKeys(await project(text))).toEqual([{owner: 'a', key: 'uts'}, {owner: 'a', key: 'networks.mac_address'}, {owner: 'n', key: 'enable_ipv4'}])
    expect(findPluginKeys(await project(shop))).toEqual([])
  })
})
