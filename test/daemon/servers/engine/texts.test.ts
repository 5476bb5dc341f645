import fc from 'fast-check'
import {describe, expect, test} from 'vitest'
import {enginePath} from '../../../../daemon/servers/engine/ask-engine.js'
import {buildArguments} from '../../../../daemon/servers/engine/cli/build.js'
import {namedVariables} from '../../../../daemon/servers/engine/cli/docker-cli.js'
import {toEngineEvent} from '../../../../daemon/servers/engine/engine-events.js'
import {parseImageRef, registryOf} from '../../../../daemon/servers/engine/image-ref.js'
import {parseListeningSockets} from '../../../../daemon/servers/engine/listening-sockets.js'
import {pullFault, pullReason} from '../../../../daemon/servers/engine/pull-faults.js'
import {mergeConfig} from '../../../../daemon/servers/engine/cli/client-config.js'
import {toAuthHeader, toAuthsHeader} from '../../../../daemon/servers/engine/registry-auth.js'
import {pathBelow} from '../../../../daemon/servers/engine/server-files.js'
import {toUnixTime} from '../../../../daemon/servers/engine/unix-time.js'

const digest = `sha256:${'a'.repeat(64)}`

describe('references of images', () => {
  test.each([
    ['nginx', 'nginx', 'latest'],
    ['library/nginx:1.27', 'library/nginx', '1.27'],
    ['localhost:5000/team/shop_web:dep-1', 'localhost:5000/team/shop_web', 'dep-1'],
    ['registry.example.test/a/b/c', 'registry.example.test/a/b/c', 'latest'],
    [`ghcr.io/a/b:2@${digest}`, 'ghcr.io/a/b', digest],
    [`nginx@${digest}`, 'nginx', digest],
    ['[::1]:5000/x', '[::1]:5000/x', 'latest'],
  ])('%s is %s at %s', (ref, repository, version) => {
    expect(parseImageRef(ref)).toEqual({repository, version})
  })

  test.each(['', 'Shop', 'a b', 'a:', ':1', 'a@sha256:1', '-x', 'a//b', '../a', 'a:b:c', `a${'@'}${digest}x!`])('%j is none', (ref) => {
    expect(() => parseImageRef(ref)).toThrow(/is not the reference of an image/)
  })

  test('whatever is written is a reference with a version or a fault', () => {
    fc.assert(fc.property(fc.string(), (text) => {
      try {
        expect(parseImageRef(text).version).not.toBe('')
      } catch (error) {
        expect(error).toMatchObject({code: 'VALIDATION_ERROR'})
      }
    }))
  })
})

describe('paths of the API', () => {
  test('keep names in their place', () => {
    expect(enginePath('images', 'host:5000/a b/c@sha256:1', 'json')).toBe('/images/host%3A5000/a%20b/c%40sha256%3A1/json')
    for (const name of ['../containers', 'a/../b', '', 'a//b', '.']) expect(() => enginePath('images', name, 'json')).toThrow(/is no name/)
    expect(enginePath('containers', 'x?force=1#', 'json')).toBe('/containers/x%3Fforce%3D1%23/json')
  })
})

