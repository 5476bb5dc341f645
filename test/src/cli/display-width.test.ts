import fc from 'fast-check'
import {describe, expect, test} from 'vitest'
import {displayWidth, toPrintable, toPrintableLines, truncate} from '../../../src/cli/display-width.js'

describe('displayWidth', () => {
  test.each([
    ['', 0], ['abc', 3], ['ü', 1], ['u\u0308', 1], ['漢字', 4], ['한글', 4], ['😀', 2], ['👩‍👩‍👧', 2], ['\u001B[31mred\u001B[39m', 3], ['a\u200Bb', 2],
  ])('of %j is %i', (text, width) => {
    expect(displayWidth(text)).toBe(width)
  })
})

describe('truncate', () => {
  test.each([['abcdef', 4, 'abc…'], ['abcd', 4, 'abcd'], ['漢字漢字', 5, '漢字…'], ['abc', 1, '…'], ['abc', 0, '']])('cuts %j to %i', (text, width, cut) => {
    expect(truncate(text, width)).toBe(cut)
  })

  test('never gives more columns than it was allowed', () => {
    fc.assert(fc.property(fc.string({unit: 'grapheme'}), fc.nat(30), (text, width) => displayWidth(truncate(toPrintable(text), width)) <= width))
  })
})

describe('control characters', () => {
  test('are shown instead of obeyed, as are those that turn the direction of writing', () => {
    expect(toPrintable('a\u001B[2J\u0007\tb\r\nc\u009B\u202Ed')).toBe('a\\x1b[2J\\x07 b ⏎ c\\x9b\\u202ed')
  })

  test('of a text of several lines leave its lines and tabs', () => {
    expect(toPrintableLines('a\tb\r\n\u001Bc\n\rd')).toBe('a\tb\n\\x1bc\n\\x0dd')
  })
})
