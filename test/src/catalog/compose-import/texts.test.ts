import {execFileSync} from 'node:child_process'
import fc from 'fast-check'
import {describe, expect, test} from 'vitest'
import {namesIn, parseInterpolation, resolveParts} from '../../../../src/catalog/compose-import/interpolation.js'
import {quoteWord} from '../../../../src/catalog/compose-import/quote-word.js'
import {parseEnvFile} from '../../../../src/compose/dotenv.js'
import {splitWords} from '../../../../src/compose/shell-words.js'

describe('interpolation', () => {
  const variables = new Map([['TAG', '1.2'], ['EMPTY', '']])
  const resolve = (text: string) => resolveParts(parseInterpolation(text), variables)

  test.each([
    ['plain', 'plain', []],
    ['a:$TAG', 'a:1.2', []],
    ['a:${TAG}-b', 'a:1.2-b', []],
    ['$$TAG and $${TAG}', '$TAG and ${TAG}', []],
    ['${NONE:-x}', 'x', []],
    ['${EMPTY:-x}', 'x', []],
    ['${EMPTY-x}', '', []],
    ['${NONE-x}', 'x', []],
    ['${NONE:-${OTHER:-${TAG}}}', '1.2', []],
    ['${TAG:+with}', 'with', []],
    ['${EMPTY:+with}', '', []],
    ['${EMPTY+with}', 'with', []],
    ['${NONE:?must be set}', '', ['NONE']],
    ['${NONE}', '', ['NONE']],
    ['${NONE:-${OTHER}}', '', ['OTHER']],
    ['5$', '5$', []],
    ['${', '${', []],
    ['${not closed', '${not closed', []],
    ['${1BAD}', '${1BAD}', []],
    ['${NONE:-{"a":1}', '{"a":1', []],
  ])('%s is %s', (text, expected, missing) => {
    expect(resolve(text)).toEqual({text: expected, missing})
  })

  test('names every variable, those in defaults too', () => {
    expect(namesIn(parseInterpolation('${A:-${B}} $C'))).toEqual(['A', 'B', 'C'])
  })

  test('a text with its dollar signs doubled comes back as it was, and nothing makes it throw', () => {
    fc.assert(fc.property(fc.string(), (text) => {
      expect(resolve(text.replaceAll('$', '$$$$')).text).toBe(text)
    }))
    const piece = fc.constantFrom('$', '{', '}', ':-', '-', '?', 'A', '${A', '${A:-', '$$')
    fc.assert(fc.property(fc.array(piece), (pieces) => typeof resolve(pieces.join('')).text === 'string'))
    expect(resolve('${A:-'.repeat(5000)).text).toContain('${A')
  })
})

test.each([
  ['A=1', {A: '1'}],
  ['# comment\n\nA=1 # one\nB=2', {A: '1', B: '2'}],
  ['export A = spaced ', {A: 'spaced'}],
  ["A='$x #1'", {A: '$x #1'}],
  ['A="line\\nbreak \\"q\\" \\$x"', {A: 'line\nbreak "q" $x'}],
  ['A="over\nlines"\nB=2', {A: 'over\nlines', B: '2'}],
  ['A=pass#word', {A: 'pass#word'}],
  ['A=', {A: ''}],
  ['\uFEFFA=1\r\nB=2\r\n', {A: '1', B: '2'}],
  ['not a line\n=x\nA', {}],
  ['DB_PASSWORD=a=b=c', {DB_PASSWORD: 'a=b=c'}],
])('%j as an .env file', (text, expected) => {
  expect(Object.fromEntries(parseEnvFile(text).values)).toEqual(expected)
})

describe('words of a command', () => {
  test.each([
    ['redis-server --appendonly yes', ['redis-server', '--appendonly', 'yes']],
    ['sh -c "echo \'a b\' && ls"', ['sh', '-c', "echo 'a b' && ls"]],
    ["a 'b c' d\\ e", ['a', 'b c', 'd e']],
    ['a"b"c', ['abc']],
    ['"" x', ['', 'x']],
    ['a \\\n b', ['a', 'b']],
    ['"a\\n\\"b"', ['a\\n"b']],
    ['  ', []],
  ])('%j', (text, words) => {
    expect(splitWords(text)).toEqual(words)
  })

  test('a quote that does not end is told', () => {
    expect(splitWords('a "b')).toBeUndefined()
  })

  test('quoted words come back as they were, from here and from a shell', () => {
    const words = fc.array(fc.string().filter((word) => !word.includes('\0')), {minLength: 1, maxLength: 5})
    fc.assert(fc.property(words, (list) => {
      expect(splitWords(list.map(quoteWord).join(' '))).toEqual(list)
    }))
    const list = ['a b', "it's", '$HOME', '`x`', 'new\nline', '']
    expect(execFileSync('sh', ['-c', `printf '%s|' ${list.map(quoteWord).join(' ')}`], {encoding: 'utf8'})).toBe(`${list.join('|')}|`)
  })
})
