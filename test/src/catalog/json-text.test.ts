import fc from 'fast-check'
import {describe, expect, test} from 'vitest'
import type {JsonProblem} from '../../../src/catalog/json-problem.js'
import {readJsonText} from '../../../src/catalog/json-text.js'

const problemsOf = (text: string): [JsonProblem['rule'], number, number][] => {
  const json = readJsonText(text)
  return json.problems.map(({rule, offset}) => [rule, json.positionOf(offset).line, json.positionOf(offset).column])
}

describe('strict JSON', () => {
  test.each(['{}', '[1, 2.5e3, -0]', '"text"', 'null', ' \r\n\t{"a": {"b": []}}\n', '{"\\u0061": "\\ud83d\\ude00"}'])('%j has nothing to tell', (text) => {
    const json = readJsonText(text)
    expect(json.problems).toEqual([])
    expect(json.isWhole).toBe(true)
    expect(json.value).toEqual(JSON.parse(text))
  })

  test('a key called __proto__ is a key like any other', () => {
    for (const text of ['{"__proto__": {"a": 1}}', '{"__proto__": {"a": 1},}']) {
      const {value} = readJsonText(text)
      expect(Object.keys(value as object)).toEqual(['__proto__'])
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
      expect(({} as {a?: number}).a).toBeUndefined()
    }
  })
})

describe('what is not strict JSON', () => {
  test.each<[string, string, [JsonProblem['rule'], number, number][]]>([
    ['a comment', '{\n  // why\n  "a": 1 /* b */\n}', [['json-comment', 2, 3], ['json-comment', 3, 10]]],
    ['a trailing comma', '{"a": [1,\n2,\n],\n}', [['json-trailing-comma', 2, 2], ['json-trailing-comma', 3, 2]]],
    ['a comma before a comment and a bracket', '{"a": 1, // b\n}', [['json-trailing-comma', 1, 8], ['json-comment', 1, 10]]],
    ['a byte order mark', '\uFEFF{}', [['json-bom', 1, 1]]],
    ['a key twice', '{\n"a": 1,\n"b": {"a": 1},\n"a": 2}', [['json-duplicate-key', 4, 1]]],
    ['a key twice, written in two ways', '{"a": 1, "\\u0061": 2}', [['json-duplicate-key', 1, 10]]],
    ['a key twice, deep in a list', '[[{"x": 1, "x": 2}]]', [['json-duplicate-key', 1, 12]]],
    ['single quotes', "{'a': 1}", [['json-syntax', 1, 2]]],
    ['a missing comma', '{"a": 1\n"b": 2}', [['json-syntax', 2, 1]]],
    ['two values', '{} {}', [['json-syntax', 1, 4]]],
    ['nothing', '', [['json-syntax', 1, 1]]],
    ['white space only', ' \n\t', [['json-syntax', 1, 1]]],
    ['a mark and nothing', '\uFEFF', [['json-bom', 1, 1], ['json-syntax', 1, 1]]],
  ])('%s is told with its place', (_, text, expected) => {
    expect(problemsOf(text).slice(0, expected.length)).toEqual(expected)
  })

  test('commas and slashes in texts are no commas and no comments', () => {
    expect(problemsOf('{"a": ",]", "b": "http://x", "c": "\\",}"}')).toEqual([])
    expect(problemsOf('{"a": ",]", "b": "// x"}}').map(([rule]) => rule)).toEqual(['json-syntax'])
  })

  test('what it says is read in spite of comments, commas, a mark and keys that are there twice; the last one counts', () => {
    const json = readJsonText('\uFEFF{"a": 1, /* b */ "a": 2, "c": [3,],}')
    expect(json.value).toEqual({a: 2, c: [3]})
    expect(json.isWhole).toBe(true)
    expect(readJsonText('{"a": 1 "b"}').isWhole).toBe(false)
  })

  test('the first ten mistakes are enough', () => {
    expect(readJsonText('@ '.repeat(500)).problems.length).toBeLessThanOrEqual(10)
  })

  test('messages say what to do', () => {
    const messages = ["{'a': 1}", '{"a": "x\n"}', '{"a": "\\x"}', '{// x\n}', '{"a" 1}', '{"a": }', '{"a": 1', '["\\u12"]', '{"a": 01}', '{"a": "\u0001"}', '/* x'].flatMap((text) => readJsonText(text).problems.map(({message}) => message))
    for (const message of messages) expect(message).toMatch(/^[a-zJ].{10,}[^.]$/)
    expect(messages).toContain('JSON has no comments; delete it, or say it in a description or help text')
    expect(messages).not.toContain('this is not JSON')
  })
})

