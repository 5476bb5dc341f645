import fc from 'fast-check'
import {describe, expect, test} from 'vitest'
import {BadReference, parseInterpolation, resolveParts} from '../../../src/compose/interpolation.js'
import {escapeDollars} from '../../../src/compose/yaml-data.js'

function fill(text: string, values: Readonly<Record<string, string>> = {}) {
  const used: string[] = []
  const required: string[] = []
  const result = resolveParts(parseInterpolation(text), (name) => values[name], {
    used: (name, {given, hasDefault}) => used.push(`${name}${given ? ' given' : ''}${hasDefault ? ' default' : ''}`),
    required: (name, message) => required.push(`${name}: ${message}`),
  })
  return {result, used, required}
}

const values = {SET: 'set', EMPTY: '', OTHER: 'other', _1: 'one', lower: 'low'}

describe('references', () => {
  test.each([
    ['plain', 'plain'], ['$SET', 'set'], ['${SET}', 'set'], ['a${SET}b', 'asetb'], ['$SET$OTHER', 'setother'], ['$SET-x', 'set-x'], ['${_1}', 'one'], ['$lower', 'low'],
    ['$UNSET', ''], ['${UNSET}', ''], ['[$EMPTY]', '[]'],
    ['$$', '$'], ['$$SET', '$SET'], ['$${SET}', '${SET}'], ['$$$SET', '$set'], ['$$$$', '$$'],
    ['$', '$'], ['a$', 'a$'], ['$ SET', '$ SET'], ['$1', '$1'], ['$(cmd)', '$(cmd)'], ['5$ and 6$', '5$ and 6$'], ['$-', '$-'],
    ['${SET:-d}', 'set'], ['${SET-d}', 'set'], ['${EMPTY:-d}', 'd'], ['${EMPTY-d}', ''], ['${UNSET:-d}', 'd'], ['${UNSET-d}', 'd'], ['${UNSET:-}', ''], ['${UNSET-}', ''],
    ['${SET:?m}', 'set'], ['${SET?m}', 'set'], ['${EMPTY?m}', ''],
    ['${SET:+r}', 'r'], ['${SET+r}', 'r'], ['${EMPTY:+r}', ''], ['${EMPTY+r}', 'r'], ['${UNSET:+r}', ''], ['${UNSET+r}', ''],
    ['${UNSET:-${SET}}', 'set'], ['${UNSET:-${EMPTY:-${OTHER}}}', 'other'], ['${UNSET:-a${SET}b$OTHER}', 'asetbother'], ['${SET:+<$OTHER>}', '<other>'], ['${UNSET:-$$x}', '$x'],
    ['${UNSET:-a:-b}', 'a:-b'], ['${UNSET:-a-b}', 'a-b'], ['${UNSET:-http://x:1/?a=b}', 'http://x:1/?a=b'], ['${UNSET:- a }', ' a '], ['${UNSET:-{"a":1}', '{"a":1'], ['${UNSET:-x}}', 'x}'], ['${UNSET:-one\ntwo}', 'one\ntwo'],
  ])('%j becomes %j', (text, expected) => {
    expect(fill(text, values).result).toBe(expected)
  })

  test.each(['${', '${}', '${SET', '${1X}', '${SET:}', '${SET:=x}', '${SET/a/b}', '${ SET}', '${SET!}', '${UNSET:-${SET}', '${SET%x}'])('%j is none', (text) => {
    expect(() => parseInterpolation(text)).toThrow(BadReference)
  })

  test('that are required and missing are told with their message, filled in too', () => {
    expect(fill('${A:?say ${SET}} ${B?} ${EMPTY:?empty}', values).required).toEqual(['A: say set', 'B: ', 'EMPTY: empty'])
  })

  test('are told as used only where they count', () => {
    expect(fill('$A ${SET:-$B} ${C:-$D} ${E:+$F} ${SET:+$G}', values).used).toEqual(['A', 'SET given default', 'C default', 'D', 'E default', 'SET given default', 'G'])
  })

  test('nested without end are refused', () => {
    expect(() => parseInterpolation('${A:-'.repeat(10_000) + '}'.repeat(10_000))).toThrow(BadReference)
  })

  test('of hostile names find nothing that nobody gave', () => {
    expect(resolveParts(parseInterpolation('[${constructor}$__proto__]'), new Map<string, string>().get.bind(new Map()), {used: () => undefined, required: () => undefined})).toBe('[]')
  })
})

test('a text with its dollar signs doubled is what it was', () => {
  fc.assert(fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[$${}A:?-]*$/)), (text) => void expect(fill(escapeDollars(text), {A: 'wrong'}).result).toBe(text)))
})

test('no text takes long or fails in another way', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[${}A:?+-]{0,40}$/), (text) => {
      try {
        fill(text)
      } catch (error) {
        expect(error).toBeInstanceOf(BadReference)
      }
    }),
  )
})
