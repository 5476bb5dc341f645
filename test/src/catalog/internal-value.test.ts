import {describe, expect, test} from 'vitest'
import {toInternalValue} from '../../../src/catalog/internal-value.js'
import {appWith} from './app-fixture.js'

const services = [
  {name: 'web', image: 'web:1', exposed: true, exposedPort: 80, ports: ['8090:80', '9443:443']},
  {name: 'db', image: 'db:1', ports: ['15432:5432']},
  {name: 'worker', image: 'worker:1'},
]
const endpoints = [
  {service: 'web', port: 443, label: 'admin', kind: 'http', required: false},
  {service: 'web', port: 80, label: 'web', kind: 'http', required: true},
  {service: 'db', port: 5432, label: 'db', kind: 'tcp', scope: 'internal'},
]

const rewrite = (value: string, output: {source: string; service?: string}, parts: object = {services, endpoints}) => toInternalValue(value, output, appWith(parts))
const valueOf = (...given: Parameters<typeof rewrite>) => {
  const found = rewrite(...given)
  return found.kind === 'impossible' ? found.reason : `${found.kind} ${found.value}`
}

describe('a value for a project on the same server', () => {
  test.each(['hunter2', 'db.example.com:5432', 'mongodb://one:1,two:2/x', 'mailto:kim@example.com', ''])('stays as it is where it is no address: %j', (value) => {
    expect(valueOf(value, {source: 'env:db:X'})).toBe(`verbatim ${value}`)
  })

  test('leads to the service and the port that is declared, without TLS for http', () => {
    expect(valueOf('https://shop.example.com/api?x=1', {source: 'publicUrl:web'})).toBe('internal http://web:80/api?x=1')
    expect(valueOf('https://shop.example.com', {source: 'publicUrl:web:443'})).toBe('internal http://web:443')
    expect(valueOf('http://h.example.com:9443', {source: 'publicUrl:web'})).toBe('internal http://web:443')
    expect(valueOf('http://h.example.com:8090', {source: 'template:{{publicUrl:web}}', service: 'web'})).toBe('internal http://web:80')
  })

  test('keeps scheme, login, path and query word for word otherwise', () => {
    const value = 'postgres://kim:p%40ss:w$rd@203.0.113.5:15432/app?sslmode=disable#x'
    expect(valueOf(value, {source: 'template:x', service: 'db'})).toBe('internal postgres://kim:p%40ss:w$rd@db:5432/app?sslmode=disable#x')
    expect(valueOf('redis://:s@cret@[2001:db8::1]:15432/0', {source: 'env:db:URL'})).toBe('internal redis://:s@cret@db:5432/0')
  })

  test('that leads to a service already stays as it is', () => {
    expect(rewrite('postgres://kim@db:5432/app', {source: 'env:web:DATABASE_URL'})).toEqual({kind: 'internal', value: 'postgres://kim@db:5432/app', service: 'db'})
  })

  test('of a template without a service is found by its port', () => {
    expect(valueOf('postgres://h.example.com:5432/x', {source: 'template:x'})).toBe('internal postgres://db:5432/x')
    expect(valueOf('postgres://h.example.com:1/x', {source: 'template:x'})).toBe('it does not say which service it belongs to')
  })

  test('takes the ports of a service that declares no endpoint, and is impossible without any', () => {
    expect(valueOf('postgres://h.example.com:15432/x', {source: 'env:db:URL'}, {services})).toBe('internal postgres://db:5432/x')
    expect(valueOf('http://h.example.com/x', {source: 'env:worker:URL'}, {services})).toBe('the service worker declares no port')
  })
})