describe('limits', () => {
  test('nesting is refused before it is parsed, at the bracket that is too deep', () => {
    expect(problemsOf('['.repeat(100) + ']'.repeat(100))).toEqual([])
    for (const depth of [101, 1000, 100_000, 900_000]) expect(problemsOf('['.repeat(depth))).toEqual([['json-depth', 1, 101]])
    expect(problemsOf('{"a":'.repeat(100_000))).toEqual([['json-depth', 1, 501]])
  })

  test.each(['"', '"a\n', '["a\n,', '["a\r,', '"\\', '["\\"', "['", '/*', '[//"\n', '[/*"*/'])('nesting after %j is found, too', (start) => {
    const json = readJsonText(start + '[['.repeat(50_000))
    expect(json.problems.length).toBeGreaterThan(0)
  })

  test('a text of more than a million bytes is not read, however it is counted', () => {
    expect(problemsOf(`"${'a'.repeat(999_998)}"`)).toEqual([])
    expect(problemsOf(`"${'a'.repeat(999_999)}"`)).toEqual([['json-size', 1, 1]])
    expect(problemsOf(`"${'ä'.repeat(500_000)}"`)).toEqual([['json-size', 1, 1]])
    expect(problemsOf(' '.repeat(10_000_000))).toEqual([['json-size', 1, 1]])
  })
})

describe('mending', () => {
  const mended = (text: string): string => {
    const edits = readJsonText(text).problems.flatMap((problem) => problem.edits ?? []).toSorted((a, b) => b.offset - a.offset)
    return edits.reduce((result, {offset, length, text: put}) => result.slice(0, offset) + put + result.slice(offset + length), text)
  }

  test.each([
    ['\uFEFF{}', '{}'],
    ['{"a": [1,],}', '{"a": [1]}'],
    ['{\n  "a": 1,\n  "b": 2,\n  "a": 1\n}', '{\n  "b": 2,\n  "a": 1\n}'],
    ['{"a": 1, "a": 2}', '{"a": 1, "a": 2}'],
    ['{"a": 1, /* why */ "a": 1}', '{"a": 1, /* why */ "a": 1}'],
    ['{"a": 1, // why\n}', '{"a": 1 // why\n}'],
  ])('%j becomes %j', (text, expected) => {
    expect(mended(text)).toBe(expected)
  })
})

