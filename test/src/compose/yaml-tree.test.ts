import fc from 'fast-check'
import {describe, expect, test} from 'vitest'
import {Problems} from '../../../src/compose/problems.js'
import {toData} from '../../../src/compose/read-values.js'
import {childOf, type TreeNode} from '../../../src/compose/tree.js'
import {parseYamlTree} from '../../../src/compose/yaml-tree.js'

function parse(text: string) {
  const problems = new Problems()
  const tree = parseYamlTree(text, {path: 'a.yml', folder: '.'}, problems)
  return {tree, told: problems.all.map(({line, column, path, message}) => `${line}:${column} ${path} ${message}`)}
}

const data = (text: string) => {
  const {tree, told} = parse(text)
  return tree === undefined ? told : toData(tree, false)
}

const where = (node: TreeNode | undefined) => (node === undefined ? undefined : `${node.place.line}:${node.place.column} ${node.place.path.join('/')}`)

describe('values', () => {
  test('of every kind have their place', () => {
    const {tree} = parse('a: one\nb:\n  - x\n  - c: [1, 2]\n')
    expect(where(childOf(tree, 'a'))).toBe('1:4 a')
    const list = childOf(tree, 'b')
    expect(where(list)).toBe('3:3 b')
    expect(where(list?.kind === 'list' ? childOf(list.items[1], 'c') : undefined)).toBe('4:8 b/1/c')
  })

  test('of an alias have the place of the anchor and the path of the alias', () => {
    const {tree} = parse('a: &x {k: v}\nb: *x\n')
    expect(where(childOf(childOf(tree, 'b'), 'k'))).toBe('1:11 b/k')
  })

  test('are texts where a tag says so', () => {
    expect(data('a: !!str 1.10\nb: 1.10\n')).toEqual({a: '1.10', b: '1.1'})
  })

  test('carry the tags of Compose', () => {
    const {tree} = parse('a: !reset\nb: !override [x]\nc: !other x\n')
    expect(['a', 'b', 'c'].map((key) => childOf(tree, key)?.tag)).toEqual(['reset', 'override', undefined])
  })

  test('may stand in a file with a byte order mark and the line ends of Windows', () => {
    expect(data('\uFEFFa: 1\r\nb: |\r\n  x\r\n  y\r\n')).toEqual({a: '1', b: 'x\ny\n'})
  })
})

describe('merge keys', () => {
  test.each([
    ['own keys win before the merge key', 'x: &x {a: 1, b: 1}\ny: {a: 2, <<: *x}', {x: {a: '1', b: '1'}, y: {a: '2', b: '1'}}],
    ['own keys win after it', 'x: &x {a: 1, b: 1}\ny: {<<: *x, a: 2}', {x: {a: '1', b: '1'}, y: {a: '2', b: '1'}}],
    ['the first of several maps wins', 'x: [&p {a: 1}, &q {a: 2, b: 2}]\ny: {<<: [*p, *q]}', {x: [{a: '1'}, {a: '2', b: '2'}], y: {a: '1', b: '2'}}],
    ['they go on through each other', 'x: &x {a: 1}\ny: &y {<<: *x, b: 2}\nz: {<<: *y}', {x: {a: '1'}, y: {b: '2', a: '1'}, z: {b: '2', a: '1'}}],
    ['in quotes it is a key like any other', '"<<": {a: 1}', {'<<': {a: '1'}}],
  ])('%s', (_, text, expected) => {
    expect(data(text)).toEqual(expected)
  })
})

describe('what is wrong', () => {
  test.each([
    ['a key that is there twice', 'a: 1\nb: 2\na: 3\n', ['3:1 /a the key a is there twice; keep one']],
    ['a key twice further down', 'a:\n  b: {c: 1, c: 2}\n', ['2:13 /a/b/c the key c is there twice; keep one']],
    ['an alias without an anchor', 'a: *x\n', ['1:4 /a there is no anchor &x before this alias']],
    ['an alias before its anchor', 'a: *x\nb: &x 1\n', ['1:4 /a there is no anchor &x before this alias']],
    ['a merge key that is no map', 'a: {<<: 1}\n', ['1:9 /a/<< a merge key << takes a map or a list of maps']],
    ['a key that is no text', '? [a]\n: b\n', ['1:3  a key must be a text']],
    ['a list', '- a\n', ['1:1  a Compose file is a map with the key services']],
    ['nothing', '# nothing\n', ['1:1  a Compose file is a map with the key services']],
  ])('%s is told with its place', (_, text, expected) => {
    expect(parse(text).told).toEqual(expected)
  })

  test('text that is no YAML is told with its place', () => {
    const {tree, told} = parse('a: 1\nb: [1, 2\nc: 3\n')
    expect(tree).toBeUndefined()
    expect(told[0]).toMatch(/^[23]:\d+ {2}this is no YAML: /)
  })

  test('a bomb of aliases ends early', () => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]', ...Array.from({length: 12}, (_, index) => `a${index + 1}: &a${index + 1} [${Array(10).fill(`*a${index}`).join(', ')}]`)]
    expect(parse(lines.join('\n')).told).toEqual(['1:1  with its aliases the file has more than 50,000 values'])
  })

  test('many aliases take no long search each', () => {
    const text = `a: &a 1\nb: [${Array(45_000).fill('*a').join(', ')}]\n`
    const start = performance.now()
    expect(parse(text).told).toEqual([])
    expect(performance.now() - start).toBeLessThan(10_000)
  })

  test('an alias within its own anchor ends', () => {
    expect(parse('a: &a [*a]\n').told).toEqual(['1:1  the file is nested deeper than 50 levels, or an alias stands within its own anchor'])
  })

  test('nesting without end is refused, not crashed on', () => {
    expect(parse(`a: ${'['.repeat(100_000)}`).tree).toBeUndefined()
    expect(parse(`a: ${'['.repeat(60)}${']'.repeat(60)}`).told).toHaveLength(1)
  })

  test('a file of more than a million bytes is refused', () => {
    expect(parse(`a: ${'x'.repeat(1_000_001)}`).told).toEqual(['1:1  the file is larger than 1,000,000 bytes'])
  })

  test('no text makes it throw', () => {
    fc.assert(fc.property(fc.oneof(fc.string({unit: 'binary'}), fc.stringMatching(/^[a-c:&*<[\]{},\-!|> \n"'#?%]*$/)), (text) => void parse(text)), {numRuns: 500})
  })
})
