import fc from 'fast-check'
import {describe, expect, test} from 'vitest'
import {stringify} from 'yaml'
import {isDeeperThan} from '../../../src/compose/yaml-depth.js'
import {read, told} from './read.js'

const most = 900_000

describe('a file that nests without end is refused before it is parsed', () => {
  test.each(['[', '{a: ', '- ', '? ', 'a: ', '- - [', '-\t', '? - '])('as %j', async (level) => {
    const begun = performance.now()
    expect(told(await read(level.repeat(Math.floor(most / level.length)))).map((line) => line.slice(-60))).toEqual([expect.stringContaining('an alias stands within its own anchor')])
    expect(performance.now() - begun).toBeLessThan(2000)
  })

  test('line by line', async () => {
    const text = Array.from({length: 1200}, (_, index) => `${' '.repeat(index)}a:\n`).join('')
    expect(told(await read(text))[0]).toContain('an alias stands within its own anchor')
  })

  test('by way of services that extend each other', async () => {
    const chain = (count: number) => Array.from({length: count}, (_, index) => `  s${index}:\n    image: a\n${index === 0 ? '' : `    extends: s${index - 1}\n`}`).join('')
    expect(told(await read(`services:\n${chain(60)}`))[0]).toContain('at most 50 others')
    expect(told(await read('services:\n  web:\n    extends: {file: all.yml, service: s5}\n', {files: {'all.yml': `services:\n${chain(6)}`}}))).toEqual([])
  })
})

test('what is within the levels is never refused, however it is written', () => {
  const tree = fc.letrec<{any: unknown}>((tie) => ({any: fc.oneof({maxDepth: 20}, fc.string(), fc.integer(), fc.array(tie('any'), {maxLength: 3}), fc.dictionary(fc.string({minLength: 1, maxLength: 5}), tie('any'), {maxKeys: 3}))})).any
  fc.assert(fc.property(tree, fc.boolean(), (value, flow) => {
    expect(isDeeperThan(stringify({a: value}, flow ? {collectionStyle: 'flow'} : {}), 100)).toBe(false)
  }), {numRuns: 200})
  expect(isDeeperThan(`a: |\n${'  - - - - [[[[\n'.repeat(100)}`, 20)).toBe(false)
  expect(isDeeperThan(`a: "${'[{- '.repeat(100)}"\nb: '${'['.repeat(100)}'\nc: x${'['.repeat(100)}\n# ${'['.repeat(100)}\n`, 20)).toBe(false)
})
