import fc from 'fast-check'
import {describe, expect, test} from 'vitest'
import {findPlaceholders, replacePlaceholders, splitPlaceholders} from '../../../src/catalog/placeholders.js'

const only = (text: string) => {
  const parts = splitPlaceholders(text)
  expect(parts).toHaveLength(1)
  return parts[0]
}

describe('a placeholder', () => {
  test.each([
    ['{{config:KEY}}', {kind: 'config', key: 'KEY'}],
    ['{{ config:lower_1 }}', {kind: 'config', key: 'lower_1'}],
    ['{{publicUrl:web}}', {kind: 'publicUrl', service: 'web', port: undefined}],
    ['{{publicUrl:realtime-dev.x_1:9000}}', {kind: 'publicUrl', service: 'realtime-dev.x_1', port: 9000}],
    ['{{  publicUrl:web:80  }}', {kind: 'publicUrl', service: 'web', port: 80}],
    ['{{env:db:POSTGRES_PASSWORD}}', {kind: 'env', service: 'db', key: 'POSTGRES_PASSWORD'}],
    ['{{ env:my db:a.b:c }}', {kind: 'env', service: 'my db', key: 'a.b:c'}],
    ['{{host}}', {kind: 'host'}],
  ])('%s is read', (text, expected) => {
    expect(only(text)).toEqual({...expected, text, offset: 0})
  })

  test('is found where it stands, with the text around it', () => {
    expect(splitPlaceholders('a{{host}}b{{config:K}}')).toEqual([
      {kind: 'text', text: 'a', offset: 0},
      {kind: 'host', text: '{{host}}', offset: 1},
      {kind: 'text', text: 'b', offset: 9},
      {kind: 'config', key: 'K', text: '{{config:K}}', offset: 10},
    ])
  })

  test('is found inside more braces than it needs', () => {
    for (const text of ['{{{host}}}', '{{{{host}}}}', '{"a":{{host}}}', '{{host}}}}']) expect(findPlaceholders(text), text).toMatchObject([{kind: 'host'}])
  })
})

describe('what is no placeholder', () => {
  test.each([
    ['{{config:MY-KEY}}', 'config', 'form'],
    ['{{config:}}', 'config', 'form'],
    ['{{Config:KEY}}', 'config', 'form'],
    ['{{config : KEY}}', 'config', 'form'],
    ['{{publicUrl:web:http}}', 'publicUrl', 'form'],
    ['{{publicurl:web}}', 'publicUrl', 'form'],
    ['{{env:db}}', 'env', 'form'],
    ['{{ host }}', 'host', 'form'],
    ['{{HOST}}', 'host', 'form'],
    ['{{config:KEY', 'config', 'unclosed'],
    ['{{config:KEY}', 'config', 'unclosed'],
    ['{{host', 'host', 'unclosed'],
  ])('%s is a malformed %s (%s)', (text, meant, reason) => {
    expect(only(text)).toEqual({kind: 'malformed', meant, reason, text, offset: 0})
  })

  test('a placeholder inside another is read, and the outer one is told', () => {
    expect(splitPlaceholders('{{config:{{host}}}}')).toMatchObject([
      {kind: 'malformed', meant: 'config', reason: 'nested', text: '{{config:', offset: 0},
      {kind: 'host', offset: 9},
      {kind: 'text', text: '}}'},
    ])
  })

  test('one that is not closed does not swallow the next, nor the next line', () => {
    expect(splitPlaceholders('{{config:A and {{config:B}}')).toMatchObject([{reason: 'unclosed', text: '{{config:A and '}, {kind: 'config', key: 'B'}])
    expect(splitPlaceholders('a: {{config:A\nb: 1')).toMatchObject([{kind: 'text'}, {reason: 'unclosed', text: '{{config:A'}, {kind: 'text', text: '\nb: 1'}])
  })

  test.each(['{{ $json.name }}', '{{.Values.x}}', '{{secret:X}}', '{{hostname}}', '{{host.name}}', '{{}}', '{{ env.HOME }}'])('%s belongs to someone else', (text) => {
    expect(only(text)).toMatchObject({kind: 'foreign', text})
  })

  test.each(['{"a":{"b":{}}}', '{ {host} }', '{host}', 'a {{ b', '}}', '{{{', ''])('%j is only text', (text) => {
    expect(splitPlaceholders(text).filter(({kind}) => kind !== 'text')).toEqual([])
  })
})

describe('replacing', () => {
  test('puts values in, leaves what has none, and reads no value again', () => {
    const values: Record<string, string> = {A: '{{config:B}}', B: 'b'}
    expect(replacePlaceholders('{{config:A}}-{{config:B}}-{{config:C}}-{{ x }}', (part) => (part.kind === 'config' ? values[part.key] : undefined))).toBe(
      '{{config:B}}-b-{{config:C}}-{{ x }}',
    )
  })

  test('takes values as they are, dollar signs included', () => {
    expect(replacePlaceholders('{{host}}', () => "$&$1$'")).toBe("$&$1$'")
  })
})

test('the parts of any text put together are the text, in order and without a gap', () => {
  const piece = fc.oneof(fc.constantFrom('{', '}', '{{', '}}', 'config:', 'publicUrl:', 'env:a:', 'host', 'KEY', ' ', '\n', ':80'), fc.string())
  fc.assert(
    fc.property(fc.array(piece, {maxLength: 30}), (pieces) => {
      const text = pieces.join('')
      const parts = splitPlaceholders(text)
      expect(parts.map((part) => part.text).join('')).toBe(text)
      let at = 0
      for (const part of parts) {
        expect(part.offset).toBe(at)
        expect(part.text).not.toBe('')
        at += part.text.length
      }
    }),
    {numRuns: 2000},
  )
})

test.each([['openings', '{{'], ['openings of ours', '{{config:'], ['closings', '}}'], ['both', '{{ }}']])('a megabyte of %s is read in no time', (_, text) => {
  const start = performance.now()
  splitPlaceholders(text.repeat(1_000_000 / text.length))
  expect(performance.now() - start).toBeLessThan(2000)
})
