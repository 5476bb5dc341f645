import fc from 'fast-check'
import {describe, expect, test} from 'vitest'
import {parseEnvFile} from '../../../src/compose/dotenv.js'

const lookup = (name: string) => ({GIVEN: 'given', A: 'outer'})[name]

function values(text: string): Record<string, string> {
  return Object.fromEntries(parseEnvFile(text, {lookup, inherited: lookup}).values)
}

describe('an env file', () => {
  test.each([
    ['plain values', 'X=one\nY = two \n  Z=three', {X: 'one', Y: 'two', Z: 'three'}],
    ['empty values', 'X=\nY=""\nZ=\'\'\nW= # comment', {X: '', Y: '', Z: '', W: ''}],
    ['export', 'export X=1\nexport\tY=2\nexportZ=3\nexport_W=4', {X: '1', Y: '2', exportZ: '3', export_W: '4'}],
    ['comments', '# one\n  # two\nX=1 # three\nY=a#b\nZ=#c\nW=a # b # c', {X: '1', Y: 'a#b', Z: '', W: 'a'}],
    ['comments behind quotes', 'X="a # b" # c\nY=\'a # b\'# c', {X: 'a # b', Y: 'a # b'}],
    ['equal signs and colons', 'X=a=b=c\nY: yaml\nZ=http://a:1/?b=c', {X: 'a=b=c', Y: 'yaml', Z: 'http://a:1/?b=c'}],
    ['escapes in double quotes', String.raw`X="a\nb\tc\rd\\e\"f\$G\x"`, {X: 'a\nb\tc\rd\\e"f$G\\x'}],
    ['no escapes in single quotes', String.raw`X='a\nb$GIVEN' Y`.replace(' Y', '') + '\n' + String.raw`Y='Let\'s go'`, {X: String.raw`a\nb$GIVEN`, Y: "Let's go"}],
    ['no escapes without quotes', String.raw`X=a\nb\tc`, {X: String.raw`a\nb\tc`}],
    ['several lines in double quotes', 'X="one\n two\n\nthree"\nY=1', {X: 'one\n two\n\nthree', Y: '1'}],
    ['several lines in single quotes', "X='one\ntwo'\nY=1", {X: 'one\ntwo', Y: '1'}],
    ['quotes of the other kind', `X="it's"\nY='say "so"'\nZ=it's "so"`, {X: "it's", Y: 'say "so"', Z: `it's "so"`}],
    ['references', 'X=1\nY=$X/${X}\nZ="${X}-${NOPE:-default}"\nW=$GIVEN', {X: '1', Y: '1/1', Z: '1-default', W: 'given'}],
    ['what is given comes before what the file has set', 'A=own\nB=$A', {A: 'own', B: 'outer'}],
    ['doubled dollar signs', 'X=a$$b\nY="$$GIVEN"', {X: 'a$b', Y: '$GIVEN'}],
    ['later lines win', 'X=1\nX=2', {X: '2'}],
    ['a name alone takes what is given', 'GIVEN\nNOPE\nexport GIVEN', {GIVEN: 'given'}],
    ['names with dots and hyphens', 'a.b=1\nc-d=2', {'a.b': '1', 'c-d': '2'}],
    ['line ends of Windows and a byte order mark', '\uFEFFX=1\r\nY="a\r\nb"\r\n', {X: '1', Y: 'a\nb'}],
    ['nothing', '', {}],
    ['empty lines', '\n\n  \n\t\n', {}],
  ])('has %s', (_, text, expected) => {
    expect(values(text)).toEqual(expected)
    expect(parseEnvFile(text, {lookup, inherited: lookup}).faults).toEqual([])
  })

  test.each([
    ['a line that is none', 'X=1\n$what\nY=2', [2], {X: '1', Y: '2'}],
    ['a quote without an end', 'X="one\nY=2\n', [1], {Y: '2'}],
    ['text behind a quote', 'X="one" two\nY=2', [1], {Y: '2'}],
    ['a space in a name', 'A B=1\nY=2', [1], {Y: '2'}],
    ['a broken reference', 'X=${\nY=2', [1], {Y: '2'}],
  ])('tells %s with its line, and reads on', (_, text, lines, expected) => {
    const {faults, values: read} = parseEnvFile(text, {lookup})
    expect(faults.map(({line}) => line)).toEqual(lines)
    expect(Object.fromEntries(read)).toEqual(expected)
  })

  test('stays as it is where nothing is to be filled in', () => {
    expect(Object.fromEntries(parseEnvFile('X=$GIVEN ${Y}\nZ="\\$a $b"').values)).toEqual({X: '$GIVEN ${Y}', Z: '$a $b'})
  })

  test('gives back what was put in quotes', () => {
    const quote = (text: string) => `"${text.replace(/["\\$]/g, '\\$&')}"`
    fc.assert(
      fc.property(fc.string({unit: 'binary'}).filter((text) => !text.includes('\r') && !text.startsWith('\uFEFF')), (text) => {
        expect(parseEnvFile(`A=${quote(text)}\nB=1`, {lookup: () => 'wrong'}).values).toEqual(new Map([['A', text], ['B', '1']]))
      }),
    )
  })

  test('never throws', () => {
    fc.assert(fc.property(fc.oneof(fc.string({unit: 'binary'}), fc.stringMatching(/^[A=:'"\\$#{}\n ]*$/)), (text) => void parseEnvFile(text, {lookup})))
  })
})
