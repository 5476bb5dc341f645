import {describe, expect, test} from 'vitest'
import type {Service} from '../../../src/catalog/definition.js'
import {isLoopback, knownHost, publicUrlsOf, type DomainRow, type UrlSources} from '../../../src/catalog/public-urls.js'
import {resolvePublicUrls, resolveUrlEnvironment} from '../../../src/catalog/resolve-public-urls.js'

const service = (parts: Partial<Service>): Service => ({name: 'web', image: 'web:1', ...parts})
const domain = (hostname: string, more: Partial<DomainRow> = {}): DomainRow => ({hostname, service: 'web', targetPort: null, isPrimary: false, ...more})

function lookUp(parts: Partial<Service>, sources: UrlSources) {
  const urls = publicUrlsOf([service(parts)], sources)
  return (port?: number) => urls.find('web', port)?.url
}

describe('the public address of a port', () => {
  test('is that of a host name', () => {
    const find = lookUp({exposedPort: 3000}, {domains: [domain('shop.example.com')]})
    expect([find(), find(3000), find(4000)]).toEqual(['https://shop.example.com', 'https://shop.example.com', undefined])
  })

  test('else that of a fixed mapping on a known host, by both of its ports', () => {
    const find = lookUp({ports: ['8080:80']}, {host: '203.0.113.7'})
    expect([find(), find(80), find(8080)]).toEqual(Array(3).fill('http://203.0.113.7:8080'))
  })

  test('a host name on one port hides no other port, and owns its own', () => {
    const find = lookUp({exposedPort: 3000, ports: ['3000:3000', '9001:9001']}, {host: 'box.example.com', domains: [domain('shop.example.com', {targetPort: 3000})]})
    expect([find(), find(3000), find(9001)]).toEqual(['https://shop.example.com', 'https://shop.example.com', 'http://box.example.com:9001'])
  })

  test('of the service alone is that of its main port, else the first with a host name, else the first mapping', () => {
    const sources = {host: 'h.example.com', domains: [domain('two.example.com', {targetPort: 2000})]}
    expect(lookUp({exposedPort: 1000, routes: [{port: 2000}], ports: ['8001:1000']}, sources)()).toBe('http://h.example.com:8001')
    expect(lookUp({exposedPort: 1000, routes: [{port: 2000}]}, sources)()).toBe('https://two.example.com')
    expect(lookUp({ports: ['8001:5', '8002:6']}, {host: 'h.example.com'})()).toBe('http://h.example.com:8001')
  })

  test('of several host names is the primary one, else the first by name', () => {
    const names = [domain('b.example.com'), domain('a.example.com'), domain('c.example.com', {isPrimary: true})]
    expect(lookUp({exposedPort: 80}, {domains: names})()).toBe('https://c.example.com')
    expect(lookUp({exposedPort: 80}, {domains: names.slice(0, 2)})()).toBe('https://a.example.com')
  })

  test('is not that of a redirect, of a path, or of another service', () => {
    const others = [domain('r.example.com', {redirectsTo: 'x.example.com'}), domain('p.example.com', {targetPath: '/docs'}), domain('o.example.com', {service: 'api'})]
    expect(lookUp({exposedPort: 80}, {domains: others})()).toBeUndefined()
  })

  test('is that of a host name of the whole project only where it leads to a port of the service', () => {
    const find = (targetPort: number | null) => lookUp({exposedPort: 80, ports: ['90:91']}, {domains: [domain('x.example.com', {service: null, targetPort})]})()
    expect([find(80), find(91), find(5), find(null)]).toEqual(['https://x.example.com', 'https://x.example.com', undefined, undefined])
  })

  test.each([
    ['no host', ['80:80'], undefined],
    ['a loopback host', ['80:80'], '127.0.0.1'],
    ['a port that the engine chooses', ['80'], 'h.example.com'],
    ['UDP', ['53:53/udp'], 'h.example.com'],
    ['no port', ['http:80'], 'h.example.com'],
  ])('is not made up: %s', (_, ports, host) => {
    expect(lookUp({ports}, {host})()).toBeUndefined()
  })

  test('that someone chose comes first, without the slash at its end', () => {
    const find = lookUp({exposedPort: 80, routes: [{port: 81}]}, {urls: [{service: 'web', port: null, url: 'https://me.example.com/'}], domains: [domain('x.example.com')]})
    expect([find(), find(80), find(81)]).toEqual(['https://me.example.com', 'https://me.example.com', undefined])
  })

  test('says where only the host itself gets through: no interface named, or a loopback one', () => {
    const bound = (port: string) => publicUrlsOf([service({ports: [port]})], {host: 'h.example.com'}).find('web')?.isLoopbackBound
    expect(['80:80', '127.0.0.1:80:80', '[::1]:80:80', '0.0.0.0:80:80', '192.0.2.1:80:80'].map(bound)).toEqual([true, true, true, false, false])
  })
})

test.each(['127.0.0.1', '127.8.0.1', 'localhost', 'LOCALHOST.', 'app.localhost', '0.0.0.0', '::1', '[::1]', '::', '::ffff:127.0.0.1', ''])('%j is no address to hand out', (host) => {
  expect(knownHost(host)).toBeUndefined()
})

test('other addresses are, IPv6 ones in brackets', () => {
  expect(['203.0.113.7', 'box.example.com', '2001:db8::1', '[2001:db8::1]', 'localhost.example.com'].map(knownHost)).toEqual([
    '203.0.113.7', 'box.example.com', '[2001:db8::1]', '[2001:db8::1]', 'localhost.example.com',
  ])
  expect(isLoopback('12.7.0.0')).toBe(false)
})

describe('{{publicUrl:…}}', () => {
  const urls = publicUrlsOf([service({exposedPort: 80, ports: ['8081:81']})], {host: 'h.example.com', domains: [domain('x.example.com')]})

  test('becomes the address, and nothing else is touched', () => {
    expect(resolvePublicUrls('{{publicUrl:web}}/a {{ publicUrl:web:81 }} {{host}} {{ $json.x }}', urls)).toEqual({
      text: 'https://x.example.com/a http://h.example.com:8081 {{host}} {{ $json.x }}', unresolved: [], loopbackBound: ['http://h.example.com:8081'],
    })
  })

  test('without an address becomes nothing in a text, which is told', () => {
    expect(resolvePublicUrls('a{{publicUrl:api}}b{{publicUrl:web:5}}', urls)).toMatchObject({text: 'ab', unresolved: ['{{publicUrl:api}}', '{{publicUrl:web:5}}']})
  })

  test('without an address leaves its key out of an environment', () => {
    expect(resolveUrlEnvironment({A: '{{publicUrl:web}}', B: 'x {{publicUrl:web}} {{publicUrl:api}}', C: '{{ foreign }}'}, urls)).toEqual({
      environment: {A: 'https://x.example.com', C: '{{ foreign }}'},
      unset: [{key: 'B', placeholders: ['{{publicUrl:api}}']}],
      loopbackBound: [],
    })
  })
})
