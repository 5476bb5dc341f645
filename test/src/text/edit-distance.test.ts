import fc from 'fast-check'
import {describe, expect, test} from 'vitest'
import {editDistance, findClosest} from '../../../src/text/edit-distance.js'

describe('the distance of two texts', () => {
  test.each([['', '', 0], ['abc', 'abc', 0], ['abc', 'ab', 1], ['abc', 'abxc', 1], ['abc', 'axc', 1], ['abc', 'acb', 1], ['', 'abc', 3], ['abc', 'xyz', 3]])('of %j and %j is %i', (a, b, distance) => {
    expect(editDistance(a, b)).toBe(distance)
  })

  test('is the same both ways and never more than the longer text', () => {
    fc.assert(
      fc.property(fc.string({maxLength: 12}), fc.string({maxLength: 12}), (a, b) => {
        expect(editDistance(a, b)).toBe(editDistance(b, a))
        expect(editDistance(a, b)).toBeLessThanOrEqual(Math.max(a.length, b.length))
        expect(editDistance(a, b) === 0).toBe(a === b)
      }),
    )
  })
})

describe('the closest word', () => {
  test('is within two letters, one for short words, whatever the capitals', () => {
    const words = ['dependsOn', 'db', 'web', 'environment']
    expect(findClosest('dependOn', words)).toBe('dependsOn')
    expect(findClosest('DEPENDSON', words)).toBe('dependsOn')
    expect(findClosest('bd', words)).toBe('db')
    expect(findClosest('xy', words)).toBeUndefined()
    expect(findClosest('environ', words)).toBeUndefined()
    expect(findClosest('web', ['web', 'web2'])).toBe('web2')
    expect(findClosest('x'.repeat(10_000), ['x'])).toBeUndefined()
  })
})
