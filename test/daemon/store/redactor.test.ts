import fc from 'fast-check'
import {describe, expect, test} from 'vitest'
import {createRedactor} from '../../../daemon/store/redactor.js'

function redactorOf(...secrets: string[]) {
  const redactor = createRedactor()
  for (const secret of secrets) redactor.add(secret)
  return redactor
}

const awkward = 'p%ss "w\'rd"\nsecond line ÄÖ\r\nthird+/line'

describe('the redactor', () => {
  test.each<[string, string, string]>([
    ['itself', 'got hunter2 here', 'got *** here'],
    ['twice in a text', 'hunter2hunter2', '******'],
    ['base64 of it', `x ${Buffer.from('hunter2').toString('base64')} y`, 'x *** y'],
    ['base64 without padding', `x ${Buffer.from('hunter2').toString('base64url')} y`, 'x *** y'],
    ['a text without it', 'nothing of note', 'nothing of note'],
  ])('masks %s', (_, text, masked) => {
    expect(redactorOf('hunter2').redact(text)).toBe(masked)
  })

  test('masks base64 of a longer text that holds the secret, wherever it lies in it', () => {
    const redactor = redactorOf('correct horse battery')
    for (const before of ['', 'a', 'ab', 'abc', 'user:']) {
      for (const after of ['', 'x', 'xy']) {
        for (const encoding of ['base64', 'base64url'] as const) {
          const text = Buffer.from(`${before}correct horse battery${after}`).toString(encoding)
          const masked = redactor.redact(text)
          expect(masked).toContain('***')
          // What is left holds too few bits of the secret to tell any letter of it.
          expect(Buffer.from(masked.replace('***', ''), 'base64').toString()).not.toMatch(/corr|ttery/)
        }
      }
    }
  })

  test.each<[string, (text: string) => string]>([
    ['as it is', text => text],
    ['URL-encoded', encodeURIComponent],
    ['URL-encoded in lower case', text => encodeURIComponent(text).replace(/%../g, escape => escape.toLowerCase())],
    ['as a form field', text => new URLSearchParams({x: text}).toString().slice(2)],
    ['in JSON', text => JSON.stringify(text).slice(1, -1)],
    ['in base64', text => Buffer.from(text).toString('base64')],
  ])('masks a secret with newlines, quotes and percent signs %s', (_, encode) => {
    const masked = redactorOf(awkward).redact(`<${encode(awkward)}>`)
    expect(masked).toBe('<***>')
  })

  test('masks each line of a secret of several lines', () => {
    expect(redactorOf(awkward).redact('log: second line ÄÖ')).toBe('log: ***')
    expect(redactorOf('one line\nabc\nlast').redact('abc last')).toBe('abc ***')
  })

  test('does not mask secrets that are shorter than four characters', () => {
    expect(redactorOf('abc').redact('abc')).toBe('abc')
    expect(redactorOf('abcd').redact('abcd')).toBe('***')
  })

  test('masks a secret as long as somebody needs it', () => {
    const redactor = redactorOf('hunter2', 'hunter2')
    redactor.remove('hunter2')
    expect(redactor.redact('hunter2')).toBe('***')
    redactor.remove('hunter2')
    redactor.remove('hunter2')
    expect(redactor.redact('hunter2')).toBe('hunter2')
    redactor.add('hunter2')
    expect(redactor.redact('hunter2')).toBe('***')
  })

  test.each([
    ['https://user:pa:ss@host/path?x=1', 'https://***@host/path?x=1'],
    ['git+ssh://git@host:22/a and postgres://u:p%40@db', 'git+ssh://***@host:22/a and postgres://***@db'],
    ['redis://:p@ss@host', 'redis://***@host'],
    ['https://host/@scope/name', 'https://host/@scope/name'],
    ['mail me@example.org', 'mail me@example.org'],
  ])('masks the userinfo in %s', (text, masked) => {
    expect(createRedactor().redact(text)).toBe(masked)
  })

  test('never lets a planted secret through, whatever stands around it', () => {
    const secret = fc.string({minLength: 4, maxLength: 40, unit: 'grapheme'}).filter(text => text.length >= 4 && !'***'.includes(text))
    fc.assert(
      fc.property(secret, fc.string(), fc.string(), (planted, before, after) => {
        fc.pre(!planted.includes('*'))
        expect(redactorOf(planted).redact(before + planted + after)).not.toContain(planted)
      }),
    )
  })

  test('stays fast on a megabyte that looks like the beginning of a URL', () => {
    const began = performance.now()
    createRedactor().redact('a.a-'.repeat(250_000) + '://' + 'x'.repeat(500_000))
    expect(performance.now() - began).toBeLessThan(2000)
  })
})
