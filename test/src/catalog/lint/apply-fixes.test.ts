import fc from 'fast-check'
import {describe, expect, test} from 'vitest'
import {applyFixes} from '../../../../src/catalog/lint/apply-fixes.js'
import {exampleApp} from '../../../../src/catalog/lint/examples.js'
import {lintDefinition} from '../../../../src/catalog/lint/lint-definition.js'
import {readJsonText} from '../../../../src/catalog/json-text.js'

const check = (text: string) => lintDefinition(text).findings
const mend = (text: string): string => applyFixes(text, check).text
const whole = (more: string): string => JSON.stringify(exampleApp).replace(/\}$/, `${more}}`)

describe('mending', () => {
  test('renames keys whose letters match, whatever the writing', () => {
    for (const key of ['min_engine', 'min-engine', 'MinEngine', 'MINENGINE', 'min engine']) expect(mend(whole(`,"${key}":"1.0.0"`))).toBe(whole(',"minEngine":"1.0.0"'))
  })

  test('leaves keys that only come close', () => {
    for (const key of ['minEngin', 'minimumEngine', 'env']) expect(mend(whole(`,"${key}":"1.0.0"`))).toBe(whole(`,"${key}":"1.0.0"`))
  })

  test('never makes a key twice', () => {
    const text = whole(',"min_engine":"1.0.0","minEngine":"0.9.2"')
    expect(mend(text)).toBe(text)
    expect(mend(whole(',"min_engine":"1.0.0","min-engine":"1.0.0"'))).toMatch(/"minEngine":"1\.0\.0","min-engine":"1\.0\.0"|"min_engine":"1\.0\.0","minEngine":"1\.0\.0"/)
  })

  test('never turns what was dropped into what is refused, and mends the rest all the same', () => {
    expect(mend(whole(',"min_engine":5,"config_fields":[]'))).toBe(whole(',"min_engine":5,"configFields":[]'))
  })

  test('does nothing to a text that is not JSON', () => {
    expect(mend('{"min_engine": "1.0.0" "a": 1}')).toBe('{"min_engine": "1.0.0" "a": 1}')
  })

  test('keeps comments, as they say something', () => {
    const text = `{ // why\n${JSON.stringify(exampleApp).slice(1)}`
    expect(mend(text)).toBe(text)
  })

  test('tells what it mended, and only what was wanted', () => {
    const text = whole(',"min_engine":"1.0.0",')
    expect(applyFixes(text, check).findings.map(({rule, fix}) => [rule, fix?.title])).toEqual([['unknown-key', 'rename to minEngine'], ['json-trailing-comma', 'delete the comma']])
    expect(applyFixes(text, check, ({rule}) => rule === 'unknown-key')).toMatchObject({text: whole(',"minEngine":"1.0.0",'), findings: [{rule: 'unknown-key'}]})
  })
})

test('mending any text ends, adds no error, is done when it is done, and says the same as JSON but for renamed keys', () => {
  const key = fc.constantFrom('min_engine', 'minEngine', 'Tags', 'tags', 'unlisted', 'UNLISTED', 'config-fields', 'x')
  const value = fc.constantFrom('"1.0.0"', '[]', '5', 'true', '["a",]', '{"a": 1, "a": 1}')
  const separator = fc.constantFrom(',', ', ', ',\n', ',,', ', // x\n')
  fc.assert(
    fc.property(fc.array(fc.tuple(key, value, separator), {maxLength: 6}), fc.boolean(), (members, mark) => {
      const text = `${mark ? '\uFEFF' : ''}${whole(members.map(([name, put, between]) => `${between}"${name}": ${put}`).join(''))}`
      const mended = mend(text)
      expect(mend(mended)).toBe(mended)
      const errors = (of: string): number => check(of).filter(({severity}) => severity === 'error').length
      expect(errors(mended)).toBeLessThanOrEqual(errors(text))
      const words = (of: string): string[] => Object.keys((readJsonText(of).value ?? {})).map((name) => name.toLowerCase().replace(/[_-]/g, '')).toSorted()
      expect([...new Set(words(mended))]).toEqual([...new Set(words(text))])
    }),
    {numRuns: 300},
  )
})
