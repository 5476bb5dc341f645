import fc from 'fast-check'
import {expect, test} from 'vitest'
import {parseDotenv, toDotenvLine} from '../../../src/cli/dotenv.js'

test('a value is written plain where that is safe, else in single quotes, where nothing is read into it', () => {
  expect(toDotenvLine('A', 'x'.repeat(64))).toBe(`A=${'x'.repeat(64)}`)
  expect(toDotenvLine('A', '')).toBe('A=')
  expect(toDotenvLine('A', 'a $b #c "d"')).toBe(`A='a $b #c "d"'`)
})

test.each(["it's", 'a\\b', 'a\nb', '\u0000'])('a value that programs read differently is not written: %j', (value) => {
  expect(toDotenvLine('A', value)).toBeUndefined()
})

test('what is written is read as it was', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.stringMatching(/^[A-Za-z_]\w{0,9}$/), fc.string()), (values) => {
      const lines = Object.entries(values).map(([name, value]) => toDotenvLine(name, value))
      const read = parseDotenv(lines.join('\n'))
      for (const [index, [name, value]] of Object.entries(values).entries()) {
        if (lines[index] !== undefined) expect(read.get(name)).toBe(value)
      }
    }),
  )
})

test('what people write is read too: comments, exports, quotes, spaces; the last of two counts', () => {
  const text = '\uFEFF# first\nA=1\r\nexport B = "two words"\nC=\'#\' # three\nD=four # five\nE=a#b\nF= # none\nno line\nA=2\n'
  expect(Object.fromEntries(parseDotenv(text))).toEqual({A: '2', B: 'two words', C: '#', D: 'four', E: 'a#b', F: ''})
})