describe('why an image could not be had', () => {
  test.each([
    ['manifest for nginx:99 not found: manifest unknown: manifest unknown', 'image_not_found'],
    ['pull access denied for shop, repository does not exist or may require \'docker login\': denied: requested access to the resource is denied', 'login_required'],
    ['Head "https://r.test/v2/x/manifests/1": unauthorized: authentication required', 'login_required'],
    ['Get "https://r.test/v2/": unauthorized: incorrect username or password', 'login_refused'],
    ['Get "https://r.test/v2/": no basic auth credentials', 'login_required'],
    ['Get "https://r.test/v2/": dial tcp: lookup r.test on 127.0.0.53:53: no such host', 'registry_unreachable'],
    ['Get "https://r.test/v2/": net/http: request canceled while waiting for connection (Client.Timeout exceeded while awaiting headers)', 'registry_unreachable'],
    ['Get "https://r.test/v2/": x509: certificate signed by unknown authority', 'registry_unreachable'],
    ['Get "https://r.test/v2/": http: server gave HTTP response to HTTPS client', 'registry_unreachable'],
    ['toomanyrequests: You have reached your pull rate limit', 'registry_unreachable'],
    ['failed to register layer: write /usr/lib/x: no space left on device', 'disk_full'],
    ['no matching manifest for linux/arm64/v8 in the manifest list entries', 'image_not_found'],
    ['something else', 'other'],
  ])('%s: %s', (text, reason) => {
    expect(pullReason(text, false)).toBe(reason)
  })

  test('a login that was given and is not enough is one that was refused', () => {
    expect(pullReason('unauthorized: authentication required', true)).toBe('login_refused')
  })

  test('where a login is wanted it says of which registry, and how to keep one', () => {
    const fault = pullFault({serverId: 'srv_1', serverName: 'one', ref: 'r.test:5000/shop/web:1', hasLogin: false}, 'no basic auth credentials')
    expect(fault).toMatchObject({code: 'SOURCE_UNAVAILABLE', details: {reason: 'login_required', registry: 'r.test:5000'}, suggestions: ['registries add r.test:5000']})
    expect(fault.message).toMatch(/^the registry r\.test:5000 wants a login for r\.test:5000\/shop\/web:1, .*registries add r\.test:5000/)
  })
})

test('logins go as the engine and its client read them', () => {
  const login = {server: 'docker.io', username: 'ü>?', password: 'p:"\\ÿ'}
  expect(toAuthHeader(login)).toMatch(/^[\w=-]+$/)
  const hub = 'https://index.docker.io/v1/'
  expect(JSON.parse(Buffer.from(toAuthHeader(login), 'base64url').toString())).toEqual({username: 'ü>?', password: 'p:"\\ÿ', serveraddress: hub})
  const other = {...login, server: 'r.test:5000'}
  expect(Object.keys(JSON.parse(Buffer.from(toAuthsHeader([login, other]), 'base64url').toString()))).toEqual([hub, 'r.test:5000'])
  const auth = Buffer.from('ü>?:p:"\\ÿ').toString('base64')
  for (const own of ['', 'damaged {', '[]']) expect(JSON.parse(mergeConfig(own, [login, other]))).toEqual({auths: {[hub]: {auth}, 'r.test:5000': {auth}}})
  // The empty helper of a registry leads the client back to the file.
  const own = {auths: {'own.test': {auth: 'b3du'}, [hub]: {}}, credsStore: 'desktop', credHelpers: {'gcr.io': 'gcloud'}, HttpHeaders: {A: 'b'}}
  expect(JSON.parse(mergeConfig(JSON.stringify(own), [login]))).toEqual({...own, auths: {'own.test': {auth: 'b3du'}, [hub]: {auth}}, credHelpers: {'gcr.io': 'gcloud', [hub]: ''}})
})

test.each([
  ['nginx', 'docker.io'], ['library/nginx:1', 'docker.io'], ['docker.io/library/nginx', 'docker.io'], ['index.docker.io/a/b', 'docker.io'], ['ghcr.io/a/b@' + digest, 'ghcr.io'],
  ['localhost/a', 'localhost'], ['registry:5000/a', 'registry:5000'], ['[::1]:5000/a', '[::1]:5000'], ['INTRANET/a', 'intranet'],
])('%s is pulled from %s', (ref, registry) => {
  expect(registryOf(ref)).toBe(registry)
})