describe('places', () => {
  const text = '{\r\n  "a": {"b": [10, {"c": "x\\n\\u00e4y"}]},\r\n  "a/b~": null,\r\n  "__proto__": 1,\r\n  "\\u0065": [1, 2]\r\n}'
  // The same with a comma that JSON does not allow, which is read in another way.
  const loose = text.replace('2]', '2,]')

  test.each([['strict', text], ['loose', loose]])('of keys and values are found in %s text', (_, given) => {
    const json = readJsonText(given)
    const cut = (path: (string | number)[], part?: 'key' | 'value'): string => given.slice(json.locate(path, part).offset, json.locate(path, part).offset + json.locate(path, part).length)
    expect(cut(['a', 'b', 0])).toBe('10')
    expect(cut(['a', 'b', 1, 'c'])).toBe('"x\\n\\u00e4y"')
    expect(cut(['a', 'b', 1, 'c'], 'key')).toBe('"c"')
    expect(cut(['a/b~'])).toBe('null')
    expect(cut(['__proto__'], 'key')).toBe('"__proto__"')
    expect(cut(['e', 1])).toBe('2')
    expect(cut([])).toBe('{')
    expect(json.positionOf(json.locate(['a', 'b', 1, 'c'], 'key').offset)).toEqual({line: 2, column: 20})
  })

  test.each([['strict', text], ['loose', loose]])('of what is not there are those of what holds it in %s text', (_, given) => {
    const json = readJsonText(given)
    expect(json.locate(['a', 'x'])).toEqual({offset: given.indexOf('"a"'), length: 3})
    expect(json.locate(['a', 'b', 7, 'x'])).toEqual(json.locate(['a', 'b'], 'key'))
    expect(json.locate(['nowhere', 'x'])).toEqual({offset: 0, length: 1})
    expect(json.locate(['a', 'b', 1, 'c', 'deeper'])).toEqual({offset: given.indexOf('"c"'), length: 3})
    expect(json.locate(['a', 0])).toEqual({offset: given.indexOf('"a"'), length: 3})
  })

  test('inside a text are counted with its escapes', () => {
    const json = readJsonText(text)
    const inside = (offset: number, length: number): string => {
      const span = json.locateInside(['a', 'b', 1, 'c'], {offset, length})
      return text.slice(span.offset, span.offset + span.length)
    }
    expect([inside(0, 1), inside(1, 1), inside(2, 1), inside(3, 1), inside(1, 3)]).toEqual(['x', '\\n', '\\u00e4', 'y', '\\n\\u00e4y'])
    expect(inside(10, 5)).toBe('')
    expect(json.locateInside(['a', 'b', 0], {offset: 1, length: 1})).toEqual(json.locate(['a', 'b', 0]))
  })

  test('of a key that is there twice are those of the last', () => {
    const twice = '{"a": 1, "a": 2}'
    expect(readJsonText(twice).locate(['a'])).toEqual({offset: 14, length: 1})
  })
})

// Reads a text in the slow way too, by a key that is there twice, and compares.
test('places in any document are the same, read quickly or slowly', () => {
  const writing = fc.record({value: fc.dictionary(fc.string(), fc.jsonValue({maxDepth: 4})), indent: fc.constantFrom(undefined, 1, '\t')})
  fc.assert(
    fc.property(writing, ({value, indent}) => {
      const strict = JSON.stringify(value, null, indent)
      const slow = strict.replace(/\}$/, Object.keys(value).length === 0 ? '"\uE000": 0, "\uE000": 0}' : ', "\uE000": 0, "\uE000": 0}')
      const [a, b] = [readJsonText(strict), readJsonText(slow)]
      expect(a.problems).toEqual([])
      expect(a.value).toEqual(JSON.parse(strict))
      expect(b.problems).toHaveLength(1)
      for (const path of pathsOf(value)) {
        expect(a.locate(path)).toEqual(b.locate(path))
        expect(a.locate(path, 'key')).toEqual(b.locate(path, 'key'))
      }
    }),
    {numRuns: 300},
  )
})

function pathsOf(value: unknown, base: (string | number)[] = []): (string | number)[][] {
  if (typeof value !== 'object' || value === null) return [base]
  return [base, ...Object.entries(value).flatMap(([key, child]) => pathsOf(child, [...base, Array.isArray(value) ? Number(key) : key]))].filter((path) => path.length > 0)
}

test('no text makes it throw', () => {
  const piece = fc.oneof(fc.constantFrom('{', '}', '[', ']', ':', ',', '"', '\\', '//', '/*', '*/', 'null', '1', '\n', '\uFEFF', '\u0000', '\ud800', '"a":', '"a": 1,'), fc.string())
  fc.assert(
    fc.property(fc.array(piece, {maxLength: 40}), (pieces) => {
      const json = readJsonText(pieces.join(''))
      for (const {offset, length, message} of json.problems) {
        expect(offset + length).toBeLessThanOrEqual(pieces.join('').length)
        expect(message).not.toBe('')
        json.positionOf(offset)
      }
      json.locate(['a', 0, 'b'])
      if (json.problems.length === 0) expect(json.value).toEqual(JSON.parse(pieces.join('')))
    }),
    {numRuns: 3000},
  )
})
