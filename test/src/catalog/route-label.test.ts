import fc from 'fast-check'
import {describe, expect, test} from 'vitest'
import {defaultRouteLabel, normalizeLabel, slugify} from '../../../src/catalog/route-label.js'

test.each([
  ['My Shop', 'my-shop'],
  ['  My__Shop!  ', 'my-shop'],
  ['Ünïcode & Söhne', 'ncode-shne'],
  ['a.b/c', 'abc'],
  ['--a--', 'a'],
  ['日本', ''],
])('the slug of %j is %j', (name, slug) => {
  expect(slugify(name)).toBe(slug)
})

test('a slug has at most 100 characters and ends with none that is a hyphen', () => {
  expect(slugify('a'.repeat(150))).toHaveLength(100)
  expect(slugify(`${'a'.repeat(99)} b`)).toBe('a'.repeat(99))
})

test.each([['Web.API_2', 'web-api-2'], ['realtime-dev.x', 'realtime-dev-x'], ['!!', 'service'], ['-a-', 'a']])('the label of %j is %j', (text, label) => {
  expect(normalizeLabel(text)).toBe(label)
})

describe('the label of a route', () => {
  test('is the project alone for its main service, and names any other', () => {
    expect(['web', 'app', 'frontend', 'api', 'Web'].map((service) => defaultRouteLabel('shop', service))).toEqual(['shop', 'shop', 'shop', 'shop-api', 'shop-web'])
  })

  test('ends with the suffix of its route', () => {
    expect(defaultRouteLabel('shop', 'web', 'S3')).toBe('shop-s3')
    expect(defaultRouteLabel('shop', 'api', '')).toBe('shop-api')
  })

  test('is cut where it is too long, and a hash keeps it apart from its like', () => {
    const long = 'a-very-long-name-of-a-project-that-goes-on'
    const [one, two] = [defaultRouteLabel(long, 'service-one'), defaultRouteLabel(long, 'service-two')]
    expect(one).toHaveLength(48)
    expect(one).toMatch(/^a-very-long-name-of-a-project-that-goes-o-[a-z0-9]{1,6}$/)
    expect(one).not.toBe(two)
    expect(defaultRouteLabel('x'.repeat(48), 'web')).toBe('x'.repeat(48))
  })

  test('takes its hash from all of the label, by FNV-1a with 32 bits', () => {
    const full = `${'a'.repeat(50)}`
    let hash = 0x811c9dc5n
    for (const byte of Buffer.from(full)) hash = ((hash ^ BigInt(byte)) * 0x01000193n) & 0xffffffffn
    expect(defaultRouteLabel(full, 'web')).toBe(`${'a'.repeat(41)}-${hash.toString(36).slice(0, 6)}`)
  })

  test('is always a DNS label', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.option(fc.string(), {nil: undefined}), (slug, service, suffix) => {
        expect(defaultRouteLabel(slug, service, suffix)).toMatch(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/)
      }),
    )
  })
})