test('arguments of a build by the client name variables, and hold no value but of those that steer the client', () => {
  const env = {PATH: '/bin', DOCKER_HOST: 'unix:///x'}
  expect(namedVariables('--build-arg', {TOKEN: 'secret', PATH: '/mine', DOCKER_TLS: '1'}, {env})).toEqual(['--build-arg', 'TOKEN', '--build-arg', 'PATH=/mine', '--build-arg', 'DOCKER_TLS=1'])
  expect(buildArguments({dockerfile: 'a/Dockerfile', tag: 'shop:1', target: 'first', labels: {'moorage.project': 'p'}, noCache: true, args: ['--build-arg', 'TOKEN']}).join(' '))
    .toBe('build --force-rm --cpu-shares 256 --file a/Dockerfile --tag shop:1 --target first --no-cache --label moorage.project=p --build-arg TOKEN -')
  expect(buildArguments({dockerfile: 'Dockerfile', tag: 'shop:1', target: undefined, labels: {}, noCache: undefined, args: []}).join(' ')).toBe('build --force-rm --cpu-shares 256 --file Dockerfile --tag shop:1 -')
})

test('sockets that listen are read from what the kernel prints', () => {
  const output = `@ tcp
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1 1
   1: 00000000:0016 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1 1
   2: 00000000:0016 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1 1
   3: 0100007F:0050 0100007F:1F90 01 00000000:00000000 00:00000000 00000000     0        0 1 1
@ tcp6
   0: 00000000000000000000000000000000:0050 00000000000000000000000000000000:0000 0A 00000000:00000000
   1: 0000000000000000FFFF00000100007F:0051 00000000000000000000000000000000:0000 0A 00000000:00000000
   2: B80D0120000000000000000001000000:0052 00000000000000000000000000000000:0000 0A 00000000:00000000
@ udp
  10: 00000000:0035 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 1 2 0 0
@ udp6
`
  expect(parseListeningSockets(output).map(({protocol, hostAddress, port}) => `${protocol} ${hostAddress} ${port}`)).toEqual([
    'tcp 127.0.0.1 8080', 'tcp 0.0.0.0 22', 'tcp :: 80', 'tcp 127.0.0.1 81', 'tcp 2001:db8::1 82', 'udp 0.0.0.0 53',
  ])
  expect(parseListeningSockets('')).toEqual([])
})

test('events are those of containers, their labels apart from what the engine adds', () => {
  const event = {Type: 'container', Action: 'die', Actor: {ID: 'abc', Attributes: {image: 'x', name: 'y', exitCode: '1', 'moorage.project': 'p'}}, time: 1_700_000_000, timeNano: 1_700_000_000_123_456_800}
  expect(toEngineEvent(event)).toEqual({kind: 'container', action: 'die', containerId: 'abc', labels: {'moorage.project': 'p'}, at: '2023-11-14T22:13:20.123Z'})
  for (const other of [{...event, Type: 'network'}, null, 'x', {}]) expect(toEngineEvent(other)).toBeUndefined()
})

test('instants keep their nanoseconds', () => {
  expect(toUnixTime('2023-11-14T22:13:20.123456789Z')).toBe('1700000000.123456789')
  expect(toUnixTime('2023-11-14T22:13:20Z')).toBe('1700000000.000000000')
  expect(toUnixTime('2023-11-14T23:13:20.5+01:00')).toBe('1700000000.500000000')
  expect(() => toUnixTime('10m')).toThrow(/is not an instant/)
})

test('no path leads out of a folder', () => {
  expect(pathBelow('/srv/moorage', 'shop/compose.yml')).toBe('/srv/moorage/shop/compose.yml')
  expect(pathBelow('/srv/moorage', '/srv/moorage/shop/../other')).toBe('/srv/moorage/other')
  fc.assert(fc.property(fc.array(fc.constantFrom('..', '.', 'a', '', 'srv', 'moorage', '/'), {maxLength: 8}), (parts) => {
    let target: string
    try {
      target = pathBelow('/srv/moorage', parts.join('/'))
    } catch (error) {
      expect(error).toMatchObject({code: 'VALIDATION_ERROR'})
      return
    }
    expect(target).toMatch(/^\/srv\/moorage\/[^/]/)
    expect(target.split('/')).not.toContain('..')
  }))
})
