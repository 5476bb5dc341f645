import fc from 'fast-check'
import {describe, expect, test} from 'vitest'
import {findPattern, isPattern, matchesPattern} from '../../../src/catalog/bounded-match.js'

describe('a pattern', () => {
  test.each([['^[a-z]+$', 'abc', true], ['^[a-z]+$', 'ab1', false], ['(a|b)+c', 'abac', true], ['^(?:[a-z]+-)*[a-z]+$', 'a-b-c', true], ['(a)\\1', 'aa', true], ['b', 'abc', true], ['(', 'x', undefined]])(
    '%s in %s: %s',
    (pattern, text, expected) => {
      expect(matchesPattern(pattern, text)).toBe(expected)
    },
  )

  test('that would take for ever is given up', () => {
    const startMs = performance.now()
    for (const pattern of ['^(a+)+$', '^(a|a)*$', '^(a*)*b', '^(?:a+){10,}$', '^a*a*a*a*a*a*b$']) expect(matchesPattern(pattern, `${'a'.repeat(150)}!`) ?? false).toBe(false)
    expect(performance.now() - startMs).toBeLessThan(5000)
  })

  test('that is quick gives the same answer as a regular expression', () => {
    const part = fc.constantFrom('a', 'b+', '[a-c]*', 'x?', '(ab)?', '^', '$', '\\d{1,3}', '.', '|', '(?:b)')
    fc.assert(
      fc.property(fc.array(part, {maxLength: 4}), fc.stringMatching(/^[a-d1]{0,8}$/), (parts, text) => {
        const pattern = parts.join('')
        if (isPattern(pattern)) expect(matchesPattern(pattern, text)).toBe(new RegExp(pattern).test(text))
      }),
    )
  })

  test.each([['key=(\\w+)', 'a key=b1', 'b1'], ['b.', 'abc', 'bc'], ['x', 'abc', undefined], ['(', 'x', undefined], ['(a)|b', 'b', ''], ['^(?:a|(b))+\\s(c)', 'ab c', 'b'], ['^(a+)+$', `${'a'.repeat(150)}!`, undefined]])(
    'finds in its way: %s in %s gives %s',
    (pattern, text, expected) => {
      expect(findPattern(pattern, text) ?? undefined).toBe(expected)
    },
  )
})
