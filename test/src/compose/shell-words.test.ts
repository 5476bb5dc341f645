import {spawnSync} from 'node:child_process'
import fc from 'fast-check'
import {expect, test} from 'vitest'
import {splitWords} from '../../../src/compose/shell-words.js'

test.each([
  ['', []], ['   ', []], ['a b  c', ['a', 'b', 'c']], ['\ta\nb ', ['a', 'b']],
  ["'a b' c", ['a b', 'c']], ['"a b" c', ['a b', 'c']], [`a"b c"d'e f'g`, ['ab cde fg']], ["''", ['']], ['""', ['']], ["a '' b", ['a', '', 'b']],
  [String.raw`a\ b`, ['a b']], [String.raw`\"a\'`, [`"a'`]], [String.raw`"a\"b\\c\d"`, [String.raw`a"b\c\d`]], [String.raw`"\$HOME"`, ['$HOME']], [String.raw`'a\b'`, [String.raw`a\b`]], ['a\\\nb', ['ab']],
  ['echo $HOME ${X} $(y) `z` * ? ~ # no comment', ['echo', '$HOME', '${X}', '$(y)', '`z`', '*', '?', '~', '#', 'no', 'comment']],
  ['sh -c "a && b; c | d > e"', ['sh', '-c', 'a && b; c | d > e']],
])('%j is %j', (text, expected) => {
  expect(splitWords(text)).toEqual(expected)
})

test.each(['"', "'", 'a "b', "a 'b", 'a\\', '"a\\'])('%j has no end', (text) => {
  expect(splitWords(text)).toBeUndefined()
})

test('it splits as the shell of the system does', () => {
  const pieces = fc.constantFrom('a', 'b', ' ', '  ', '\t', "'", '"', '\\', '\\\\', '\\"', "\\'", "'x y'", '"x y"', '""', '=', '-', 'ü')
  const texts = fc.sample(fc.array(pieces, {maxLength: 12}).map((list) => list.join('')), 400).filter((text) => splitWords(text) !== undefined)
  // One shell for all: words end with \x01, texts with \x02.
  const program = texts.map((text) => `set -- ${text}\nfor word do printf '%s\\001' "$word"; done; printf '\\002'`).join('\n')
  const {stdout} = spawnSync('sh', {input: program, encoding: 'utf8'})
  const real = stdout.split('\u0002').slice(0, -1).map((words) => words.split('\u0001').slice(0, -1))
  expect(texts.map((text) => splitWords(text))).toEqual(real)
})
