import {expect, it} from 'vitest'
import {checkSetting} from '../../../../src/catalog/check-setting.js'
import {exampleApp} from '../../../../src/catalog/lint/examples.js'
import {lintDefinition} from '../../../../src/catalog/lint/lint-definition.js'

const field = {key: 'PASTE_NAME', service: 'web', label: 'Name', type: 'text'} as const

function findingsOf(change: object): string[] {
  const text = JSON.stringify({...exampleApp, settings: [{id: 'general', label: 'General', fields: [{...field, ...change}]}]})
  return lintDefinition(text, {engine: '1.0.0'}).findings.map(({rule, message}) => `${rule}: ${message}`).filter((said) => !said.startsWith('setting-default-drift'))
}

it.each([
  {type: 'number', min: 5, default: '4'}, {type: 'number', integer: true, default: '1.5'}, {type: 'number', default: '0x10'}, {type: 'boolean', default: 'yes'},
  {type: 'select', options: [{value: 'a', label: 'A'}], default: 'b'}, {type: 'multiselect', options: [{value: 'a', label: 'A'}], default: 'a,b'}, {pattern: '^x$', patternError: 'write x', default: 'y'},
] as const)('says of a default what a save would answer: %j', (change) => {
  expect(findingsOf(change)).toEqual([`setting-default-invalid: the default ${JSON.stringify(change.default)} would be refused: ${checkSetting({...field, ...change} as never, change.default)}`])
})

it('says once that a choice has no options, whatever its default', () => {
  expect(findingsOf({type: 'radio', default: 'a'})).toEqual(['select-without-options: a radio needs options'])
})

it('is not held up by a pattern that takes for ever', () => {
  const startedMs = performance.now()
  expect(findingsOf({pattern: '^(a+)+$', default: `${'a'.repeat(60)}b`})).toEqual([expect.stringContaining('setting-default-invalid')])
  expect(performance.now() - startedMs).toBeLessThan(5000)
})
